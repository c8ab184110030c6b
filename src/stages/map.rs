//! One value for one.

use super::unwinding::telling;
use super::{Received, Stage};
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll};

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

    #[inline(always)]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<U, S::Guard>> {
        let Self { upstream, f } = self;
        match upstream.poll_next(cx) {
            Poll::Ready(Ok(Some(chunk))) => {
                let seq = chunk.seq();
                let (value, guard) = chunk.into_parts();
                let value = telling(upstream, || f(value));
                Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, guard))))
            }
            Poll::Ready(Ok(None)) => Poll::Ready(Ok(None)),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
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
