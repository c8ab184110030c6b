//! Where a chain of stages goes.

use super::unwinding::telling;
use super::{ForwardError, Received, Stage, StageError};
use crate::channel::Behind;
use crate::{CancelReason, Chunk, Closed, CreditProducer, Failure, RecvError, SendError};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// [`Stage::for_each`].
pub(super) async fn for_each<S, F, Fut, E>(mut stage: S, mut handle: F) -> Result<u64, StageError>
where
    S: Stage,
    F: FnMut(Chunk<S::Value, S::Guard>) -> Fut,
    Fut: Future<Output = Result<(), E>>,
    E: Into<Failure>,
{
    let mut handled = 0;
    while let Some(chunk) = stage.recv().await? {
        let mut work = pin!(telling(&mut stage, || handle(chunk)));
        let done = poll_fn(|cx| telling(&mut stage, || work.as_mut().poll(cx))).await;
        if let Err(error) = done {
            let failure = error.into();
            stage.cancel(CancelReason::HandlerError(failure.text().into()));
            return Err(StageError::Handler(failure));
        }
        handled += 1;
    }
    Ok(handled)
}

/// [`Stage::forward`].
pub(super) async fn forward<S: Stage>(
    mut stage: S,
    tx: CreditProducer<S::Value>,
) -> Result<u64, ForwardError<S::Value>> {
    let mut behind = Behind::new(&tx);
    let mut count = 0;
    loop {
        let chunk = match poll_fn(|cx| poll_upstream(&mut stage, &mut behind, cx)).await {
            Next::Received(Ok(Some(chunk))) => chunk,
            Next::Received(Ok(None)) => break,
            Next::Received(Err(error)) => {
                end_with(tx, &error);
                return Err(ForwardError::Stage(error));
            }
            Next::Closed(reason) => return Err(refused(&mut stage, SendError::Closed { value: None, reason })),
        };
        let (value, guard) = chunk.into_parts();
        let cost = behind.cost_of(&value);
        if let Err(error) = beside(&mut behind, pin!(tx.send(value))).await {
            return Err(refused(&mut stage, error.map(Some)));
        }
        behind.hold(guard, cost);
        count += 1;
    }
    tx.end();
    match poll_fn(|cx| behind.poll_done(cx)).await {
        Ok(()) => Ok(count),
        Err(reason) => Err(ForwardError::Send(SendError::Closed { value: None, reason })),
    }
}

/// Waits for something of the other channel, and lets go meanwhile of what is done there.
async fn beside<T, G, R>(behind: &mut Behind<T, G>, mut wait: Pin<&mut impl Future<Output = R>>) -> R {
    poll_fn(|cx| {
        let polled = wait.as_mut().poll(cx);
        if polled.is_pending() {
            // If it is closed the wait is over too, and says so itself.
            let _ = behind.poll_closed(cx);
        }
        polled
    })
    .await
}

/// What a forward goes on with.
enum Next<T, G> {
    Received(Received<T, G>),
    /// The other channel is closed.
    Closed(Closed),
}

/// Polls for the next chunk, lets go of what is done, and notices that the other channel was closed.
fn poll_upstream<S: Stage>(
    stage: &mut S,
    behind: &mut Behind<S::Value, S::Guard>,
    cx: &mut Context<'_>,
) -> Poll<Next<S::Value, S::Guard>> {
    let polled = stage.poll_next(cx);
    if polled.is_pending() {
        if let Poll::Ready(closed) = behind.poll_closed(cx) {
            return Poll::Ready(Next::Closed(closed));
        }
    }
    polled.map(Next::Received)
}

/// The other channel takes no more, or not this: what is before is told why.
fn refused<S: Stage>(stage: &mut S, error: SendError<Option<S::Value>>) -> ForwardError<S::Value> {
    let reason = match error.closed() {
        Some(Closed::Cancelled(reason)) => reason.clone(),
        Some(closed) => CancelReason::other(0, closed.to_string()),
        None => CancelReason::other(0, error.to_string()),
    };
    stage.cancel(reason);
    ForwardError::Send(error)
}

/// Tells the consumer at the other end how what came in has ended.
fn end_with<T>(tx: CreditProducer<T>, error: &StageError) {
    match error {
        // A producer that is dropped says just that.
        StageError::Upstream(RecvError::Abandoned { .. }) => drop(tx),
        error => tx.fail(error.clone().into_failure()),
    }
}
