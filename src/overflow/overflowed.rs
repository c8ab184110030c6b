//! The consumer side.

use super::OverflowStats;
use super::buffer::Taken;
use super::shared::Shared;
use super::state::Found;
use crate::channel::{Basin, Meter};
use crate::stages::{Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk, CreditGuard};
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// What comes out of an overflow channel: a [`Stage`], the consumer side of [`overflow::channel`](super::channel).
///
/// It takes a value out of the buffer when it is asked for one and its window has room for it, and no earlier: what is
/// dropped costs no credit, and what it brings is the freshest that the policy has to give.
///
/// Every offer that was not given back has a number, from 0, and a chunk has its own ([`Chunk::seq`]); that of values
/// folded together is that of the last. A gap in the numbers shows what was dropped or folded;
/// [`dropped_before`](Self::dropped_before) counts what was dropped.
///
/// Dropped, it cancels: values in the buffer go to the hook as [`DropReason::Cancelled`](super::DropReason::Cancelled).
#[must_use = "stages do nothing unless polled"]
pub struct Overflowed<T> {
    shared: Arc<Shared<T>>,
    basin: Basin<T>,
    /// Taken out, and on its way through the window.
    hand: Option<Taken<T>>,
    dropped_before: u64,
    over: Option<Result<(), StageError>>,
}

impl<T> Overflowed<T> {
    pub(super) fn new(shared: Arc<Shared<T>>, basin: Basin<T>) -> Self {
        Self { shared, basin, hand: None, dropped_before: 0, over: None }
    }

    /// How many offers were dropped between the chunk that came out last and the one before it. Once the end or an
    /// error has come out, how many were dropped after the last chunk.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::Window;
    /// use credit_channel::overflow::{self, Policy};
    /// use credit_channel::stages::Stage;
    ///
    /// let (tx, mut rx) = overflow::channel(Policy::latest(), Window::messages(1))?;
    /// for n in 0..10 {
    ///     assert!(tx.offer(n)?.is_accepted());
    /// }
    /// let last = rx.recv().await?.unwrap();
    /// assert_eq!((*last, last.seq(), rx.dropped_before()), (9, 9, 9));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn dropped_before(&self) -> u64 {
        self.dropped_before
    }

    /// The numbers of the buffer as of now.
    #[must_use]
    pub fn stats(&self) -> OverflowStats {
        self.shared.with(|state, _| state.stats())
    }

    /// Reads the numbers of its window: `depth` is what is being worked on, and what is in the buffer is not in it.
    #[must_use]
    pub fn meter(&self) -> Meter {
        self.basin.meter()
    }

    /// Puts what is in its hand into the window, where there is room for it, and takes it out with its credit.
    fn hand_out(&mut self) -> Option<Chunk<T>> {
        let Taken { value, seq, dropped_before } = self.hand.take()?;
        self.dropped_before = dropped_before;
        self.basin.put(value);
        let (value, guard) = self.basin.take()?.into_parts();
        Some(Chunk::from_parts(value, seq, guard))
    }

    fn end(&mut self, over: Result<(), StageError>) {
        self.basin.owe_nothing();
        self.over = Some(over);
    }

    fn stop(&mut self, reason: CancelReason) {
        let hand = self.hand.take();
        self.shared.cancel(reason, hand);
    }
}

impl<T> Stage for Overflowed<T> {
    type Value = T;
    type Guard = CreditGuard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<T, CreditGuard>> {
        if let Some(over) = &self.over {
            return Poll::Ready(over.clone().map(|()| None));
        }
        let budget = ready!(coop::poll_proceed(cx));
        let has_credit = self.basin.owed() > 0 || self.basin.poll_reserve(1, cx).is_ready();
        let found = match self.hand {
            // A waker or the hook panicked after it was taken out.
            Some(_) if has_credit => Found::Value,
            Some(_) => return Poll::Pending,
            None => self.shared.take(has_credit, &mut self.hand, cx.waker()),
        };
        let received = match found {
            Found::Value => Ok(self.hand_out()),
            Found::Over { outcome, dropped_before } => {
                self.dropped_before = dropped_before;
                let over = outcome.map_err(StageError::Upstream);
                self.end(over.clone());
                over.map(|()| None)
            }
            Found::Nothing => {
                if has_credit {
                    self.basin.owe_nothing();
                }
                return Poll::Pending;
            }
        };
        budget.made_progress();
        Poll::Ready(received)
    }

    fn cancel(&mut self, reason: CancelReason) {
        if self.over.is_none() {
            self.end(Err(StageError::cancelled(reason.clone())));
            self.stop(reason);
        }
    }
}

impl<T> Drop for Overflowed<T> {
    fn drop(&mut self) {
        if self.over.is_none() {
            self.stop(CancelReason::Dropped);
        }
    }
}

impl<T> fmt::Debug for Overflowed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overflowed").field("stats", &self.stats()).field("over", &self.over).finish_non_exhaustive()
    }
}
