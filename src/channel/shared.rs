//! What the two ends, the permits and the guards of a channel share.

use super::lease::Lease;
use super::lifecycle::Outcome;
use super::state::{Claim, Entry, Refusal, State};
use crate::ledger::Ticket;
use crate::sync::shim::{AtomicBool, AtomicU64, Mutex, Ordering};
use crate::sync::{Tray, WakeList, coop};
use crate::{CancelReason, Credit, Failure, Oversize, Stats, Window, WindowError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::{fmt, mem};

/// Says what a value weighs, in bytes.
pub(super) type Weigher<T> = Box<dyn Fn(&T) -> usize + Send + Sync>;

pub(super) struct Shared<T> {
    state: Mutex<State<T>>,
    hints: Hints,
    tray: Arc<Tray>,
    /// The consumer has to throw away what it took out of the queue and has not handed out.
    discard: AtomicBool,
    /// The units counted, as the price of a message without bytes.
    base_cost: Credit,
    weigher: Option<Weigher<T>>,
}

/// Glances at the state that spare a lock. Written under the lock, read without it, never relied upon.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Hints {
    /// No credit was left after the last send.
    short: AtomicBool,
    /// Something was sent since the consumer last emptied the queue.
    queued: AtomicBool,
    /// The runtime that senders wait in, as [`shares_thread`](Self::shares_thread) found it.
    flavor: AtomicU64,
}

impl Hints {
    const UNKNOWN: u64 = 0;
    const ONE_THREAD: u64 = 1;
    const OTHER: u64 = 2;

    /// Whether senders run on a runtime of one thread. Found out once, and only a matter of speed: right
    /// or wrong, a sender that gives up its turn is polled again.
    fn shares_thread(&self) -> bool {
        match self.flavor.load(Ordering::Relaxed) {
            Self::UNKNOWN => {
                let one = coop::runtime_has_one_thread();
                self.flavor.store(if one { Self::ONE_THREAD } else { Self::OTHER }, Ordering::Relaxed);
                one
            }
            flavor => flavor == Self::ONE_THREAD,
        }
    }
}

impl<T: Send + 'static> Shared<T> {
    pub(super) fn new(
        window: Window,
        oversize: Oversize,
        weigher: Option<Weigher<T>>,
        start_totals_at: u64,
    ) -> (Arc<Self>, Arc<Lease>) {
        let tray = Arc::new(Tray::new(window.message_limit().is_some(), window.byte_limit().is_some()));
        let mut state = State::new(window, oversize, Arc::clone(&tray));
        state.ledger.start_totals_at(start_totals_at);
        let shared = Arc::new(Self {
            state: Mutex::new(state),
            hints: Hints::default(),
            tray: Arc::clone(&tray),
            discard: AtomicBool::new(false),
            base_cost: window.cost(0),
            weigher: weigher.filter(|_| window.byte_limit().is_some()),
        });
        let channel: Arc<dyn Control> = shared.clone();
        (shared, Arc::new(Lease::new(tray, channel)))
    }
}

