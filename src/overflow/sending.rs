//! What a producer waits for: room, and the end.

use super::shared::Shared;
use super::{OfferError, Verdict};
use crate::Closed;
use crate::sync::coop;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The future of [`Offering::send`](super::Offering::send).
///
/// Dropped before it is ready, the value goes with it and was not offered; its place in line goes to the next.
#[must_use = "futures do nothing unless awaited"]
pub struct Sending<'a, T> {
    shared: &'a Shared<T>,
    value: Option<T>,
    ticket: Option<u64>,
}

impl<'a, T> Sending<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, value: T) -> Self {
        Self { shared, value: Some(value), ticket: None }
    }
}

// It pins nothing.
impl<T> Unpin for Sending<'_, T> {}

impl<T> Future for Sending<'_, T> {
    type Output = Result<Verdict, OfferError<T>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { shared, value, ticket } = self.get_mut();
        assert!(value.is_some(), "`Sending` polled after completion");
        let budget = ready!(coop::poll_proceed(cx));
        let done = ready!(shared.poll_offer(value, ticket, cx.waker()));
        budget.made_progress();
        Poll::Ready(done)
    }
}

impl<T> Drop for Sending<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let waker = self.shared.with(|state, after| state.leave_line(ticket, after));
            drop(waker);
        }
    }
}

impl<T> fmt::Debug for Sending<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sending").field("is_parked", &self.ticket.is_some()).finish_non_exhaustive()
    }
}

/// Waits until the channel is closed; off the list when dropped.
pub(super) struct Closing<'a, T> {
    shared: &'a Shared<T>,
    key: Option<usize>,
}

impl<'a, T> Closing<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>) -> Self {
        Self { shared, key: None }
    }
}

impl<T> Future for Closing<'_, T> {
    type Output = Closed;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Closed> {
        let Self { shared, key } = self.get_mut();
        let budget = ready!(coop::poll_proceed(cx));
        // Cloned before the lock and dropped after it: a waker is user code.
        let waker = cx.waker().clone();
        let (closed, spare) = shared.with(|state, _| match state.closed() {
            Some(closed) => (Some(closed), Some(waker)),
            None => (None, state.on_close.put(key, waker)),
        });
        drop(spare);
        let Some(closed) = closed else { return Poll::Pending };
        budget.made_progress();
        Poll::Ready(closed)
    }
}

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.shared.with(|state, _| state.on_close.remove(key));
            drop(waker);
        }
    }
}
