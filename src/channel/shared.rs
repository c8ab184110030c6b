//! What the two ends, the permits and the guards of a channel share.

use super::hints::Hints;
use super::lease::{Control, Lease};
use super::lifecycle::Outcome;
use super::probe::Probes;
use super::state::{Entry, State};
use super::weigher::Weigher;
use crate::ledger::Ledger;
use crate::sync::shim::{AtomicBool, Mutex, Ordering};
use crate::sync::{Tray, WakeList};
use crate::{CancelReason, Credit, Failure, Oversize, Stats, Window, WindowError};
use std::collections::VecDeque;
use std::ops::DerefMut;
use std::sync::Arc;
use std::task::Waker;
use std::{fmt, mem};

/// What only tests ask of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TestHooks {
    pub(super) start_totals_at: u64,
    pub(super) always_one_turn: bool,
    pub(super) recv_gives_one_turn: bool,
}

/// What the consumer finds when it comes for more.
#[derive(Debug)]
pub(super) enum Refill {
    More,
    Over(Outcome),
}

pub(super) struct Shared<T> {
    state: Mutex<State<T>>,
    hints: Hints,
    tray: Arc<Tray>,
    /// The consumer has to throw away what it took out of the queue and has not handed out.
    discard: AtomicBool,
    /// The units counted, as the price of a message without bytes.
    base_cost: Credit,
    weigher: Option<Weigher<T>>,
    probes: Probes,
}

impl<T: Send + 'static> Shared<T> {
    pub(super) fn new(
        window: Window,
        oversize: Oversize,
        weigher: Option<Weigher<T>>,
        hooks: TestHooks,
    ) -> (Arc<Self>, Arc<Lease>) {
        let tray = Arc::new(Tray::new(window.message_limit().is_some(), window.byte_limit().is_some()));
        let mut state = State::new(window, oversize, Arc::clone(&tray));
        state.start_totals_at(hooks.start_totals_at);
        let shared = Arc::new(Self {
            state: Mutex::new(state),
            hints: Hints::new(hooks.always_one_turn),
            tray: Arc::clone(&tray),
            discard: AtomicBool::new(false),
            base_cost: window.cost(0),
            weigher,
            probes: Probes::new(),
        });
        let channel: Arc<dyn Control> = shared.clone();
        (shared, Arc::new(Lease::new(tray, channel)))
    }
}

