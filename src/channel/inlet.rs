//! The far end of a consumer whose producer is across a transport.

use super::consumer::CreditConsumer;
use super::lifecycle::End;
use super::shared::{Shared, TestHooks};
use super::state::Entry;
use crate::ledger::{self, Books, Tell};
use crate::{CancelReason, Credit, Disconnect, Failure, Oversize, Window};
use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

/// Where a transport's driver puts in what arrives, in place of a producer.
///
/// It asks nobody for credit: that was done where the chunk was sent, and the session has checked it against
/// what this side granted. Dropped, it leaves the consumer with what had arrived and a disconnection.
pub(crate) struct Inlet<T> {
    shared: Arc<Shared<T>>,
    /// What came and is not handed over yet.
    arrived: VecDeque<Entry<T>>,
    /// What it costs.
    cost: Credit,
}

/// What the driver knows of the way to the producer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// There and back.
    pub(crate) round_trip: Option<Duration>,
    /// How often the producer had used up its credit.
    pub(crate) used_up: u64,
}

/// What the driver does not know yet.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// The books, if the producer ought to know them.
    pub(crate) books: Option<Books>,
    /// The consumer wants no more: at once, or ([`CancelReason::Drained`]) after what was sent.
    pub(crate) stop: Option<CancelReason>,
    /// They ought, after a turn of the runtime.
    pub(crate) next_turn: bool,
    /// All that arrived has been worked off.
    pub(crate) done: bool,
    /// Somebody wants to know of the way to the producer.
    pub(crate) measure: bool,
}

/// What the channel keeps of its driver.
#[derive(Debug)]
pub(super) struct Listener {
    told: Books,
    /// The producer says that it is blocked.
    blocked: bool,
    waker: Option<Waker>,
}

impl<T: Send + 'static> Inlet<T> {
    /// A channel under this window, with nothing in it.
    pub(crate) fn open(window: Window) -> (CreditConsumer<T>, Self) {
        let (shared, lease) = Shared::new(window.with_bookkeeping(), Oversize::Refuse, None, TestHooks::default());
        shared.with(|state, wakes| {
            let told = state.ledger.books();
            state.remote.listener = Some(Listener { told, blocked: false, waker: None });
            state.settle(wakes);
        });
        (
            CreditConsumer::new(Arc::clone(&shared), lease, TestHooks::default()),
            Self { shared, arrived: VecDeque::new(), cost: Credit::ZERO },
        )
    }
}

impl<T> Inlet<T> {
    /// Takes in what arrived, of so many bytes. The consumer has it with the next [`hand_over`](Self::hand_over).
    #[inline]
    pub(crate) fn push(&mut self, value: T, bytes: u64) {
        let cost = self.shared.cost_of_bytes(bytes);
        self.cost = self.cost.plus(cost);
        self.arrived.push_back(Entry { value, cost_bytes: cost.bytes() });
    }

    /// Hands over what was pushed. What a cancelled channel no longer takes is dropped.
    pub(crate) fn hand_over(&mut self) {
        if self.arrived.is_empty() {
            return;
        }
        let cost = mem::take(&mut self.cost);
        self.shared.with(|state, wakes| {
            if !state.life.is_cancelled() {
                wakes.extend(state.arrive(&mut self.arrived, cost));
            }
        });
        // What is left was not wanted. Its `Drop` is user code.
        self.arrived.clear();
    }

