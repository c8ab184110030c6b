//! The far end of a producer whose consumer is across a transport.

use super::lifecycle::{End, Outcome};
use super::producer::CreditProducer;
use super::shared::{Refill, Shared, TestHooks};
use super::state::{Entry, State};
use super::weigher::Weigher;
use crate::ledger::Books;
use crate::{CancelReason, Credit, Disconnect, Oversize, Window};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Where a transport's driver takes out what producers send, in place of a consumer.
///
/// It holds no guards: a chunk counts as in flight until the consumer's books, which the driver hands to
/// [`follow`](Self::follow), say that its work is done. Dropped, it leaves the producers disconnected.
pub(crate) struct Outlet<T> {
    shared: Arc<Shared<T>>,
    batch: VecDeque<Entry<T>>,
    taken: u64,
    /// The cost of those.
    taken_cost: Credit,
    /// How far sends may run ahead of what is taken, whatever the consumer grants.
    ahead: Credit,
    /// The consumer's newest books.
    books: Books,
    /// What may be sent is bounded by `ahead` and not by the books.
    held_up: bool,
    round_trip: Option<Duration>,
}

/// What there is to take.
#[derive(Debug)]
pub(crate) enum Fill {
    /// [`Outlet::pop`] has it.
    More,
    /// Nothing, ever: how the producers ended.
    Over(Outcome),
}

impl<T: Send + 'static> Outlet<T> {
    /// A channel whose consumer has this window, and grants nothing yet.
    pub(crate) fn open(window: Window, ahead: Credit, weigher: Weigher<T>) -> (CreditProducer<T>, Self) {
        let (shared, _lease) = Shared::new(window, Oversize::Refuse, Some(weigher), TestHooks::default());
        shared.with(|state, _| {
            state.ledger.follow(Credit::ZERO, Credit::ZERO, window);
            state.tell_of_parks(window);
            state.life.set_far();
        });
        let producer = CreditProducer::new(Arc::clone(&shared));
        let books = Books { limit: Credit::ZERO, released: Credit::ZERO, window: window.as_credit() };
        let batch = VecDeque::new();
        (
            producer,
            Self { shared, batch, taken: 0, taken_cost: Credit::ZERO, ahead, books, held_up: false, round_trip: None },
        )
    }
}

impl<T> Outlet<T> {
    /// Goes for more once `pop` has nothing. Pending, the task is woken when there is something to take, when the
    /// producers end, and when one of them parks.
    pub(crate) fn poll_fill(&mut self, cx: &Context<'_>) -> Poll<Fill> {
        if !self.batch.is_empty() {
            drop(self.shared.unreceived(std::mem::take(&mut self.batch)));
        }
        if self.held_up {
            self.grant(Credit::ZERO);
        }
        let mut waker = Some(cx.waker().clone());
        match self.shared.refill(&mut self.batch, self.taken, &mut waker) {
            Some(Refill::More) => Poll::Ready(Fill::More),
            Some(Refill::Over(outcome)) => Poll::Ready(Fill::Over(outcome)),
            None => Poll::Pending,
        }
    }

    /// Takes the next value, if one is at hand and nobody wants it discarded.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.shared.discards() {
            return None;
        }
        let entry = self.batch.pop_front()?;
        self.taken = self.taken.wrapping_add(1);
        self.taken_cost = self.taken_cost.plus(self.shared.cost_at(entry.cost_bytes));
        Some(entry.value)
    }

    /// How many values were taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// The consumer's window.
    pub(crate) fn window(&self) -> Credit {
        self.books.window
    }

    /// Whether a send waits for credit that the consumer did not grant, or was refused for want of it.
    pub(crate) fn is_blocked(&self) -> bool {
        !self.held_up && self.shared.with(|state, _| state.is_blocked())
    }

    /// Whether what was sent and not taken is to be thrown away.
    pub(crate) fn discards(&self) -> bool {
        self.shared.discards()
    }

    /// The consumer's books, which the session has checked: so much is done, so much may be in flight.
    pub(crate) fn follow(&mut self, books: Books, round_trip: Option<Duration>) {
        self.round_trip = round_trip;
        let home = books.released.minus(self.books.released);
        self.books = books;
        self.grant(home);
    }

    /// Lets producers send what the consumer has granted, and no further ahead of the transport than they may: a
    /// consumer that grants without bound and does not read must not fill this side's memory.
    fn grant(&mut self, home: Credit) {
        let Books { limit, released, window } = self.books;
        let reach = self.taken_cost.plus(self.ahead);
        self.held_up = !limit.fits_in(reach);
        let spendable = limit.min(reach).minus(released);
        let window = self.counted(window);
        let (held_up, round_trip) = (self.held_up, self.round_trip);
        self.shared.with(|state, wakes| {
            state.remote.held_up = held_up;
            state.remote.round_trip = round_trip;
            state.ledger.follow(home, spendable, window);
            state.tally.peaked = false;
            state.tell_of_parks(window);
            state.remote.wanted = false;
            state.settle(wakes);
            self.shared.take_hints(state);
        });
    }

    /// The window in the units that this channel counts.
    fn counted(&self, window: Credit) -> Window {
        let base = self.shared.base_cost();
        Window::of((base.messages() > 0).then_some(window.messages()), (base.bytes() > 0).then_some(window.bytes()))
    }

    /// The consumer stops.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        self.shared.cancel(reason);
    }

    /// The consumer asks for no more.
    pub(crate) fn drain(&self) {
        self.shared.drain();
    }

    /// All that was accepted before the consumer asked for no more is taken. That is how the channel ended, whatever
    /// becomes of the connection.
    pub(crate) fn drained(&self) {
        self.shared.end_with(|state| state.life.end(End::Drained), false);
    }

    /// The connection is gone.
    pub(crate) fn lose(&self, reason: Disconnect) {
        let lose = |state: &mut State<T>| {
            let idle = state.is_idle();
            state.life.lose(reason, idle)
        };
        self.shared.end_with(lose, true);
    }
}

impl<T> Drop for Outlet<T> {
    fn drop(&mut self) {
        self.lose(Disconnect::DriverDropped);
        drop(self.shared.unreceived(std::mem::take(&mut self.batch)));
        // However the channel ended: nobody is left to take these.
        let queue = self.shared.with(|state, _| std::mem::take(&mut state.queue));
        drop(self.shared.unreceived(queue));
    }
}
