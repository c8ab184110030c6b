//! Credit that goes back before the work is done.
//!
//! It goes when the next value is asked for, and not when one comes out: what was asked for ahead of the room to pass it
//! on (as [`forward`](Stage::forward) does) would else count nowhere in between.

use super::{Received, Stage};
use crate::CancelReason;
use std::fmt;
use std::task::{Context, Poll};

/// The stage of [`Stage::detach`].
#[must_use = "stages do nothing unless polled"]
pub struct Detach<S: Stage> {
    upstream: S,
    /// What the value that came out last carried.
    last: Option<S::Guard>,
}

impl<S: Stage> Detach<S> {
    pub(super) fn new(upstream: S) -> Self {
        Self { upstream, last: None }
    }
}

impl<S: Stage> Stage for Detach<S> {
    type Value = S::Value;
    type Guard = ();

    #[inline]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, ()>> {
        self.last = None;
        let Self { upstream, last } = self;
        upstream.poll_next(cx).map_ok(|received| {
            received.map(|chunk| {
                chunk.map_guard(|guard| {
                    *last = Some(guard);
                })
            })
        })
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.last = None;
        self.upstream.cancel(reason);
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for Detach<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detach").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}
