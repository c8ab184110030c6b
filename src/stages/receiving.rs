//! Receiving from a stage, and the consumer as the first of them.

use super::{Received, Stage};
use crate::{CancelReason, CreditConsumer, CreditGuard};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future of [`Stage::recv`].
#[must_use = "futures do nothing unless awaited"]
#[derive(Debug)]
pub struct Receiving<'a, S> {
    stage: &'a mut S,
}

impl<'a, S> Receiving<'a, S> {
    pub(super) fn new(stage: &'a mut S) -> Self {
        Self { stage }
    }
}

impl<S: Stage> Future for Receiving<'_, S> {
    type Output = Received<S::Value, S::Guard>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().stage.poll_next(cx)
    }
}

impl<T> Stage for CreditConsumer<T> {
    type Value = T;
    type Guard = CreditGuard;

    #[inline(always)]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<T, CreditGuard>> {
        self.poll_recv_as(cx)
    }

    fn cancel(&mut self, reason: CancelReason) {
        Self::cancel(self, reason);
        // A stage may not ask again, and the credit of what is in hand is to go back all the same.
        self.discard_in_hand();
    }
}

impl<S: Stage + ?Sized> Stage for &mut S {
    type Value = S::Value;
    type Guard = S::Guard;

    #[inline(always)]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        (**self).poll_next(cx)
    }

    fn cancel(&mut self, reason: CancelReason) {
        (**self).cancel(reason);
    }
}