impl<T> Shared<T> {
    #[inline]
    pub(super) fn lock(&self) -> impl DerefMut<Target = State<T>> + '_ {
        self.state.lock()
    }

    #[inline]
    pub(super) fn hints(&self) -> &Hints {
        &self.hints
    }

    /// What a message without bytes costs.
    #[inline]
    pub(super) fn base_cost(&self) -> Credit {
        self.base_cost
    }

    #[inline]
    pub(super) fn weigher(&self) -> Option<&Weigher<T>> {
        self.weigher.as_ref()
    }

    #[inline]
    pub(super) fn tray(&self) -> &Tray {
        &self.tray
    }

    /// Runs `f` under the lock, and wakes whom it put on the list after it. `f` is ours: no user code.
    #[inline]
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut State<T>, &mut WakeList) -> R) -> R {
        let mut wakes = WakeList::default();
        let mut state = self.state.lock();
        let result = f(&mut state, &mut wakes);
        state.ledger.assert_invariants();
        self.show_news(&mut state);
        let told = state.tell();
        drop(state);
        wakes.wake();
        if let Some(told) = told {
            told.tell(|stats| self.with_work_times(stats));
        }
        result
    }

    #[inline]
    pub(super) fn show_news(&self, state: &mut State<T>) {
        if let Some(news) = state.news() {
            self.hints.set_news(news);
        }
    }

    // ----- the producer side -----

    pub(super) fn add_producer(&self) {
        self.with(|state, _| state.life.add_producer());
    }

    pub(super) fn remove_producer(&self, clean: bool) {
        self.with(|state, wakes| {
            if state.life.remove_producer(clean, state.sent()) {
                state.close(wakes);
            }
        });
    }

    /// ERROR: after what is queued, or instead of it.
    pub(super) fn fail(&self, failure: Failure, discard_queued: bool) {
        self.end_with(|state| state.life.fail(failure), discard_queued);
    }

    // ----- the consumer side -----

    /// Whether what the consumer holds in its batch is still to be handed out.
    #[inline]
    pub(super) fn discards(&self) -> bool {
        // ORDERING: Acquire, the partner of the Release in `end_with`, so that who sees the flag also
        // finds the outcome; one who does not see it yet takes a chunk that was sent before.
        self.discard.load(Ordering::Acquire)
    }

    /// Whether there looks to be nothing for the consumer, neither a chunk nor an end.
    pub(super) fn looks_empty(&self) -> bool {
        !self.hints.has_news()
    }

    /// Fills an empty batch from the queue. If there is nothing and nothing final to say, the waker, if there
    /// is one, is kept to be told, and the one that it replaces comes back in its place.
    pub(super) fn refill(
        &self,
        batch: &mut VecDeque<Entry<T>>,
        received: u64,
        waker: &mut Option<Waker>,
    ) -> Option<Refill> {
        // Resets its head, so that a half-used ring starts over in memory that is warm.
        batch.clear();
        self.with(|state, _| {
            if !state.queue.is_empty() {
                mem::swap(&mut state.queue, batch);
                if mem::take(&mut state.tally.long_since) {
                    self.probes.look_again();
                }
                return Some(Refill::More);
            }
            let outcome = state.life.outcome(received, state.permits_out());
            if outcome.is_some() {
                state.life.deliver();
            } else if waker.is_some() {
                mem::swap(&mut state.consumer, waker);
                if waker.is_none() {
                    state.begin_wait();
                }
            }
            outcome.map(Refill::Over)
        })
    }

    /// The consumer goes: a cancel, unless it had received everything.
    pub(super) fn remove_consumer(&self, received: u64) {
        let through = self.with(|state, _| {
            let through = state.queue.is_empty() && state.life.outcome(received, state.permits_out()).is_some();
            if through {
                state.life.deliver();
            }
            through
        });
        if !through {
            self.cancel(CancelReason::Dropped);
        }
    }

    pub(super) fn drain(&self) {
        self.with(|state, wakes| {
            if state.life.drain() {
                state.close(wakes);
            }
        });
    }

    pub(super) fn set_window(&self, window: Window) -> Result<(), WindowError> {
        let asked = window.check()?;
        self.with(|state, wakes| {
            let current = state.ledger.window();
            let asked = state.window_kept(asked);
            if !asked.counts_like(current) {
                return Err(WindowError::OtherUnits { current, asked });
            }
            state.settle(wakes);
            state.ledger.set_window(asked);
            state.tally.peaked = false;
            state.settle(wakes);
            Ok(())
        })
    }

    // ----- both -----

    pub(super) fn stats(&self) -> Stats {
        // Before the clock is read for the rest, so that no work is older than the channel.
        let (work, oldest_work) = (self.probes.times(), self.probes.oldest());
        let stats = self.with(|state, wakes| {
            state.settle(wakes);
            state.stats()
        });
        Stats { work, oldest_work, ..stats }
    }

    fn with_work_times(&self, stats: Stats) -> Stats {
        Stats { work: self.probes.times(), oldest_work: self.probes.oldest(), ..stats }
    }

    /// One of the ledger's numbers, which is up to date.
    pub(super) fn books<R>(&self, read: impl FnOnce(&Ledger<Option<Waker>>) -> R) -> R {
        self.with(|state, wakes| {
            state.settle(wakes);
            read(&state.ledger)
        })
    }

    pub(super) fn probes(&self) -> &Probes {
        &self.probes
    }

    /// Credit comes home, past the tray.
    fn settle(&self, home: Credit) {
        self.with(|state, wakes| {
            state.ledger.release(home);
            state.settle(wakes);
        });
    }

    /// CANCEL: drops what is queued. True if this is what stopped the channel.
    pub(super) fn cancel(&self, reason: CancelReason) -> bool {
        self.end_with(|state| state.life.cancel(reason), true)
    }

    /// Ends the channel, and with it, if wanted, what is queued.
    pub(super) fn end_with(&self, end: impl FnOnce(&mut State<T>) -> bool, discard: bool) -> bool {
        let (first, queue) = self.with(|state, wakes| {
            if !end(state) {
                return (false, self.unreceived(VecDeque::new()));
            }
            let queue = if discard {
                // ORDERING: Release, the partner of the Acquire in `discards`.
                self.discard.store(true, Ordering::Release);
                mem::take(&mut state.queue)
            } else {
                VecDeque::new()
            };
            state.close(wakes);
            (true, self.unreceived(queue))
        });
        drop(queue);
        first
    }

    /// What nobody will receive.
    pub(super) fn unreceived(&self, entries: VecDeque<Entry<T>>) -> Unreceived<'_, T> {
        Unreceived { shared: self, entries }
    }

    /// What an entry that costs so many bytes costs altogether.
    #[inline]
    pub(super) fn cost_at(&self, cost_bytes: u64) -> Credit {
        Credit::new(self.base_cost.messages(), cost_bytes)
    }
}

/// What nobody will receive: dropped, and accounted for, even if a value's `Drop` or a waker panics.
pub(super) struct Unreceived<'a, T> {
    shared: &'a Shared<T>,
    entries: VecDeque<Entry<T>>,
}

impl<T> Unreceived<'_, T> {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<T> Drop for Unreceived<'_, T> {
    fn drop(&mut self) {
        struct ComeHome<'a, T>(&'a Shared<T>, Credit);
        impl<T> Drop for ComeHome<'_, T> {
            fn drop(&mut self) {
                self.0.settle(self.1);
            }
        }
        if self.entries.is_empty() {
            return;
        }
        let cost = self.entries.iter().fold(Credit::ZERO, |sum, entry| sum.plus(self.shared.cost_at(entry.cost_bytes)));
        let _home = ComeHome(self.shared, cost);
        drop(mem::take(&mut self.entries));
    }
}

impl<T: Send> Control for Shared<T> {
    fn settle(&self, home: Credit) {
        Self::settle(self, home);
    }

    fn forget(&self, credit: Credit) {
        self.with(|state, wakes| {
            state.forget(credit);
            state.settle(wakes);
        });
    }

    fn cancel(&self, reason: CancelReason) -> bool {
        Self::cancel(self, reason)
    }

    fn stats(&self) -> Stats {
        Self::stats(self)
    }

    fn set_window(&self, window: Window) -> Result<(), WindowError> {
        Self::set_window(self, window)
    }

    fn is_over(&self) -> bool {
        self.with(|state, _| !state.life.is_open())
    }

    #[cfg(feature = "metrics")]
    fn is_settled(&self) -> bool {
        self.with(|state, wakes| {
            state.settle(wakes);
            // At the producer's end of a connection that was lost nothing comes home any more.
            let at_rest = state.is_idle() && state.ledger.reserved().is_zero();
            !state.life.is_open() && (at_rest || state.life.is_far() && state.life.closed().is_some())
        })
    }

    fn measure(&self) {
        self.with(|state, _| state.measure());
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
