//! A window of its own.

use super::{Received, Stage};
use crate::channel::{Basin, Meter};
use crate::{CancelReason, Chunk, CreditGuard, Window, WindowError};
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::windowed`].
#[must_use = "stages do nothing unless polled"]
pub struct Windowed<S: Stage> {
    upstream: S,
    /// Came, and waits for room. Asked for before there is any, since the end needs none: a consumer may hold all that
    /// came, and wait for just that.
    next: Option<Chunk<S::Value, S::Guard>>,
    basin: Basin<Chunk<S::Value, S::Guard>>,
}

impl<S> Windowed<S>
where
    S: Stage,
    S::Value: Send + 'static,
    S::Guard: Send + 'static,
{
    pub(super) fn new(upstream: S, capacity: u64) -> Result<Self, WindowError> {
        Ok(Self { upstream, next: None, basin: Basin::new(Window::messages(capacity).check()?) })
    }
}

impl<S: Stage> Windowed<S> {
    /// Reads its numbers: `depth` is what is out, `reserved` what it waits for, `park_time` how long it has waited for
    /// work to be done.
    #[must_use]
    pub fn meter(&self) -> Meter {
        self.basin.meter()
    }
}

impl<S: Stage> Stage for Windowed<S> {
    type Value = S::Value;
    /// Its own credit, and what came from before.
    type Guard = (CreditGuard, S::Guard);

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, Self::Guard>> {
        if self.next.is_none() {
            self.next = ready!(self.upstream.poll_next(cx))?;
        }
        if self.next.is_some() {
            ready!(self.basin.poll_reserve(1, cx));
        }
        let Some(chunk) = self.next.take() else { return Poll::Ready(Ok(None)) };
        self.basin.put(chunk);
        Poll::Ready(Ok(self.basin.take().map(|chunk| {
            let (inner, own) = chunk.into_parts();
            inner.map_guard(|guard| (own, guard))
        })))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.next = None;
        self.basin.owe_nothing();
        self.upstream.cancel(reason);
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for Windowed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Windowed").field("upstream", &self.upstream).field("basin", &self.basin).finish()
    }
}
