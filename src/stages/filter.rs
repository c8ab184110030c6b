//! None or one for one.

use super::unwinding::telling;
use super::{Received, Stage};
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::filter`].
#[must_use = "stages do nothing unless polled"]
pub struct Filter<S, F> {
    upstream: S,
    keep: F,
}

impl<S, F> Filter<S, F> {
    pub(super) fn new(upstream: S, keep: F) -> Self {
        Self { upstream, keep }
    }
}

impl<S, F> Stage for Filter<S, F>
where
    S: Stage,
    F: FnMut(&S::Value) -> bool,
{
    type Value = S::Value;
    type Guard = S::Guard;

    #[inline(always)]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        let Self { upstream, keep } = self;
        // Whoever feeds this uses up the task's budget, so the loop ends though nothing passes.
        loop {
            match upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => {
                    if telling(upstream, || keep(&chunk)) {
                        return Poll::Ready(Ok(Some(chunk)));
                    }
                }
                Poll::Ready(Ok(None)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason);
    }
}

impl<S: fmt::Debug, F> fmt::Debug for Filter<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

/// The stage of [`Stage::filter_map`].
#[must_use = "stages do nothing unless polled"]
pub struct FilterMap<S, F> {
    upstream: S,
    f: F,
}

impl<S, F> FilterMap<S, F> {
    pub(super) fn new(upstream: S, f: F) -> Self {
        Self { upstream, f }
    }
}

impl<S, F, U> Stage for FilterMap<S, F>
where
    S: Stage,
    F: FnMut(S::Value) -> Option<U>,
{
    type Value = U;
    type Guard = S::Guard;

    #[inline(always)]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<U, S::Guard>> {
        let Self { upstream, f } = self;
        while let Some(chunk) = ready!(upstream.poll_next(cx))? {
            let chunk = telling(upstream, || chunk.map(&mut *f));
            let seq = chunk.seq();
            let (value, guard) = chunk.into_parts();
            if let Some(value) = value {
                return Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, guard))));
            }
        }
        Poll::Ready(Ok(None))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason);
    }
}

impl<S: fmt::Debug, F> fmt::Debug for FilterMap<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterMap").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}