    /// What the producer ought to be told at once, or, if that turn has passed, since the turn before. The task is
    /// woken when there is more.
    pub(crate) fn poll_news(&self, turn_passed: bool, way: Way, cx: &Context<'_>) -> News {
        let least = if turn_passed { Tell::NextTurn } else { Tell::Now };
        let waker = cx.waker().clone();
        let (news, _spare) = self.shared.with(|state, wakes| {
            state.remote.round_trip = way.round_trip;
            state.tally.note_used_up(way.used_up);
            state.settle(wakes);
            let (books, outstanding) = (state.books(), state.outstanding());
            let (stop, done) = (state.life.stopped(), outstanding.is_zero());
            let Some(listener) = &mut state.remote.listener else { return (News::default(), None) };
            let when = listener.when_to_tell(&books, outstanding);
            let books = (when >= least).then_some(books);
            if let Some(books) = books {
                listener.told = books;
                listener.blocked = false;
            }
            let spare = listener.waker.replace(waker);
            // By what the driver knows now.
            state.arm(wakes);
            let measure = state.remote.measured;
            let next_turn = books.is_none() && when == Tell::NextTurn;
            (News { books, next_turn, stop, done, measure }, spare)
        });
        news
    }

    /// The producer says that it waits for credit: nothing is held back from it.
    pub(crate) fn blocked(&self) {
        self.shared.with(|state, wakes| {
            if let Some(listener) = &mut state.remote.listener {
                listener.blocked = true;
                state.tally.count_park();
            }
            state.settle(wakes);
        });
    }

    // ----- how it ends -----

    /// All that was sent has arrived.
    pub(crate) fn end(&mut self, count: u64) {
        self.end_as(End::Clean { sent: count }, false);
    }

    pub(crate) fn fail(&mut self, failure: Failure, discard: bool) {
        self.end_as(End::Failed(failure), discard);
    }

    pub(crate) fn abandon(&mut self) {
        self.end_as(End::Abandoned, false);
    }

    pub(crate) fn drained(&mut self) {
        self.end_as(End::Drained, false);
    }

    pub(crate) fn undecodable(&mut self, seq: u64, text: Arc<str>) {
        self.end_as(End::Undecodable { seq, text }, false);
    }

    pub(crate) fn lose(&mut self, reason: Disconnect) {
        self.end_as(End::Lost(reason), false);
    }

    fn end_as(&mut self, end: End, discard: bool) {
        self.hand_over();
        self.shared.end_with(|state| state.life.end(end), discard);
    }
}

impl<T> Drop for Inlet<T> {
    fn drop(&mut self) {
        self.lose(Disconnect::DriverDropped);
        // The listener stays: the channel is one over a transport also when there is none any more.
        let waker = self.shared.with(|state, _| state.remote.listener.as_mut().and_then(Listener::call));
        drop(waker);
    }
}

impl Listener {
    /// When the producer ought to be told of these books, with so much still being worked on.
    fn when_to_tell(&self, books: &Books, outstanding: Credit) -> Tell {
        if books.window != self.told.window {
            return Tell::Now;
        }
        let in_unit = |unit: fn(Credit) -> u64| {
            let held = unit(books.released).wrapping_sub(unit(self.told.released));
            ledger::when_to_tell(held, unit(outstanding), unit(books.window), self.blocked)
        };
        in_unit(Credit::messages).max(in_unit(Credit::bytes))
    }

    /// How much more has to come home, in the one unit that is counted, until the producer ought to be told; `None` if
    /// it ought to be now, or nothing is out that could come.
    pub(super) fn due_in(&self, books: &Books, outstanding: Credit) -> Option<u64> {
        let unit = if books.window.messages() > 0 { Credit::messages } else { Credit::bytes };
        let held = unit(books.released).wrapping_sub(unit(self.told.released));
        let most = if self.blocked { 0 } else { ledger::most_held(unit(books.window)) };
        let due = (most + 1).checked_sub(held)?.min(unit(outstanding));
        (due > 0).then_some(due)
    }

    /// Whom to wake if the producer ought to be told of these books.
    pub(super) fn tell(&mut self, books: &Books, outstanding: Credit) -> Option<Waker> {
        let due = self.waker.is_some() && self.when_to_tell(books, outstanding) > Tell::Later;
        if due { self.waker.take() } else { None }
    }

    /// Whom to wake in any case.
    pub(super) fn call(&mut self) -> Option<Waker> {
        self.waker.take()
    }
}
