//! Credit that goes back before the work is done.

use super::{Received, Stage};
use crate::CancelReason;
use std::task::{Context, Poll};

/// The stage of [`Stage::detach`].
#[must_use = "stages do nothing unless polled"]
#[derive(Debug)]
pub struct Detach<S> {
    upstream: S,
}

impl<S> Detach<S> {
    pub(super) fn new(upstream: S) -> Self {
        Self { upstream }
    }
}

impl<S: Stage> Stage for Detach<S> {
    type Value = S::Value;
    type Guard = ();

    #[inline]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, ()>> {
        self.upstream.poll_next(cx).map_ok(|received| received.map(|chunk| chunk.map_guard(drop)))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason);
    }
}
