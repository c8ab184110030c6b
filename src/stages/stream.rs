//! A stage as a `Stream`.

use super::{Stage, StageError};
use crate::Chunk;
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The stream of [`Stage::into_stream`].
#[must_use = "streams do nothing unless polled"]
#[derive(Debug)]
pub struct IntoStream<S> {
    stage: S,
    ended: bool,
}

impl<S> IntoStream<S> {
    pub(super) fn new(stage: S) -> Self {
        Self { stage, ended: false }
    }
}

// It pins nothing: a stage is polled by a plain reference.
impl<S> Unpin for IntoStream<S> {}

impl<S: Stage> Stream for IntoStream<S> {
    type Item = Result<Chunk<S::Value, S::Guard>, StageError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.ended {
            return Poll::Ready(None);
        }
        let received = ready!(this.stage.poll_next(cx)).transpose();
        this.ended = !matches!(received, Some(Ok(_)));
        Poll::Ready(received)
    }
}
