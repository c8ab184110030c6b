//! The way out.

use super::board::PoolMeter;
use super::job::panicked;
use crate::stages::{Received, Stage, StageError};
use crate::{CancelReason, Chunk, CreditConsumer, RecvError};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use tokio::task::JoinHandle;

/// A pool of workers, seen from behind: a stage that brings their results.
///
/// The workers are tasks, and go on while nobody polls this, up to the pool's window. Dropping it, or
/// [`cancel`](Stage::cancel), stops them: what is queued is dropped, what is in work is aborted where it next waits, and
/// what is before the workers is told why, once, by the task that runs the pool, as soon as that has its turn.
#[must_use = "dropping a pool stops its workers"]
pub struct Pool<U, G> {
    out: CreditConsumer<Chunk<U, G>>,
    /// What the channel's failure stands for.
    verdict: Arc<OnceLock<StageError>>,
    foreman: JoinHandle<()>,
    over: Option<StageError>,
    meter: PoolMeter,
}

impl<U, G> Pool<U, G> {
    pub(super) fn new(
        out: CreditConsumer<Chunk<U, G>>,
        verdict: Arc<OnceLock<StageError>>,
        foreman: JoinHandle<()>,
        meter: PoolMeter,
    ) -> Self {
        Self { out, verdict, foreman, over: None, meter }
    }

    /// Reads its numbers.
    #[must_use]
    pub fn meter(&self) -> PoolMeter {
        self.meter.clone()
    }

    /// What an end that is none stands for.
    fn poll_why(&mut self, error: RecvError, cx: &mut Context<'_>) -> Poll<StageError> {
        let verdict = match &error {
            RecvError::Failed(_) => self.verdict.get().cloned(),
            // The foreman went without a word: what is before it, the controller or the admission panicked; or its
            // runtime was shut down.
            RecvError::Abandoned { .. } => ready!(Pin::new(&mut self.foreman).poll(cx))
                .err()
                .and_then(|error| error.try_into_panic().ok())
                .map(|payload| panicked(&*payload)),
            _ => None,
        };
        Poll::Ready(verdict.unwrap_or(StageError::Upstream(error)))
    }
}

impl<U, G> Stage for Pool<U, G> {
    type Value = U;
    type Guard = G;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<U, G>> {
        if let Some(error) = &self.over {
            return Poll::Ready(Err(error.clone()));
        }
        let error = match ready!(self.out.poll_recv(cx)) {
            Ok(received) => return Poll::Ready(Ok(received.map(Chunk::into_inner))),
            Err(error) => ready!(self.poll_why(error, cx)),
        };
        self.over = Some(error.clone());
        Poll::Ready(Err(error))
    }

    fn cancel(&mut self, reason: CancelReason) {
        if self.out.cancel(reason) {
            // What was taken out of the queue already goes with the next look at it.
            let _ = self.out.try_recv();
        }
    }
}

impl<U, G> fmt::Debug for Pool<U, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("over", &self.over).finish_non_exhaustive()
    }
}
