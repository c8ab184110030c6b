//! Back in order, by a number.

mod buffer;
mod config;
mod meter;

pub use config::ReorderConfig;
pub use meter::{ReorderMeter, ReorderStats};

use super::unwinding::telling;
use super::{ErrorOrder, GapCause, Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk, WindowError};
use buffer::{ReorderBuffer, Verdict};
use config::Weigh;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::time::{Instant, Sleep, sleep_until};

/// The stage of [`Stage::reorder`].
#[must_use = "stages do nothing unless polled"]
pub struct Reorder<S: Stage, F> {
    upstream: S,
    seq_of: F,
    weigh: Option<Weigh<S::Value>>,
    skips: bool,
    error_order: ErrorOrder,
    buffer: ReorderBuffer<Chunk<S::Value, S::Guard>>,
    /// Rings when a value has been held for too long.
    alarm: Option<Pin<Box<Sleep>>>,
    /// How what is before it ended, or this did.
    over: Option<Result<(), StageError>>,
    meter: ReorderMeter,
}

impl<S, F> Reorder<S, F>
where
    S: Stage,
    F: FnMut(&S::Value) -> u64,
{
    pub(super) fn new(upstream: S, config: ReorderConfig<S::Value>, seq_of: F) -> Result<Self, WindowError> {
        let ReorderConfig { limits, weigh, first, skips, error_order } = config.check()?;
        let buffer = ReorderBuffer::new(limits, first);
        let meter = ReorderMeter::new(buffer.stats());
        Ok(Self { upstream, seq_of, weigh, skips, error_order, buffer, alarm: None, over: None, meter })
    }

    fn poll_in_order(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        loop {
            if self.buffer.has_next() {
                let budget = ready!(coop::poll_proceed(cx));
                let next = self.buffer.pop();
                budget.made_progress();
                return Poll::Ready(Ok(next));
            }
            if let Some(over) = &self.over {
                if self.buffer.is_empty() {
                    return Poll::Ready(over.clone().map(|()| None));
                }
                self.give_up(GapCause::End);
                continue;
            }
            if let Some(cause) = self.buffer.cannot_wait() {
                self.give_up(cause);
                continue;
            }
            // Whoever feeds this uses up the task's budget, so the loop ends though nothing is in order. What is there
            // already is looked at before the clock is: the missing value may be among it.
            match self.upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => {
                    if let Some(next) = self.sort(chunk) {
                        return Poll::Ready(Ok(Some(next)));
                    }
                }
                Poll::Ready(Ok(None)) => self.over = Some(Ok(())),
                Poll::Ready(Err(error)) => self.fail(error),
                Poll::Pending => {
                    ready!(self.poll_overdue(cx));
                    self.give_up(GapCause::Time);
                }
            }
        }
    }

    /// Gives it back if it is the next; else it is held, or it has been there before and its credit goes back.
    fn sort(&mut self, chunk: Chunk<S::Value, S::Guard>) -> Option<Chunk<S::Value, S::Guard>> {
        let Self { upstream, seq_of, weigh, buffer, .. } = self;
        let seq = telling(upstream, || seq_of(&chunk));
        match buffer.sort(seq) {
            Verdict::Next => return Some(chunk),
            Verdict::Ahead => {
                let bytes = weigh.as_ref().map_or(0, |weigh| telling(upstream, || weigh(&chunk)));
                buffer.hold(seq, chunk, u64::try_from(bytes).unwrap_or(u64::MAX), Instant::now());
            }
            Verdict::Duplicate | Verdict::Old => drop(chunk),
        }
        None
    }

    /// What is before it failed. What is held behind a gap can only be passed on by one that skips gaps.
    fn fail(&mut self, error: StageError) {
        self.over = Some(Err(error));
        if !self.skips || self.error_order == ErrorOrder::AtOnce {
            self.buffer.clear();
        }
    }

    /// The missing value is waited for no more.
    fn give_up(&mut self, cause: GapCause) {
        if self.skips {
            return self.buffer.skip();
        }
        let Some(gap) = self.buffer.gap() else { return };
        let error = StageError::Gap { missing: gap.missing, next: gap.next, held: gap.held, cause };
        let before = self.over.replace(Err(error.clone()));
        if before.is_none() {
            self.upstream.cancel(CancelReason::other(0, error.to_string()));
        }
        self.buffer.clear();
    }

    /// Ready once a value has been held for too long; pending, the task is woken then.
    fn poll_overdue(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.buffer.deadline() else { return Poll::Pending };
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if alarm.deadline() != deadline {
            alarm.as_mut().reset(deadline);
        }
        alarm.as_mut().poll(cx)
    }
}

impl<S: Stage, F> Reorder<S, F> {
    /// Reads its numbers.
    #[must_use]
    pub fn meter(&self) -> ReorderMeter {
        self.meter.clone()
    }
}

impl<S, F> Stage for Reorder<S, F>
where
    S: Stage,
    F: FnMut(&S::Value) -> u64,
{
    type Value = S::Value;
    type Guard = S::Guard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        let received = self.poll_in_order(cx);
        self.meter.show(self.buffer.stats());
        received
    }

    fn cancel(&mut self, reason: CancelReason) {
        // Through once the end is known and nothing is held: then it has ended, whatever is said now.
        let is_through = self.over.is_some() && self.buffer.is_empty();
        if !is_through {
            let before = self.over.replace(Err(StageError::cancelled(reason.clone())));
            if before.is_none() {
                self.upstream.cancel(reason);
            }
            self.buffer.clear();
            self.meter.show(self.buffer.stats());
        }
    }
}

impl<S: Stage + fmt::Debug, F> fmt::Debug for Reorder<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reorder")
            .field("upstream", &self.upstream)
            .field("stats", &self.buffer.stats())
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}
