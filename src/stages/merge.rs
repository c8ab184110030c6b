//! Several inputs as one.

use super::{Received, Stage, StageError};
use crate::sync::coop;
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll, ready};

/// Brings what any of the inputs has, whoever has something first. They take turns: one that always has something does
/// not keep the others waiting. Inputs of different kinds get one type by [`boxed`](Stage::boxed).
///
/// Asked for one value it asks one input after the other until one has it, beginning with the one whose turn it is; it
/// holds nothing, and what it brings carries what its input's did. The values of each input stay in their order. The
/// chunks are numbered anew, from 0, in the order in which they come out: the inputs' own numbers would be there more
/// than once.
///
/// It ends when all inputs have; of no inputs at all, at once.
///
/// # Errors
///
/// It brings the first error that it meets, after what came before it in the same input. The other inputs are cancelled
/// with a text that names the one that failed; what they have ready is dropped with them, and its credit goes back.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Stage, from_stream, merge};
/// use futures_util::stream;
///
/// let (odd, even) = (stream::iter([1, 3, 5, 7]), stream::iter([2, 4]));
/// let mut numbers = merge(vec![from_stream(odd).boxed(), from_stream(even).boxed()]);
/// let mut got = Vec::new();
/// while let Some(number) = numbers.recv().await? {
///     got.push(number.into_inner());
/// }
/// assert_eq!(got, [1, 2, 3, 4, 5, 7]);
/// # Ok(())
/// # }
/// ```
pub fn merge<S: Stage>(inputs: Vec<S>) -> Merge<S> {
    Merge { inputs: inputs.into_iter().enumerate().collect(), turn: 0, count: 0, over: None }
}

/// The stage of [`merge`].
#[must_use = "stages do nothing unless polled"]
pub struct Merge<S> {
    /// Those that have not ended, with the number each had at first.
    inputs: Vec<(usize, S)>,
    /// The place in there of the one to be asked first.
    turn: usize,
    count: u64,
    over: Option<Result<(), StageError>>,
}

impl<S: Stage> Merge<S> {
    /// The first end counts. The inputs go with it.
    fn end(&mut self, over: Result<(), StageError>, reason: &CancelReason) {
        if self.over.is_none() {
            self.over = Some(over);
            for (_, mut input) in std::mem::take(&mut self.inputs) {
                input.cancel(reason.clone());
            }
        }
    }
}

impl<S: Stage> Stage for Merge<S> {
    type Value = S::Value;
    type Guard = S::Guard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, S::Guard>> {
        if let Some(over) = &self.over {
            return Poll::Ready(over.clone().map(|()| None));
        }
        // An input that brings something whatever the budget must not go on while the others, out of budget, cannot.
        let budget = ready!(coop::poll_proceed(cx));
        for _ in 0..self.inputs.len() {
            if self.turn >= self.inputs.len() {
                self.turn = 0;
            }
            let Some((number, input)) = self.inputs.get_mut(self.turn) else { break };
            match input.poll_next(cx) {
                Poll::Ready(Ok(None)) => {
                    // The one after it moves up to its place.
                    self.inputs.remove(self.turn);
                    continue;
                }
                Poll::Ready(Err(error)) => {
                    let reason = CancelReason::other(0, format!("input {number} of the merge failed: {error}"));
                    self.inputs.remove(self.turn);
                    self.end(Err(error.clone()), &reason);
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(Ok(Some(chunk))) => {
                    budget.made_progress();
                    self.turn += 1;
                    let seq = self.count;
                    self.count += 1;
                    let (value, guard) = chunk.into_parts();
                    return Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, guard))));
                }
                Poll::Pending => self.turn += 1,
            }
        }
        if !self.inputs.is_empty() {
            return Poll::Pending;
        }
        self.over = Some(Ok(()));
        Poll::Ready(Ok(None))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.end(Err(StageError::cancelled(reason.clone())), &reason);
    }
}

impl<S: fmt::Debug> fmt::Debug for Merge<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merge").field("inputs", &self.inputs).field("count", &self.count).finish_non_exhaustive()
    }
}
