//! Values asked for ahead.

use super::{ErrorOrder, Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk};
use std::collections::VecDeque;
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::buffer`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Stage, from_stream};
///
/// let mut asked = 0;
/// let source = from_stream(futures_util::stream::iter(0..100)).map(|n| (asked += 1, n).1);
/// let mut ahead = source.buffer(8);
/// assert_eq!(*ahead.recv().await?.unwrap(), 0);
/// drop(ahead);
/// assert_eq!(asked, 1 + 8);
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct Buffer<S: Stage> {
    upstream: S,
    ahead: u64,
    held: VecDeque<Chunk<S::Value, S::Guard>>,
    /// How it ends, once that is known; said when nothing is held.
    over: Option<Result<(), StageError>>,
    error_order: ErrorOrder,
}

impl<S: Stage> Buffer<S> {
    pub(super) fn new(upstream: S, ahead: u64) -> Self {
        Self { upstream, ahead, held: VecDeque::new(), over: None, error_order: ErrorOrder::InOrder }
    }

    /// Whether an error of what is before it waits for what it holds. By default it does.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    /// How many values it holds.
    #[must_use]
    pub fn held(&self) -> u64 {
        u64::try_from(self.held.len()).unwrap_or(u64::MAX)
    }

    /// Asks for as many as it may hold, and for the one that it is asked for itself.
    fn fill(&mut self, cx: &mut Context<'_>) {
        while self.over.is_none() && self.held() <= self.ahead {
            match self.upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => self.held.push_back(chunk),
                Poll::Ready(over) => {
                    if over.is_err() && self.error_order == ErrorOrder::AtOnce {
                        self.held.clear();
                    }
                    self.over = Some(over.map(drop));
                }
                Poll::Pending => return,
            }
        }
    }
}

impl<S: Stage> Stage for Buffer<S> {
    type Value = S::Value;
    type Guard = S::Guard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        // Of its own: what is held comes out without a look at what is before it, once that is over.
        let budget = ready!(coop::poll_proceed(cx));
        self.fill(cx);
        let received = match (self.held.pop_front(), &self.over) {
            (Some(chunk), _) => Ok(Some(chunk)),
            (None, Some(over)) => over.clone().map(|()| None),
            (None, None) => return Poll::Pending,
        };
        budget.made_progress();
        Poll::Ready(received)
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason.clone());
        if !self.held.is_empty() {
            // What is before it has perhaps ended; this has not, and will not bring the rest.
            self.over = self.over.take().map(|_| Err(StageError::cancelled(reason)));
            self.held.clear();
        }
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for Buffer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { upstream, ahead, held, over, .. } = self;
        let mut buffer = f.debug_struct("Buffer");
        buffer.field("upstream", upstream).field("ahead", ahead).field("held", &held.len()).field("over", over);
        buffer.finish_non_exhaustive()
    }
}
