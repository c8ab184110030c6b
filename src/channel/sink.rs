//! The producer as a sink.

use super::producer::CreditProducer;
use crate::ledger::Ticket;
use crate::{Credit, SinkError, TrySendError};
use futures_sink::Sink;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A [`Sink`] of values, from [`CreditProducer::into_sink`].
///
/// `poll_ready` waits until there is credit for a value of the least cost, and is a hint: it holds
/// nothing, so an idle sink starves nobody. If there is no credit for the value when it comes (another
/// producer was faster, or it costs more), `start_send` keeps that one value in the sink, where it is not
/// in flight yet, and `poll_flush` sends it.
///
/// `poll_close` flushes and ends the producer. A sink that is dropped drops its producer without `end`,
/// and with it a value that it still kept.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::{Window, channel};
/// use futures_util::{SinkExt, StreamExt, stream};
///
/// let (tx, rx) = channel(Window::messages(2))?;
/// tokio::spawn(async move {
///     let mut rows = stream::iter((0..10).map(Ok));
///     tx.into_sink().send_all(&mut rows).await
/// });
/// let seen: Vec<_> = rx.map(|chunk| chunk.map(|chunk| *chunk)).take(10).collect().await;
/// assert_eq!(seen, (0..10).map(Ok).collect::<Vec<_>>());
/// # Ok(())
/// # }
/// ```
pub struct CreditSink<T> {
    /// `None` once it is closed.
    producer: Option<CreditProducer<T>>,
    kept: Option<(T, Credit)>,
    /// A place in line: for what is kept, else for the hint.
    ticket: Option<Ticket>,
}

impl<T> CreditSink<T> {
    pub(super) fn new(producer: CreditProducer<T>) -> Self {
        Self { producer: Some(producer), kept: None, ticket: None }
    }

    /// The producer, while the sink is not closed.
    #[must_use]
    pub fn producer(&self) -> Option<&CreditProducer<T>> {
        self.producer.as_ref()
    }

    /// The producer back, and the value that was kept and not sent.
    #[must_use]
    pub fn into_inner(mut self) -> (Option<CreditProducer<T>>, Option<T>) {
        self.leave_line();
        (self.producer.take(), self.kept.take().map(|(value, _)| value))
    }

    fn leave_line(&mut self) {
        if let (Some(producer), Some(ticket)) = (&self.producer, self.ticket.take()) {
            producer.shared().leave_line(ticket);
        }
    }

    /// Sends what is kept.
    fn poll_kept(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError<T>>> {
        let (Some(producer), Some((_, cost))) = (&self.producer, &self.kept) else {
            return Poll::Ready(Ok(()));
        };
        let (cost, kept) = (*cost, &mut self.kept);
        let budget = ready!(producer.shared().poll_budget(cost, &mut self.ticket, cx));
        let polled = producer.shared().poll_claim(cost, &mut self.ticket, cx, |state, wakes| {
            state.send_reserved(&mut kept.take().map(|(value, _)| value), cost, wakes);
        });
        let claimed = ready!(polled);
        budget.made_progress();
        let value = |kept: Option<(T, Credit)>| kept.map(|(value, _)| value);
        Poll::Ready(match claimed {
            Ok(()) => Ok(()),
            Err(refusal) => Err(SinkError::Refused(match value(self.kept.take()) {
                Some(value) => producer.shared().refuse(*refusal, value, cost).map(Some),
                None => refusal.into_error(None, cost),
            })),
        })
    }

    /// Waits for the least credit, and lets go of it.
    fn poll_hint(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SinkError<T>>> {
        let Some(producer) = &self.producer else { return Poll::Ready(Err(SinkError::Ended(None))) };
        let shared = producer.shared();
        let least = shared.cost_of_bytes(0);
        let budget = ready!(shared.poll_budget(least, &mut self.ticket, cx));
        let polled = shared.poll_claim(least, &mut self.ticket, cx, |state, wakes| {
            state.ledger.refund(least);
            state.settle(wakes);
        });
        let claimed = ready!(polled);
        budget.made_progress();
        Poll::Ready(claimed.map_err(|refusal| SinkError::Refused(refusal.into_error(None, least))))
    }
}

impl<T> CreditProducer<T> {
    /// A [`Sink`] of this producer. Closing the sink ends the handle.
    #[must_use]
    pub fn into_sink(self) -> CreditSink<T> {
        CreditSink::new(self)
    }
}

impl<T> Sink<T> for CreditSink<T> {
    type Error = SinkError<T>;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SinkError<T>>> {
        ready!(self.poll_kept(cx))?;
        self.poll_hint(cx)
    }

    fn start_send(mut self: Pin<&mut Self>, value: T) -> Result<(), SinkError<T>> {
        if self.kept.is_some() {
            return Err(SinkError::NotReady(value));
        }
        // Only there if the caller did not wait to be ready.
        self.leave_line();
        let Some(producer) = &self.producer else { return Err(SinkError::Ended(Some(value))) };
        let shared = producer.shared();
        let cost = shared.cost_of(&value);
        match shared.try_send_at(value, cost) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(value)) => {
                self.kept = Some((value, cost));
                Ok(())
            }
            Err(TrySendError::Refused(error)) => Err(SinkError::Refused(error.map(Some))),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SinkError<T>>> {
        self.poll_kept(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), SinkError<T>>> {
        ready!(self.poll_kept(cx))?;
        self.leave_line();
        if let Some(producer) = self.producer.take() {
            producer.end();
        }
        Poll::Ready(Ok(()))
    }
}

impl<T> Unpin for CreditSink<T> {}

impl<T> Drop for CreditSink<T> {
    fn drop(&mut self) {
        self.leave_line();
    }
}

impl<T> fmt::Debug for CreditSink<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreditSink").field("keeps_one", &self.kept.is_some()).finish_non_exhaustive()
    }
}
