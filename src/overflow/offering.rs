//! The producer side.

use super::sending::Closing;
use super::shared::Shared;
use super::{ErrorOrder, OfferError, OverflowStats, Sending, Verdict};
use crate::{Closed, Failure};
use std::fmt;
use std::sync::Arc;

/// Offers values to a buffer that does with them what its policy says: the producer side of
/// [`overflow::channel`](super::channel).
///
/// Clone it freely: all methods take `&self`, and it is `Send` and `Sync`. When every clone has called
/// [`end`](Self::end) the consumer gets what is buffered and then the clean end. If one is dropped without that, it is
/// told instead that the channel was abandoned, once the last is gone.
pub struct Offering<T> {
    shared: Arc<Shared<T>>,
    has_ended: bool,
}

impl<T> Offering<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, has_ended: false }
    }

    /// Offers a value, and says at once what has become of it.
    ///
    /// It never waits. Under [`Policy::wait`](super::Policy::wait) it is refused while others wait for room. What is
    /// dropped for it has gone to the hook when this returns, on this thread.
    ///
    /// # Errors
    ///
    /// [`OfferError`] with the value: there is no room and the policy drops nothing for it, or the channel is closed.
    ///
    /// # Panics
    ///
    /// If the hook, the fold, or the `Drop` of a value that had to go does. The channel stays usable.
    ///
    /// # Examples
    ///
    /// ```
    /// use credit_channel::Window;
    /// use credit_channel::overflow::{self, DropReason, Policy, Verdict};
    ///
    /// let (tx, _rx) = overflow::channel(Policy::drop_oldest(2), Window::messages(1))?;
    /// assert_eq!(tx.offer("a")?, Verdict::Accepted);
    /// assert_eq!(tx.offer("b")?, Verdict::Accepted);
    /// assert_eq!(tx.offer("c")?, Verdict::Displaced { dropped: 1, reason: DropReason::Oldest });
    /// assert_eq!(tx.stats().dropped.oldest, 1);
    ///
    /// let (tx, _rx) = overflow::channel(Policy::reject(1), Window::messages(1))?;
    /// assert_eq!(tx.offer("a")?, Verdict::Accepted);
    /// assert_eq!(tx.offer("b").unwrap_err().into_inner(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn offer(&self, value: T) -> Result<Verdict, OfferError<T>> {
        self.shared.offer(value)
    }

    /// Offers a value, and waits for room if the policy is [`Policy::wait`](super::Policy::wait). Under every other it
    /// is [`offer`](Self::offer).
    ///
    /// Those who wait are let in first come, first served. One who was let in and is not polled keeps one place in the
    /// buffer, and no more.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready the value goes with it and was not offered; its place in line goes
    /// to the next.
    ///
    /// # Errors
    ///
    /// [`OfferError`] with the value, also to those who wait when the channel is closed; [`OfferError::Full`] at once
    /// if as many wait as may.
    ///
    /// # Panics
    ///
    /// As [`offer`](Self::offer); and if it is polled once more when it is ready.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::Window;
    /// use credit_channel::overflow::{self, Policy};
    /// use credit_channel::stages::Stage;
    ///
    /// let (tx, mut rx) = overflow::channel(Policy::wait(1, 16), Window::messages(1))?;
    /// let source = tokio::spawn(async move {
    ///     for n in 0..10_u64 {
    ///         tx.send(n).await.expect("open, and one at most waits");
    ///     }
    ///     tx.end();
    /// });
    /// let mut sum = 0;
    /// while let Some(n) = rx.recv().await? {
    ///     sum += *n;
    /// }
    /// assert_eq!(sum, 45);
    /// source.await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send(&self, value: T) -> Sending<'_, T> {
        Sending::new(&self.shared, value)
    }

    /// Ends this handle. When all have ended, the consumer gets what is buffered and then the clean end.
    pub fn end(mut self) {
        self.has_ended = true;
    }

    /// Ends the channel with an error: the consumer gets what is buffered and then this. Offers on other clones, and
    /// those who wait, get it with their values. The first end counts.
    pub fn fail(self, failure: impl Into<Failure>) {
        self.fail_in(failure.into(), ErrorOrder::InOrder);
    }

    /// As [`fail`](Self::fail), but what is buffered is dropped, as [`DropReason::Failed`](super::DropReason::Failed).
    ///
    /// # Panics
    ///
    /// If the hook, or the `Drop` of a value, does: once all of them are reported.
    pub fn fail_now(self, failure: impl Into<Failure>) {
        self.fail_in(failure.into(), ErrorOrder::AtOnce);
    }

    fn fail_in(&self, failure: Failure, order: ErrorOrder) {
        self.shared.with(|state, after| state.fail(failure, order, after));
    }

    /// Waits until the channel takes no more, because the consumer is gone or a clone has failed it.
    ///
    /// # Cancel safety
    ///
    /// It holds nothing.
    pub fn closed(&self) -> impl Future<Output = Closed> + '_ {
        Closing::new(&self.shared)
    }

    /// Whether the channel takes no more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.with(|state, _| state.closed().is_some())
    }

    /// The numbers as of now.
    #[must_use]
    pub fn stats(&self) -> OverflowStats {
        self.shared.with(|state, _| state.stats())
    }
}

impl<T> Clone for Offering<T> {
    fn clone(&self) -> Self {
        self.shared.with(|state, _| state.add_producer());
        Self::new(Arc::clone(&self.shared))
    }
}

impl<T> Drop for Offering<T> {
    fn drop(&mut self) {
        self.shared.with(|state, after| state.remove_producer(self.has_ended, after));
    }
}

impl<T> fmt::Debug for Offering<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offering").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
