//! Timing the work of some chunks.

use super::lease::Lease;
use crate::WorkTimes;
use crate::stats::slot;
use crate::sync::clock::Moment;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

// The atomics and the lock here are std's also in a loom model: nothing in a model is timed, so nothing of this runs.

/// What was timed, and what is being timed now.
#[derive(Debug)]
pub(super) struct Probes {
    opened: Moment,
    times: Arc<Times>,
    /// When what is being timed began, by probe. Locked where a new probe is made, and by who asks for the oldest.
    began: Mutex<Vec<Arc<AtomicU64>>>,
}

/// The consumer's probes: leases that time the work of their guard. They are used again once that is dropped, so that
/// timing allocates only while more is being timed than ever before.
pub(super) struct Timing {
    leases: Vec<Arc<Lease>>,
    /// The next chunk to be timed, by its number.
    next: u64,
    /// So many chunks on is the one after it.
    step: u64,
}

/// One that is under way, or waits for the next.
pub(super) struct Probe {
    opened: Moment,
    /// As nanoseconds since `opened` and 1; 0 if none is under way.
    began: Arc<AtomicU64>,
    times: Arc<Times>,
    /// Where parts of the guard go home: only its rest is timed.
    main: Arc<Lease>,
}

/// Work that takes so long is timed chunk by chunk.
pub(super) const SLOW: Duration = Duration::from_micros(100);

/// All orderings are Relaxed: each of these is a number of its own, and nothing else is read on the strength of it.
#[derive(Debug, Default)]
struct Times {
    total_nanos: AtomicU64,
    histogram: [AtomicU64; WorkTimes::SLOTS],
    /// The last work took so long that timing it costs nothing beside it, as far as is known.
    slow: AtomicBool,
}

impl Probes {
    pub(super) fn new() -> Self {
        Self { opened: Moment::now(), times: Arc::default(), began: Mutex::default() }
    }

    pub(super) fn times(&self) -> WorkTimes {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut times = WorkTimes::default();
        times.total = Duration::from_nanos(of(&self.times.total_nanos));
        for (count, counter) in times.histogram.iter_mut().zip(&self.times.histogram) {
            *count = of(counter);
        }
        // So that it is their sum at any moment.
        times.timed = times.histogram.iter().sum();
        times
    }

    /// The age of the oldest that is being timed.
    pub(super) fn oldest(&self) -> Option<Duration> {
        let began = self.began.lock().unwrap_or_else(PoisonError::into_inner);
        let first = began.iter().filter_map(|began| began.load(Ordering::Relaxed).checked_sub(1)).min()?;
        Some(self.opened.elapsed().saturating_sub(Duration::from_nanos(first)))
    }

    /// The next chunk is timed that begins a batch.
    pub(super) fn look_again(&self) {
        self.times.slow.store(true, Ordering::Relaxed);
    }

    fn probe(&self, main: &Arc<Lease>, now: u64) -> Probe {
        let began = Arc::new(AtomicU64::new(now));
        self.began.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&began));
        Probe { opened: self.opened, began, times: Arc::clone(&self.times), main: Arc::clone(main) }
    }
}

impl Timing {
    /// Where work is fast only one chunk in so many is timed.
    const SELDOM: u64 = 1024;
    /// So many are timed at once, at most: it bounds what a look at them costs.
    const AT_ONCE: usize = 256;

    /// For chunks from this number on.
    pub(super) fn new(first: u64) -> Self {
        // Not the first: it is the one that waited for everything to start.
        Self { leases: Vec::new(), next: first.wrapping_add(1), step: 1 }
    }

    /// Chunk `seq` begins a batch: it is timed if the last work that was took long, or has not been for long.
    pub(super) fn on_refill(&mut self, seq: u64, probes: &Probes) {
        if probes.times.slow.load(Ordering::Relaxed) {
            self.next = seq;
        }
    }

    /// The lease for the guard of chunk `seq`: the main one, unless its work is to be timed.
    #[inline]
    pub(super) fn lease_for<'a>(&'a mut self, seq: u64, probes: &Probes, main: &'a Arc<Lease>) -> &'a Arc<Lease> {
        if seq == self.next && !cfg!(credit_channel_loom) { self.start(probes, main) } else { main }
    }

    /// Starts timing: the lease for the guard, which is the main one if too much is being timed already.
    #[cold]
    fn start<'a>(&'a mut self, probes: &Probes, main: &'a Arc<Lease>) -> &'a Arc<Lease> {
        // Every one, or ever fewer.
        let slow = probes.times.slow.load(Ordering::Relaxed);
        self.step = if slow { 1 } else { self.step };
        self.next = self.next.wrapping_add(self.step);
        self.step = (self.step * 2).min(Self::SELDOM);
        let now = nanos(probes.opened.elapsed()).saturating_add(1);
        let free = self.leases.iter().position(|lease| lease.probe().is_some_and(|probe| probe.begin(now)));
        let at = match free {
            Some(at) => at,
            None if self.leases.len() < Self::AT_ONCE => {
                self.leases.push(Arc::new(main.timed_by(probes.probe(main, now))));
                self.leases.len() - 1
            }
            None => return main,
        };
        &self.leases[at]
    }
}

impl Probe {
    pub(super) fn main(&self) -> &Arc<Lease> {
        &self.main
    }

    /// The work is done.
    #[cold]
    pub(super) fn done(&self) {
        let began = self.began.swap(0, Ordering::Relaxed);
        if began == 0 {
            return;
        }
        let took = nanos(self.opened.elapsed()).saturating_sub(began - 1);
        let times = &self.times;
        times.slow.store(Duration::from_nanos(took) >= SLOW, Ordering::Relaxed);
        times.total_nanos.fetch_add(took, Ordering::Relaxed);
        if let Some(counter) = times.histogram.get(slot(took)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Nobody will say when it is.
    pub(super) fn give_up(&self) {
        self.began.store(0, Ordering::Relaxed);
    }

    /// False if it is under way already.
    fn begin(&self, now: u64) -> bool {
        // Only the consumer begins, one at a time.
        let free = self.began.load(Ordering::Relaxed) == 0;
        if free {
            self.began.store(now, Ordering::Relaxed);
        }
        free
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("began", &self.began).finish_non_exhaustive()
    }
}

impl fmt::Debug for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timing").field("next", &self.next).finish_non_exhaustive()
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
