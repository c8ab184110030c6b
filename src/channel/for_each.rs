//! The consumer as a loop around a handler.

use super::canceller::Canceller;
use super::chunk::Chunk;
use super::consumer::CreditConsumer;
use super::unwinding::on_unwind;
use crate::{CancelReason, ForEachError};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::fmt::Display;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

impl<T> CreditConsumer<T> {
    /// Handles every chunk, one after the other, and returns how many there were.
    ///
    /// The handler owns the chunk: its credit goes back when the handler drops it, at the latest when it
    /// returns.
    ///
    /// With futures' `StreamExt` in scope, `rx.for_each` means that trait's method, which takes the consumer;
    /// `(&mut rx).for_each` always means this one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the handler's, and with it the chunk in its hand. The consumer stays
    /// usable.
    ///
    /// # Errors
    ///
    /// [`ForEachError::Handler`] with the handler's first error, which cancels the channel:
    /// the producer is told its text. [`ForEachError::Recv`] if the chunks stopped without a clean end.
    ///
    /// # Panics
    ///
    /// If the handler does; the producer is told [`CancelReason::HandlerPanic`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::{CancelReason, Closed, ForEachError, Window, channel};
    ///
    /// let (tx, mut rx) = channel(Window::messages(4))?;
    /// for row in [3, 1, 0, 2] {
    ///     tx.send(row).await?;
    /// }
    /// let result = rx.for_each(|row| async move { 6_u32.checked_div(*row).map(drop).ok_or("division by zero") }).await;
    /// assert_eq!(result, Err(ForEachError::Handler("division by zero")));
    /// assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError("division by zero".into())));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_each<F, Fut, E>(&mut self, mut handle: F) -> Result<u64, ForEachError<E>>
    where
        F: FnMut(Chunk<T>) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Display,
    {
        let alarm = Alarm(self.canceller());
        let mut handled = 0;
        while let Some(chunk) = self.recv().await? {
            let mut work = pin!(alarm.around(|| handle(chunk)));
            let done = poll_fn(|cx| alarm.around(|| work.as_mut().poll(cx))).await;
            done.map_err(|error| alarm.handler_failed(error))?;
            handled += 1;
        }
        Ok(handled)
    }

    /// Handles chunks, up to `concurrency` of them at once, and returns how many there were.
    ///
    /// Nothing is spawned: the handlers run inside this future, interleaved and not in parallel. For work
    /// that keeps a core busy, spawn from the handler. No more than the window is ever in hand, whatever the
    /// concurrency.
    ///
    /// # Cancel safety
    ///
    /// As [`for_each`](Self::for_each).
    ///
    /// # Errors
    ///
    /// As [`for_each`](Self::for_each): the first error cancels the channel, and the other handlers' futures
    /// are dropped where they are. [`ForEachError::NoConcurrency`] for a concurrency of 0.
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
    pub async fn for_each_concurrent<F, Fut, E>(
        &mut self,
        concurrency: usize,
        mut handle: F,
    ) -> Result<u64, ForEachError<E>>
    where
        F: FnMut(Chunk<T>) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Display,
    {
        if concurrency == 0 {
            return Err(ForEachError::NoConcurrency);
        }
        let alarm = Alarm(self.canceller());
        let mut running = FuturesUnordered::new();
        let mut end = None;
        let mut handled = 0;
        // One turn: finish what is ready, else take what is there, else wait for either.
        poll_fn(|cx| {
            loop {
                while let Poll::Ready(Some(done)) = alarm.around(|| running.poll_next_unpin(cx)) {
                    if let Err(error) = done {
                        return Poll::Ready(Err(alarm.handler_failed(error)));
                    }
                    handled += 1;
                }
                match &end {
                    None if running.len() < concurrency => match self.poll_recv(cx) {
                        Poll::Ready(Ok(Some(chunk))) => running.push(alarm.around(|| handle(chunk))),
                        Poll::Ready(ended) => end = Some(ended.map(drop)),
                        Poll::Pending => return Poll::Pending,
                    },
                    Some(ended) if running.is_empty() => {
                        return Poll::Ready(ended.clone().map(|()| handled).map_err(ForEachError::Recv));
                    }
                    _ => return Poll::Pending,
                }
            }
        })
        .await
    }
}

/// Tells the producer why the handler stopped.
struct Alarm(Canceller);

impl Alarm {
    fn handler_failed<E: Display>(&self, error: E) -> ForEachError<E> {
        self.0.cancel(CancelReason::HandlerError(error.to_string().into()));
        ForEachError::Handler(error)
    }

    /// Runs the handler, or a poll of it, and tells the producer if that panics.
    fn around<R>(&self, handler: impl FnOnce() -> R) -> R {
        on_unwind(
            || {
                self.0.cancel(CancelReason::HandlerPanic);
            },
            handler,
        )
    }
}
