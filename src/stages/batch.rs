//! Several values in one.

use super::unwinding::telling;
use super::{DemandError, ErrorOrder, Received, Stage, StageError};
use crate::{CancelReason, Chunk, Weigh};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{fmt, mem};
use tokio::time::{Instant, Sleep, sleep_until};

/// The stage of [`Stage::batch`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Stage, from_stream};
/// use std::time::Duration;
///
/// let rows = from_stream(futures_util::stream::iter(["a", "bc", "def", "ghij", "k"]));
/// let mut pages = rows.batch(100, Duration::from_millis(5))?.up_to_bytes(5);
/// assert_eq!(*pages.recv().await?.unwrap(), ["a", "bc"]);
/// assert_eq!(*pages.recv().await?.unwrap(), ["def"]); // "ghij" would have made it 7
/// assert_eq!(*pages.recv().await?.unwrap(), ["ghij", "k"]);
/// assert!(pages.recv().await?.is_none());
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct Batch<S: Stage, W = fn(&<S as Stage>::Value) -> u64> {
    upstream: S,
    most: u64,
    linger: Duration,
    heaviest: u64,
    weigh: W,
    gathered: Gathered<S::Value, S::Guard>,
    /// The next, begun by what would have made this too heavy.
    next: Option<Gathered<S::Value, S::Guard>>,
    timer: Option<Pin<Box<Sleep>>>,
    /// How it ends, once that is known; said when nothing is held.
    over: Option<Result<(), StageError>>,
    error_order: ErrorOrder,
}

/// A batch under way.
struct Gathered<T, G> {
    // Dropped in this order, as the parts of a chunk are.
    values: Vec<T>,
    guards: Vec<G>,
    /// The number of the first.
    seq: u64,
    weight: u64,
    /// When it is passed on although there is room in it; None is never.
    deadline: Option<Instant>,
}

impl<S: Stage> Batch<S> {
    pub(super) fn new(upstream: S, most: u64, linger: Duration) -> Result<Self, DemandError> {
        if most == 0 {
            return Err(DemandError::NoCapacity);
        }
        Ok(Self {
            upstream,
            most,
            linger,
            heaviest: u64::MAX,
            weigh: |_| 0,
            gathered: Gathered::new(),
            next: None,
            timer: None,
            over: None,
            error_order: ErrorOrder::InOrder,
        })
    }
}

impl<S: Stage, W> Batch<S, W> {
    /// Also passes a batch on before a value would make it weigh more than `heaviest`. That value is held for the next
    /// one; a value that is heavier by itself makes a batch alone.
    ///
    /// # Panics
    ///
    /// When `weigh` does: see the [module](super).
    pub fn up_to<V>(self, heaviest: u64, weigh: V) -> Batch<S, V>
    where
        V: FnMut(&S::Value) -> u64,
    {
        let Self { upstream, most, linger, gathered, next, timer, over, error_order, .. } = self;
        Batch { upstream, most, linger, heaviest, weigh, gathered, next, timer, over, error_order }
    }

    /// The same, of what the values [weigh](Weigh) in bytes.
    pub fn up_to_bytes(self, heaviest: u64) -> Batch<S>
    where
        S::Value: Weigh,
    {
        self.up_to(heaviest, |value: &S::Value| u64::try_from(value.weight_bytes()).unwrap_or(u64::MAX))
    }

    /// Whether an error of what is before it waits for what it holds. By default it does.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    /// How many values it holds.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.gathered.len() + u64::from(self.next.is_some())
    }

    fn is_full(&self) -> bool {
        self.gathered.len() >= self.most || self.gathered.weight >= self.heaviest || self.next.is_some()
    }

    /// Adds a value, or begins the next batch with it.
    fn put(&mut self, chunk: Chunk<S::Value, S::Guard>, weight: u64) {
        let fits = self.gathered.weight.checked_add(weight).is_some_and(|sum| sum <= self.heaviest);
        let batch = if fits || self.gathered.values.is_empty() {
            &mut self.gathered
        } else {
            self.next.insert(Gathered::new())
        };
        if batch.values.is_empty() {
            batch.seq = chunk.seq();
            if !self.linger.is_zero() {
                // None if that is later than there is time: never.
                batch.deadline = Instant::now().checked_add(self.linger);
            }
        }
        batch.weight = batch.weight.saturating_add(weight);
        let (value, guard) = chunk.into_parts();
        batch.values.push(value);
        batch.guards.push(guard);
    }

    /// The batch as it is.
    fn pass_on(&mut self) -> Chunk<Vec<S::Value>, Vec<S::Guard>> {
        let next = self.next.take().unwrap_or_else(Gathered::new);
        let Gathered { values, guards, seq, .. } = mem::replace(&mut self.gathered, next);
        Chunk::from_parts(values, seq, guards)
    }

    /// Ready once the batch has lingered long enough.
    fn poll_lingered(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.linger.is_zero() {
            return Poll::Ready(());
        }
        let Some(deadline) = self.gathered.deadline else { return Poll::Pending };
        let timer = match &mut self.timer {
            Some(timer) => {
                if timer.deadline() != deadline {
                    timer.as_mut().reset(deadline);
                }
                timer
            }
            None => self.timer.insert(Box::pin(sleep_until(deadline))),
        };
        timer.as_mut().poll(cx)
    }

    fn let_go(&mut self) {
        self.next = None;
        self.gathered = Gathered::new();
    }
}

impl<S, W> Stage for Batch<S, W>
where
    S: Stage,
    W: FnMut(&S::Value) -> u64,
{
    type Value = Vec<S::Value>;
    /// What came with each of them, in the same order.
    type Guard = Vec<S::Guard>;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Self::Value, Self::Guard>> {
        while !self.is_full() {
            if let Some(over) = &self.over {
                if self.gathered.values.is_empty() {
                    return Poll::Ready(over.clone().map(|()| None));
                }
                break;
            }
            // Whoever feeds this uses up the task's budget, so the loop ends however large the batch is to be.
            match self.upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => {
                    let Self { upstream, weigh, .. } = self;
                    let weight = telling(upstream, || weigh(&chunk));
                    self.put(chunk, weight);
                }
                Poll::Ready(over) => {
                    if over.is_err() && self.error_order == ErrorOrder::AtOnce {
                        self.let_go();
                    }
                    self.over = Some(over.map(drop));
                }
                Poll::Pending if self.gathered.values.is_empty() => return Poll::Pending,
                Poll::Pending => {
                    ready!(self.poll_lingered(cx));
                    break;
                }
            }
        }
        Poll::Ready(Ok(Some(self.pass_on())))
    }

    fn cancel(&mut self, reason: CancelReason) {
        // What is before it says so, unless that had ended: then nothing is held any more.
        self.upstream.cancel(reason);
        self.let_go();
    }
}

impl<T, G> Gathered<T, G> {
    fn new() -> Self {
        Self { values: Vec::new(), guards: Vec::new(), seq: 0, weight: 0, deadline: None }
    }

    fn len(&self) -> u64 {
        u64::try_from(self.values.len()).unwrap_or(u64::MAX)
    }
}

impl<S: Stage + fmt::Debug, W> fmt::Debug for Batch<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { upstream, most, linger, over, .. } = self;
        let mut batch = f.debug_struct("Batch");
        batch.field("upstream", upstream).field("most", most).field("linger", linger);
        batch.field("held", &self.held()).field("over", over).finish_non_exhaustive()
    }
}
