//! Inputs side by side: one value of each, or none of any.

use super::{Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll, ready};

/// One input, and the one value that it may have brought ahead of the others.
pub(super) struct Side<S: Stage> {
    /// None once it has ended or failed.
    stage: Option<S>,
    held: Option<Chunk<S::Value, S::Guard>>,
}

/// The inputs of a join.
pub(super) trait Sides {
    type Value;
    type Guard;

    /// Asks those that hold nothing.
    fn ask(&mut self, asked: &mut Asked, cx: &mut Context<'_>);

    /// One value of each; nothing unless all of them hold one.
    fn take(&mut self) -> Option<(Self::Value, Self::Guard)>;

    fn cancel(self, reason: &CancelReason);
}

/// What the inputs said. The number is the input's.
#[derive(Default)]
pub(super) struct Asked {
    has_to_wait: bool,
    ended: Option<usize>,
    failed: Option<(usize, StageError)>,
}

/// Takes one value of each input and puts them together.
pub(super) struct Join<I> {
    /// None once it is over.
    sides: Option<I>,
    count: u64,
    over: Result<(), StageError>,
    /// An end was seen, and the others get one turn more to say that they failed.
    gave_a_turn: bool,
}

impl<S: Stage> Side<S> {
    pub(super) fn new(stage: S) -> Self {
        Self { stage: Some(stage), held: None }
    }

    pub(super) fn holds(&self) -> bool {
        self.held.is_some()
    }

    pub(super) fn take(&mut self) -> Option<(S::Value, S::Guard)> {
        self.held.take().map(Chunk::into_parts)
    }

    pub(super) fn cancel(self, reason: &CancelReason) {
        if let Some(mut stage) = self.stage {
            stage.cancel(reason.clone());
        }
    }
}

impl Asked {
    /// Asks one for a value, unless it holds one, or another has failed: then nothing more is needed.
    #[inline]
    pub(super) fn ask<S: Stage>(&mut self, number: usize, side: &mut Side<S>, cx: &mut Context<'_>) {
        if side.holds() || self.failed.is_some() {
            return;
        }
        match side.stage.as_mut().map(|stage| stage.poll_next(cx)) {
            Some(Poll::Pending) => self.has_to_wait = true,
            Some(Poll::Ready(Ok(Some(chunk)))) => side.held = Some(chunk),
            Some(Poll::Ready(Err(error))) => {
                side.stage = None;
                self.failed = Some((number, error));
            }
            None | Some(Poll::Ready(Ok(None))) => {
                side.stage = None;
                self.ended = self.ended.or(Some(number));
            }
        }
    }

    /// An end was seen and nothing worse, and some were not heard.
    fn may_have_failed(&self) -> bool {
        self.ended.is_some() && self.has_to_wait && self.failed.is_none()
    }
}

impl<I: Sides> Join<I> {
    pub(super) fn new(sides: I) -> Self {
        Self { sides: Some(sides), count: 0, over: Ok(()), gave_a_turn: false }
    }

    #[inline]
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<I::Value, I::Guard>> {
        let Some(sides) = &mut self.sides else { return Poll::Ready(self.over.clone().map(|()| None)) };
        if self.gave_a_turn {
            // On a used-up budget nobody says anything.
            let _ = ready!(coop::poll_proceed(cx));
        }
        let mut asked = Asked::default();
        sides.ask(&mut asked, cx);
        if asked.may_have_failed() && !self.gave_a_turn {
            // Who failed before another ended may have been asked before both, or out of budget, and the error is not to
            // be lost over it. But once: there are stages that use up every budget and never say anything.
            self.gave_a_turn = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some((number, error)) = asked.failed {
            let reason = CancelReason::other(0, format!("input {number} of the zip failed: {error}"));
            self.end(Err(error.clone()), &reason);
            return Poll::Ready(Err(error));
        }
        if let Some(number) = asked.ended {
            self.end(Ok(()), &CancelReason::other(0, format!("input {number} of the zip ended")));
            return Poll::Ready(Ok(None));
        }
        let Some((value, guard)) = sides.take() else { return Poll::Pending };
        let seq = self.count;
        self.count += 1;
        Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, guard))))
    }

    pub(super) fn cancel(&mut self, reason: CancelReason) {
        self.end(Err(StageError::cancelled(reason.clone())), &reason);
    }

    /// The first end counts. The inputs go with it: what they hold has no partner.
    fn end(&mut self, over: Result<(), StageError>, reason: &CancelReason) {
        if let Some(sides) = self.sides.take() {
            self.over = over;
            sides.cancel(reason);
        }
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for Side<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Side").field("stage", &self.stage).field("holds", &self.holds()).finish()
    }
}

impl<I: fmt::Debug> fmt::Debug for Join<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join")
            .field("sides", &self.sides)
            .field("count", &self.count)
            .field("over", &self.over)
            .finish()
    }
}
