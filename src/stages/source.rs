//! Sources that are no channel.

use super::{Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk, Failure};
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A stage that brings what a stream does, and carries nothing: pulled, it asks for one value at a time.
///
/// The stream ends cleanly when it says so. It has to be `Unpin`: put it in `Box::pin` or `pin!` if it is not.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), credit_channel::stages::StageError> {
/// use credit_channel::stages::{Stage, from_stream};
///
/// let mut squares = from_stream(futures_util::stream::iter(1..=3)).map(|n| n * n);
/// assert_eq!(*squares.recv().await?.unwrap(), 1);
/// assert_eq!(*squares.recv().await?.unwrap(), 4);
/// # Ok(())
/// # }
/// ```
pub fn from_stream<S: Stream + Unpin>(stream: S) -> FromStream<S, S::Item> {
    FromStream::new(stream, Ok)
}

/// As [`from_stream`], of a stream whose items may be errors: the first of them is the stage's,
/// [`StageError::Source`].
pub fn from_try_stream<S, T, E>(stream: S) -> FromStream<S, T>
where
    S: Stream<Item = Result<T, E>> + Unpin,
    E: Into<Failure>,
{
    FromStream::new(stream, |item: Result<T, E>| item.map_err(Into::into))
}

/// The stage of [`from_stream`] and [`from_try_stream`].
#[must_use = "stages do nothing unless polled"]
pub struct FromStream<S: Stream, T> {
    /// None once it is over: it is not polled again.
    stream: Option<S>,
    take: fn(S::Item) -> Result<T, Failure>,
    count: u64,
    over: Result<(), StageError>,
}

impl<S: Stream, T> FromStream<S, T> {
    fn new(stream: S, take: fn(S::Item) -> Result<T, Failure>) -> Self {
        Self { stream: Some(stream), take, count: 0, over: Ok(()) }
    }

    fn end(&mut self, over: Result<(), StageError>) {
        if self.stream.take().is_some() {
            self.over = over;
        }
    }
}

impl<S: Stream + Unpin, T> Stage for FromStream<S, T> {
    type Value = T;
    type Guard = ();

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<T, ()>> {
        if let Some(stream) = &mut self.stream {
            let budget = ready!(coop::poll_proceed(cx));
            let item = ready!(Pin::new(stream).poll_next(cx));
            budget.made_progress();
            match item.map(self.take) {
                Some(Ok(value)) => {
                    let seq = self.count;
                    self.count += 1;
                    return Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, ()))));
                }
                Some(Err(failure)) => self.end(Err(StageError::Source(failure))),
                None => self.end(Ok(())),
            }
        }
        Poll::Ready(self.over.clone().map(|()| None))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.end(Err(StageError::cancelled(reason)));
    }
}

impl<S: Stream, T> fmt::Debug for FromStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromStream").field("count", &self.count).finish_non_exhaustive()
    }
}