impl<T> Shared<T> {
    /// Runs `f` under the lock, and wakes whom it put on the list after it. `f` is ours: no user code.
    #[inline]
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut State<T>, &mut WakeList) -> R) -> R {
        let mut wakes = WakeList::new();
        let mut state = self.state.lock();
        let result = f(&mut state, &mut wakes);
        drop(state);
        wakes.wake();
        result
    }

    // ----- the producer side -----

    /// What a value costs. Runs the user's weigher, so never under the lock.
    #[inline]
    pub(super) fn cost_of(&self, value: &T) -> Credit {
        match &self.weigher {
            None => self.base_cost,
            Some(weigh) => self.cost_of_bytes(u64::try_from(weigh(value)).unwrap_or(u64::MAX)),
        }
    }

    /// What a value of so many bytes costs: at least 1 where bytes are counted.
    pub(super) fn cost_of_bytes(&self, bytes: u64) -> Credit {
        let bytes = if self.base_cost.bytes() == 0 { 0 } else { bytes.clamp(1, Window::MAX) };
        Credit::new(self.base_cost.messages(), bytes)
    }

    /// Claims credit without waiting; `then` runs under the lock once it is reserved.
    #[inline]
    pub(super) fn try_claim(&self, need: Credit, then: impl FnOnce(&mut State<T>, &mut WakeList)) -> Claim {
        self.with(|state, wakes| {
            let claim = state.claim(need);
            if let Claim::Granted = claim {
                then(state, wakes);
            }
            claim
        })
    }

    /// Sends the value in `slot` if there is credit for it now and nobody in line: the way of nearly every
    /// send, one lock and one wake at most.
    #[inline]
    pub(super) fn send_now(&self, slot: &mut Option<T>, cost: Credit) -> bool {
        if self.looks_short() {
            return false;
        }
        let mut state = self.state.lock();
        let (sent, consumer) = state.send_now(slot, cost);
        if sent {
            self.hints.short.store(state.is_short(), Ordering::Relaxed);
            self.hints.queued.store(true, Ordering::Relaxed);
        }
        drop(state);
        if let Some(consumer) = consumer {
            consumer.wake();
        }
        sent
    }

    /// Claims credit, in line if need be; `then` runs under the lock once it is reserved. The ticket is the
    /// caller's to give to [`leave_line`](Self::leave_line) if it gives up.
    ///
    /// Who finds no credit takes a place in line. On a runtime of one thread it then gives the others one
    /// turn before it parks: the consumer shares the thread, so that credit is mostly back by then, and a
    /// park and a wake-up are saved, which cost more than all else in a small window. Only what waits longer
    /// counts as parked.
    #[inline(never)]
    pub(super) fn poll_claim(
        &self,
        need: Credit,
        ticket: &mut Option<Ticket>,
        cx: &Context<'_>,
        mut then: impl FnMut(&mut State<T>, &mut WakeList),
    ) -> Poll<Result<(), Refusal>> {
        let parks = ticket.is_some() || !self.hints.shares_thread();
        let hopeless = ticket.is_none() && self.looks_short();
        let mut attempt = |state: &mut State<T>, wakes: &mut WakeList, waker: &mut Option<Waker>| {
            let claim = match ticket {
                None => state.claim(need),
                Some(_) => state.collect(ticket, wakes),
            };
            match claim {
                Claim::Granted => then(state, wakes),
                Claim::Short if waker.is_some() || !parks => {
                    let ticket = *ticket.get_or_insert_with(|| state.join(need));
                    state.park(ticket, waker, wakes);
                }
                _ => {}
            }
            self.hints.short.store(state.is_short(), Ordering::Relaxed);
            claim
        };
        // Without a waker first: cloning one is only worth it if there is really nothing.
        let mut claim = Claim::Short;
        if !(parks && hopeless) {
            claim = self.with(|state, wakes| attempt(state, wakes, &mut None));
        }
        if let Claim::Short = claim {
            if parks {
                // Cloned before the lock and dropped after it: a waker is user code.
                let mut waker = Some(cx.waker().clone());
                claim = self.with(|state, wakes| attempt(state, wakes, &mut waker));
            } else {
                cx.waker().wake_by_ref();
            }
        }
        match claim {
            Claim::Granted => Poll::Ready(Ok(())),
            Claim::Refused(refusal) => Poll::Ready(Err(refusal)),
            Claim::Short => Poll::Pending,
        }
    }

    /// Keeps a turn for a task that is out of budget: it takes what there is, or stands in line, until it is
    /// polled again, which the runtime has seen to.
    #[cold]
    pub(super) fn keep_turn(&self, need: Credit, ticket: &mut Option<Ticket>, waker: &Waker) {
        if ticket.is_some() {
            return;
        }
        let mut waker = Some(waker.clone());
        self.with(|state, wakes| {
            if state.life.is_open() {
                let held = *ticket.insert(state.join(need));
                state.settle(wakes);
                state.park(held, &mut waker, wakes);
            }
        });
    }

    /// Whether a claim would have to wait, at a glance: saves a lock that would only find that out.
    #[inline]
    fn looks_short(&self) -> bool {
        // ORDERING: Relaxed; who trusts a stale hint looks again under the lock before it waits.
        self.hints.short.load(Ordering::Relaxed) && self.tray.is_quiet()
    }

    /// Gives up a place in line, and the credit it was served.
    pub(super) fn leave_line(&self, ticket: Ticket) {
        let place = self.with(|state, wakes| {
            let place = state.ledger.leave(ticket);
            state.settle(wakes);
            place
        });
        drop(place);
    }

    /// Gives back reserved credit that was not used.
    pub(super) fn refund(&self, reserved: Credit) {
        self.with(|state, wakes| {
            state.ledger.refund(reserved);
            state.settle(wakes);
        });
    }

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

    /// Whether the queue looks empty: then the consumer comes with a waker at once.
    pub(super) fn looks_empty(&self) -> bool {
        // ORDERING: Relaxed; who trusts a stale hint looks again under the lock before it waits.
        !self.hints.queued.load(Ordering::Relaxed)
    }

    /// Fills an empty batch from the queue. An empty batch afterwards means: this outcome, or, if there is
    /// none, wait; the waker is kept for that, and the one that it replaces comes back.
    pub(super) fn refill(
        &self,
        batch: &mut VecDeque<Entry<T>>,
        received: u64,
        waker: &mut Option<Waker>,
    ) -> Option<Outcome> {
        // Resets its head, so that a half-used ring starts over in memory that is warm.
        batch.clear();
        self.with(|state, _| {
            if !state.queue.is_empty() {
                mem::swap(&mut state.queue, batch);
                self.hints.queued.store(false, Ordering::Relaxed);
                return None;
            }
            let outcome = state.life.outcome(received, state.permits_out());
            if outcome.is_some() {
                state.life.deliver();
            } else if waker.is_some() {
                mem::swap(&mut state.consumer, waker);
            }
            outcome
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
            if !asked.counts_like(current) {
                return Err(WindowError::OtherUnits { current, asked });
            }
            state.settle(wakes);
            state.ledger.set_window(asked);
            state.settle(wakes);
            Ok(())
        })
    }

    // ----- both -----

    pub(super) fn stats(&self) -> Stats {
        self.with(|state, wakes| {
            state.settle(wakes);
            state.stats()
        })
    }

    /// Ends the channel, and with it, if wanted, what is queued.
    fn end_with(&self, end: impl FnOnce(&mut State<T>) -> bool, discard: bool) -> bool {
        let (first, queue) = self.with(|state, wakes| {
            if !end(state) {
                return (false, VecDeque::new());
            }
            let queue = if discard {
                // ORDERING: Release, the partner of the Acquire in `discards`.
                self.discard.store(true, Ordering::Release);
                mem::take(&mut state.queue)
            } else {
                VecDeque::new()
            };
            state.close(wakes);
            (true, queue)
        });
        self.drop_unreceived(queue);
        first
    }

    /// Drops what nobody will receive, and accounts for it, even if a value's `Drop` panics.
    pub(super) fn drop_unreceived(&self, entries: VecDeque<Entry<T>>) {
        struct ComeHome<'a, T>(&'a Shared<T>, Credit);
        impl<T> Drop for ComeHome<'_, T> {
            fn drop(&mut self) {
                self.0.come_home(self.1);
            }
        }
        if entries.is_empty() {
            return;
        }
        let cost = entries.iter().fold(Credit::ZERO, |sum, entry| sum.plus(self.cost_at(entry.cost_bytes)));
        let _home = ComeHome(self, cost);
        drop(entries);
    }

    /// What an entry that costs so many bytes costs altogether.
    #[inline]
    pub(super) fn cost_at(&self, cost_bytes: u64) -> Credit {
        Credit::new(self.base_cost.messages(), cost_bytes)
    }

    fn come_home(&self, credit: Credit) {
        self.with(|state, wakes| {
            state.ledger.release(credit);
            state.settle(wakes);
        });
    }
}

/// What a guard or a canceller, which know no `T`, can do to the channel.
pub(super) trait Control: Send + Sync {
    /// Credit comes home while somebody waits for it.
    fn settle(&self, home: Credit);
    /// Takes credit out of the window for good.
    fn forget(&self, credit: Credit);
    /// CANCEL. False if the channel was over or cancelled already.
    fn cancel(&self, reason: CancelReason) -> bool;
    /// The channel's numbers.
    fn stats(&self) -> Stats;
}

impl<T> Shared<T> {
    pub(super) fn cancel(&self, reason: CancelReason) -> bool {
        self.end_with(|state| state.life.cancel(reason), true)
    }
}

impl<T: Send> Control for Shared<T> {
    fn settle(&self, home: Credit) {
        self.with(|state, wakes| {
            state.ledger.release(home);
            state.settle(wakes);
        });
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
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
