//! The sending end.

use super::sending::Sending;
use super::shared::Shared;
use super::watch::{On, Watch};
use crate::ledger::Ledger;
use crate::sync::shim::block_on;
use crate::{CancelReason, Closed, Credit, Failure, SendError, SendTimeoutError, Stats, TrySendError, Window};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The sending end of a channel: sends while there is credit, and waits for it otherwise.
///
/// All methods take `&self`; clone it for more producers. Senders that wait are served in the order in
/// which they came, and nobody overtakes them, neither `try_send` nor a small value a big one.
///
/// **Ending.** Say [`end`](Self::end) when all is sent: only then does the consumer see a clean end. The
/// channel ends when the last clone is gone; if any went without `end` (a panic, an abort, an early
/// return), the consumer is told [`Abandoned`](crate::RecvError::Abandoned) after the last chunk.
/// [`fail`](Self::fail) ends it at once with a reason.
///
/// **Being told.** When the consumer cancels or is dropped, every parked call returns with its value, and
/// so does every later one; [`closed`](Self::closed) and [`cancelled`](Self::cancelled) tell those who are
/// not sending.
pub struct CreditProducer<T> {
    shared: Arc<Shared<T>>,
    ended: bool,
}

impl<T> CreditProducer<T> {
    /// Takes over a handle that `shared` counts already.
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, ended: false }
    }

    pub(super) fn shared(&self) -> &Arc<Shared<T>> {
        &self.shared
    }

    // ----- sending -----

    /// Sends a value, waiting for credit if there is none.
    ///
    /// Its cost counts as in flight from now until the consumer's work on it is done. `Ok` means that it
    /// was queued for the consumer, not that it was received.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the value was not sent and is dropped with it, and the
    /// place in line is lost. To keep the value, use [`reserve`](Self::reserve), which never takes it, or
    /// [`send_timeout`](Self::send_timeout), which gives it back.
    ///
    /// A sender that was served and is never polled again holds what it asked for until it is dropped.
    ///
    /// # Errors
    ///
    /// [`SendError::Closed`] if the channel is closed, also while this waits; [`SendError::TooLarge`], at
    /// once, if the value costs more than the window. Both give the value back.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{CancelReason, Closed, Window, channel};
    ///
    /// let (tx, rx) = channel(Window::messages(1))?;
    /// tx.send("first").await?;
    /// let parked = tx.send("second"); // waits: the window is used up
    /// rx.cancel(CancelReason::Shutdown);
    /// let error = parked.await.unwrap_err();
    /// assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Shutdown)));
    /// assert_eq!(error.into_inner(), "second");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    #[inline]
    pub fn send(&self, value: T) -> Sending<'_, T> {
        Sending::new(&self.shared, value)
    }

    /// Sends a value if there is credit for it now and nobody waits in line.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] if it would have to wait; [`TrySendError::Refused`] if the channel is closed
    /// or the value costs more than the window. All give the value back.
    #[inline]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let cost = self.shared.cost_of(&value);
        self.shared.try_send_at(value, cost)
    }

    /// Sends a value, waiting for credit no longer than `timeout`.
    ///
    /// # Cancel safety
    ///
    /// As [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// [`SendTimeoutError::Timeout`] when the time is up, else as [`send`](Self::send). All give the value
    /// back.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with its time driver enabled, as tokio's timers do.
    pub async fn send_timeout(&self, value: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        let mut sending = self.send(value);
        match tokio::time::timeout(timeout, &mut sending).await {
            Ok(sent) => Ok(sent?),
            Err(_elapsed) => match sending.into_value() {
                Some(value) => Err(SendTimeoutError::Timeout(value)),
                None => Ok(()),
            },
        }
    }

    /// Sends a value from outside async code, blocking this thread while it waits for credit.
    ///
    /// For plain threads and `spawn_blocking`. On a thread that runs tasks it would stop them all, perhaps
    /// the consumer among them: use [`send`](Self::send) there.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        let cost = self.shared.cost_of(&value);
        match self.shared.try_send_at(value, cost) {
            Err(TrySendError::Full(value)) => block_on(Sending::at(&self.shared, value, cost)),
            Err(TrySendError::Refused(error)) => Err(error),
            Ok(()) => Ok(()),
        }
    }

    // ----- ending -----

    /// Ends this handle cleanly. When every clone has done so the consumer gets what was sent and then
    /// `Ok(None)`.
    ///
    /// Needs no credit and never waits. On a channel that is closed already it changes nothing.
    pub fn end(mut self) {
        self.ended = true;
    }

    /// Ends this handle, and waits until all the work is done: every clone has ended, every chunk was
    /// received, and the last guard was dropped.
    ///
    /// # Cancel safety
    ///
    /// The handle ends with the first poll; dropping the future afterwards only gives up the waiting.
    ///
    /// # Errors
    ///
    /// [`Closed`] if the channel did not end cleanly: the consumer cancelled or was dropped before it had
    /// received everything, or another clone failed or went without `end`.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{Window, channel};
    ///
    /// let (tx, mut rx) = channel(Window::messages(2))?;
    /// tx.send("row").await?;
    /// let worker = tokio::spawn(async move {
    ///     let mut done = 0;
    ///     while let Some(row) = rx.recv().await.unwrap() {
    ///         done += row.len();
    ///     }
    ///     done
    /// });
    /// tx.end_and_wait().await?; // "row" has been worked off
    /// assert_eq!(worker.await?, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn end_and_wait(self) -> Result<(), Closed> {
        let shared = Arc::clone(&self.shared);
        self.end();
        // Two waits: until the last clone has ended the channel may be idle time and again, and who watched
        // for that would be woken by it without end.
        let ended = Watch::new(&*shared, On::Close);
        ended.until(|state| (state.life.has_ended() || state.life.is_cancelled()).then_some(())).await;
        shared.until_idle().await
    }

    /// Ends the channel with an error: the consumer gets what was sent and then
    /// [`RecvError::Failed`](crate::RecvError::Failed).
    ///
    /// Clones cannot send any more; those that wait get their values back. On a channel that is closed
    /// already it changes nothing.
    pub fn fail(self, failure: impl Into<Failure>) {
        self.shared.fail(failure.into(), false);
    }

    /// Ends the channel with an error at once: what was sent and not received is dropped.
    pub fn fail_now(self, failure: impl Into<Failure>) {
        self.shared.fail(failure.into(), true);
    }

    // ----- being told -----

    /// Waits until no more can be sent, and says why.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the waiting and nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{CancelReason, Closed, Window, channel};
    ///
    /// let (tx, rx) = channel::<u8>(Window::messages(1))?;
    /// drop(rx);
    /// assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn closed(&self) -> Closed {
        Watch::new(&*self.shared, On::Close).until(|state| state.life.closed()).await
    }

    /// Waits until the consumer cancels, and says why: `None` if the channel was closed by another clone
    /// or lost its connection instead, so that nobody will.
    ///
    /// # Cancel safety
    ///
    /// As [`closed`](Self::closed).
    pub async fn cancelled(&self) -> Option<CancelReason> {
        match self.closed().await {
            Closed::Cancelled(reason) => Some(reason),
            Closed::Failed(_) | Closed::Abandoned | Closed::Disconnected(_) => None,
        }
    }

    /// Waits until nothing is in flight: what was sent so far has been worked off.
    ///
    /// # Cancel safety
    ///
    /// As [`closed`](Self::closed).
    ///
    /// # Errors
    ///
    /// [`Closed`] if the channel is closed before that.
    pub async fn finished(&self) -> Result<(), Closed> {
        self.shared.until_idle().await
    }

    /// Whether no more can be sent.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.with(|state, _| !state.life.is_open())
    }

    /// Whether the consumer stopped the channel.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.with(|state, _| matches!(state.life.closed(), Some(Closed::Cancelled(_))))
    }

    // ----- numbers and handles -----

    /// What could be sent now without waiting.
    #[must_use]
    pub fn credit(&self) -> Credit {
        self.shared.books(Ledger::credit)
    }

    /// Cost in flight: sent, and the work on it not finished.
    #[must_use]
    pub fn depth(&self) -> Credit {
        self.shared.books(Ledger::in_flight)
    }

    /// The window in force.
    #[must_use]
    pub fn window(&self) -> Window {
        self.shared.books(Ledger::window)
    }

    /// The channel's numbers.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }

    /// Whether both send to the same consumer.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T> Clone for CreditProducer<T> {
    /// Another producer of the same channel. It has to [`end`](Self::end) too.
    fn clone(&self) -> Self {
        self.shared.add_producer();
        Self::new(Arc::clone(&self.shared))
    }
}

impl<T> Drop for CreditProducer<T> {
    fn drop(&mut self) {
        self.shared.remove_producer(self.ended);
    }
}

impl<T> fmt::Debug for CreditProducer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreditProducer").finish_non_exhaustive()
    }
}
