//! One value for one.

use super::unwinding::telling;
use super::{Received, Stage};
use crate::CancelReason;
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::map`].
#[must_use = "stages do nothing unless polled"]
pub struct Map<S, F> {
    upstream: S,
    f: F,
}

impl<S, F> Map<S, F> {
    pub(super) fn new(upstream: S, f: F) -> Self {
        Self { upstream, f }
    }
}

impl<S, F, U> Stage for Map<S, F>
where
    S: Stage,
    F: FnMut(S::Value) -> U,
{
    type Value = U;
    type Guard = S::Guard;

    #[inline]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<U, S::Guard>> {
        let Self { upstream, f } = self;
        let received = ready!(upstream.poll_next(cx))?;
        Poll::Ready(Ok(received.map(|chunk| telling(upstream, || chunk.map(f)))))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason);
    }
}

impl<S: fmt::Debug, F> fmt::Debug for Map<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}
