//! Both ends of a channel in one hand.

use super::chunk::Chunk;
use super::consumer::CreditConsumer;
use super::meter::Meter;
use super::shared::{Shared, TestHooks};
use crate::ledger::Ticket;
use crate::{Oversize, Window};
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// A window that a stage puts round what passes through it: it reserves room, puts values in, and takes them out again
/// with a guard each. What is out counts until its guard is dropped, wherever that is.
///
/// Reserved room is what the stage has asked for and not got (owed), the depth is what it holds or what is being worked
/// on behind it (held). That the two never exceed the capacity is the ledger's first invariant.
pub(crate) struct Basin<T> {
    shared: Arc<Shared<T>>,
    outlet: CreditConsumer<T>,
    /// The place in line of the reservation under way.
    ticket: Option<Ticket>,
    /// Room reserved and not used, in messages.
    owed: u64,
    /// What was put in and not taken out.
    inside: u64,
}

impl<T: Send + 'static> Basin<T> {
    /// For so many values, which the caller has checked to be a legal window.
    pub(crate) fn new(capacity: Window) -> Self {
        debug_assert!(capacity.byte_limit().is_none(), "a basin counts messages");
        let (shared, lease) = Shared::new(capacity, Oversize::Refuse, None, TestHooks::default());
        let outlet = CreditConsumer::new(Arc::clone(&shared), lease, TestHooks::default());
        Self { shared, outlet, ticket: None, owed: 0, inside: 0 }
    }
}

impl<T> Basin<T> {
    /// Reserves room for `n` values, all at once. While it is pending every call has to ask for the same.
    pub(crate) fn poll_reserve(&mut self, n: u64, cx: &Context<'_>) -> Poll<()> {
        let need = self.shared.base_cost().times(n);
        let claimed = ready!(self.shared.poll_claim(need, &mut self.ticket, cx, |_, _| {}));
        // Nobody but the stage itself cancels it, and asks for nothing after that.
        self.owed += if claimed.is_ok() { n } else { 0 };
        Poll::Ready(())
    }

    /// Reserves, beyond what is reserved, all that is free now.
    pub(crate) fn reserve_rest(&mut self) {
        let base = self.shared.base_cost();
        self.shared.with(|state, wakes| {
            state.settle(wakes);
            let free = state.ledger.credit().messages();
            if state.ledger.try_reserve(base.times(free)) {
                self.owed += free;
            }
            self.shared.take_hints(state);
        });
    }

    /// Room reserved and not used.
    pub(crate) fn owed(&self) -> u64 {
        self.owed
    }

    /// Gives back the room that is not needed, and waits for none.
    pub(crate) fn owe_nothing(&mut self) {
        // Else it would be served when work is done, and hold room that nobody uses.
        if let Some(ticket) = self.ticket.take() {
            self.shared.leave_line(ticket);
        }
        self.shared.refund(self.shared.base_cost().times(std::mem::take(&mut self.owed)));
    }

    /// Puts a value into reserved room.
    pub(crate) fn put(&mut self, value: T) {
        debug_assert!(self.owed > 0, "room is reserved before a value is asked for");
        self.owed -= 1;
        self.inside += 1;
        let (mut value, cost) = (Some(value), self.shared.base_cost());
        self.shared.with(|state, wakes| state.send_reserved(&mut value, cost, wakes));
    }

    /// Takes the oldest value that is in it.
    pub(crate) fn take(&mut self) -> Option<Chunk<T>> {
        let chunk = self.outlet.try_recv().ok().flatten();
        self.inside -= u64::from(chunk.is_some());
        chunk
    }

    /// Whether nothing is in it that could be taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.inside == 0
    }

    /// Drops what is in it. What is out stays out.
    pub(crate) fn clear(&mut self) {
        while let Some(chunk) = self.take() {
            drop(chunk);
        }
    }

    /// Its numbers, for others to look at.
    pub(crate) fn meter(&self) -> Meter {
        self.outlet.meter()
    }
}

impl<T> Drop for Basin<T> {
    fn drop(&mut self) {
        self.owe_nothing();
    }
}

impl<T> fmt::Debug for Basin<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Basin").field("owed", &self.owed).finish_non_exhaustive()
    }
}
