//! Stages of different kinds under one type.

use super::{Received, Stage};
use crate::CancelReason;
use std::task::{Context, Poll};

/// A stage in a box.
pub type BoxStage<'a, T, G> = Box<dyn Stage<Value = T, Guard = G> + Send + 'a>;

impl<S: Stage + ?Sized> Stage for Box<S> {
    type Value = S::Value;
    type Guard = S::Guard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        (**self).poll_next(cx)
    }

    fn cancel(&mut self, reason: CancelReason) {
        (**self).cancel(reason);
    }
}
