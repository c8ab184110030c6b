//! Who is watched, and when what is published.

use super::beside::{Beside, Kinds};
use super::names::describe;
use super::sums::{Present, Totals};
#[cfg(feature = "transport")]
use crate::transport::ConnectionMeter;
use crate::workers::PoolMeter;
use crate::{Meter, Stats, Window};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// Publishes the numbers of the channels it watches, whenever it is told to: see the [module](super).
///
/// A handle: clones watch and report the same channels. One reporter is enough for a process; if there are several, let
/// their channels have different names.
#[derive(Clone, Default)]
pub struct Reporter {
    shared: Arc<Mutex<Watched>>,
}

#[derive(Default)]
struct Watched {
    described: bool,
    names: BTreeMap<Arc<str>, Group>,
}

/// All channels of one name.
#[derive(Default)]
struct Group {
    live: Vec<Live>,
    /// What those that are over have come to.
    gone: Totals,
    kinds: Kinds,
    /// Whether the way to the other end was measured of one of them.
    measured: bool,
}

struct Live {
    meter: Meter,
    beside: Beside,
    /// At the last report, or when it was first watched.
    last: Stats,
}

/// What there is to publish of one name.
pub(super) struct Snapshot {
    pub(super) channel: Arc<str>,
    pub(super) kinds: Kinds,
    pub(super) present: Present,
    pub(super) totals: Totals,
}

impl Reporter {
    /// One that watches nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Watches a channel, until it is over and all its work is done. `name` is what its metrics have as label `channel`.
    ///
    /// Several can have one name, at once or one after the other: their numbers are published together. One that is
    /// watched by that name already, from whichever end, is not counted twice. Let there be no more than a few names:
    /// what is kept and published of each stays.
    pub fn watch(&self, name: impl Into<Arc<str>>, meter: Meter) {
        self.add(name.into(), meter, Beside::Nothing);
    }

    /// Watches a pool of workers, and the window round it, in the same way.
    pub fn watch_workers(&self, name: impl Into<Arc<str>>, pool: PoolMeter) {
        self.add(name.into(), pool.window().clone(), Beside::Pool(pool));
    }

    /// Watches a channel over a connection, and what goes over that: `connection` is the [meter](crate::transport::Driver::meter)
    /// of the driver that came with this end of the channel.
    ///
    /// It is watched for as long as the channel is. Frames that come or go after that, to close the connection, are not
    /// counted.
    #[cfg(feature = "transport")]
    pub fn watch_connection(&self, name: impl Into<Arc<str>>, meter: Meter, connection: ConnectionMeter) {
        self.add(name.into(), meter, Beside::Connection(connection));
    }

    fn add(&self, name: Arc<str>, meter: Meter, beside: Beside) {
        let last = meter.stats();
        let mut watched = self.lock();
        let group = watched.names.entry(name).or_default();
        group.note_units(last.window);
        beside.note(&mut group.kinds);
        match group.live.iter_mut().find(|live| live.meter.is_of_the_same_channel(&meter)) {
            Some(Live { beside: nothing @ Beside::Nothing, .. }) => *nothing = beside,
            Some(_) => {}
            None => group.live.push(Live { meter, beside, last }),
        }
    }

    /// How many channels are watched: those that were not over at the last report.
    #[must_use]
    pub fn watched(&self) -> usize {
        self.lock().names.values().map(|group| group.live.len()).sum()
    }

    /// Publishes the numbers as of now, to the recorder that `metrics` has at this moment.
    ///
    /// A channel that is over is reported a last time, with its final counts; its gauges are 0 then.
    pub fn report(&self) {
        let (first, snapshots) = {
            let mut watched = self.lock();
            let first = !std::mem::replace(&mut watched.described, true);
            let snapshots: Vec<_> = watched.names.iter_mut().filter_map(|(name, group)| group.snapshot(name)).collect();
            (first, snapshots)
        };
        // A recorder is user code: not under the lock.
        if first {
            describe();
        }
        for snapshot in snapshots {
            snapshot.publish();
        }
    }

    /// Publishes them now and then every so often (1 ms or more), for as long as it is polled: to be spawned, or to be one
    /// branch of a `select!`.
    ///
    /// What came after the last time is not published when it is dropped; for that, [`report`](Self::report) once more.
    ///
    /// # Panics
    ///
    /// Without a runtime that has its timers enabled.
    pub async fn run(self, every: Duration) -> Infallible {
        let mut ticks = interval(every.max(Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.report();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        // No user code runs under it, and the numbers are whole after each statement.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    fn note_units(&mut self, window: Window) {
        self.kinds.messages |= window.message_limit().is_some();
        self.kinds.bytes |= window.byte_limit().is_some();
    }

    /// Nothing if there was none since the last report.
    fn snapshot(&mut self, name: &Arc<str>) -> Option<Snapshot> {
        if self.live.is_empty() {
            return None;
        }
        let (mut present, mut totals) = (Present::default(), Totals::default());
        let gone = &mut self.gone;
        self.live.retain_mut(|live| live.look(&mut present, &mut totals, gone));
        totals.add(gone);
        self.measured |= present.round_trip.is_some();
        if self.measured {
            present.round_trip.get_or_insert(Duration::ZERO);
        }
        Some(Snapshot { channel: Arc::clone(name), kinds: self.kinds, present, totals })
    }
}

impl Live {
    /// False if that was the last time.
    fn look(&mut self, present: &mut Present, totals: &mut Totals, gone: &mut Totals) -> bool {
        // Asked first: if they are final, it is the final ones that are read.
        let goes = self.meter.is_settled();
        let stats = self.meter.stats();
        if goes {
            gone.add(&Totals::of(&stats));
            self.beside.look(gone, None);
        } else {
            totals.add(&Totals::of(&stats));
            present.add(&stats, &self.last);
            self.beside.look(totals, Some(present));
        }
        self.last = stats;
        !goes
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter").field("watched", &self.watched()).finish_non_exhaustive()
    }
}
