//! Many values for one, from a stage of their own.

use super::unwinding::telling;
use super::{Received, Share, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::expand_stage`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), credit_channel::stages::StageError> {
/// use credit_channel::stages::{Stage, from_stream};
/// use futures_util::stream;
///
/// let mut rows = from_stream(stream::iter([2, 0, 1])).expand_stage(|n| from_stream(stream::iter(0..n)));
/// let mut got = Vec::new();
/// while let Some(row) = rows.recv().await? {
///     got.push((row.seq(), row.into_inner()));
/// }
/// assert_eq!(got, [(0, 0), (1, 1), (2, 0)]);
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct ExpandStage<S: Stage, I, F> {
    upstream: S,
    f: F,
    rest: Option<Rest<I, S::Guard>>,
    count: u64,
    /// An expansion failed.
    failed: Option<StageError>,
}

impl<S: Stage, I, F> ExpandStage<S, I, F> {
    pub(super) fn new(upstream: S, f: F) -> Self {
        Self { upstream, f, rest: None, count: 0, failed: None }
    }
}

impl<S, I, F> Stage for ExpandStage<S, I, F>
where
    S: Stage,
    I: Stage,
    F: FnMut(S::Value) -> I,
{
    type Value = I::Value;
    /// What it carries itself, and a share in what the value before carried.
    type Guard = (I::Guard, Share<S::Guard>);

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<I::Value, Self::Guard>> {
        let Self { upstream, f, rest, count, failed } = self;
        if let Some(error) = failed {
            return Poll::Ready(Err(error.clone()));
        }
        loop {
            // An endless row of empty expansions must not keep the thread for itself.
            let budget = ready!(coop::poll_proceed(cx));
            // Taken out: if it panics, it goes.
            let mut current = match rest.take() {
                Some(rest) => rest,
                None => match ready!(upstream.poll_next(cx))? {
                    Some(chunk) => {
                        let (value, guard) = chunk.into_parts();
                        Rest { inner: telling(upstream, || f(value)), share: Share::new(guard) }
                    }
                    None => return Poll::Ready(Ok(None)),
                },
            };
            let Poll::Ready(received) = telling(upstream, || current.inner.poll_next(cx)) else {
                *rest = Some(current);
                return Poll::Pending;
            };
            budget.made_progress();
            match received {
                Ok(Some(chunk)) => {
                    let (value, guard) = chunk.into_parts();
                    let seq = *count;
                    *count += 1;
                    let guard = (guard, current.share.clone());
                    *rest = Some(current);
                    return Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, guard))));
                }
                Ok(None) => telling(upstream, || drop(current)),
                Err(error) => {
                    *failed = Some(error.clone());
                    upstream.cancel(CancelReason::HandlerError(error.to_string().into()));
                    return Poll::Ready(Err(error));
                }
            }
        }
    }

    fn cancel(&mut self, reason: CancelReason) {
        // First, so that nobody replaces what is dropped.
        self.upstream.cancel(reason.clone());
        if let Some(mut rest) = self.rest.take() {
            rest.inner.cancel(reason);
        }
    }
}

impl<S: Stage + fmt::Debug, I: fmt::Debug, F> fmt::Debug for ExpandStage<S, I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandStage")
            .field("upstream", &self.upstream)
            .field("inner", &self.rest.as_ref().map(|rest| &rest.inner))
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

/// What is still to come of one value.
struct Rest<I, G> {
    // Dropped in this order: the credit after what it stands for.
    inner: I,
    share: Share<G>,
}
