//! One value for one, several under way at once.

use super::unwinding::telling;
use super::{DemandError, ErrorOrder, Received, Stage, StageError};
use crate::sync::{Counter, coop};
use crate::{CancelReason, Chunk, Failure};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// What becomes of a value whose future failed.
///
/// To see each failure behind the stage, let the future bring a `Result` as its value: `Ok(work(value).await)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnError {
    /// Everything before the stage is cancelled with its text, and no future is begun any more; what comes before it is
    /// still brought, then the error.
    #[default]
    Stop,
    /// Its credit goes back at once, it is [counted](MapConcurrent::skipped), and the rest goes on.
    Skip,
}

/// The stage of [`Stage::map_concurrent`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{OnError, Stage, from_stream};
/// use std::time::Duration;
///
/// let rows = from_stream(futures_util::stream::iter([3_u64, 1, 0, 2]));
/// let work = |row: u64| async move {
///     tokio::time::sleep(Duration::from_millis(row)).await;
///     60_u64.checked_div(row).ok_or("division by zero")
/// };
/// let mut done = rows.map_concurrent(4, work)?.on_error(OnError::Skip);
/// let skipped = done.skipped();
/// let mut quotients = Vec::new();
/// while let Some(quotient) = done.recv().await? {
///     quotients.push(*quotient);
/// }
/// assert_eq!((quotients, skipped.count()), (vec![20, 60, 30], 1)); // in the order they came
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct MapConcurrent<S: Stage, F, Fut, U> {
    upstream: S,
    f: F,
    most: u64,
    ordered: bool,
    on_error: OnError,
    error_order: ErrorOrder,
    running: FuturesUnordered<Job<Fut, S::Guard>>,
    /// What is to come out, in this order: with a place for each that is under way if that is the order they came in,
    /// else only what is finished.
    places: VecDeque<Place<Chunk<U, S::Guard>>>,
    /// The job whose place is the first.
    first: u64,
    skipped: Counter,
    /// How it ends, once that is known; said when nothing is held.
    over: Option<Result<(), StageError>>,
}

/// A future under way, and what goes back when it is done.
struct Job<Fut, G> {
    // Dropped in this order: the work first. In a box, so that those which no longer matter can be sorted out.
    future: Pin<Box<Fut>>,
    guard: Option<G>,
    seq: u64,
    /// How many were begun before it.
    index: u64,
}

enum Place<C> {
    UnderWay,
    Finished(C),
    Skipped,
}

impl<S, F, Fut, U, E> MapConcurrent<S, F, Fut, U>
where
    S: Stage,
    F: FnMut(S::Value) -> Fut,
    Fut: Future<Output = Result<U, E>>,
    E: Into<Failure>,
{
    pub(super) fn new(upstream: S, most: u64, f: F) -> Result<Self, DemandError> {
        if most == 0 {
            return Err(DemandError::NoCapacity);
        }
        Ok(Self {
            upstream,
            f,
            most,
            ordered: true,
            on_error: OnError::Stop,
            error_order: ErrorOrder::InOrder,
            running: FuturesUnordered::new(),
            places: VecDeque::new(),
            first: 0,
            skipped: Counter::new(),
            over: None,
        })
    }

    /// Begins futures as long as there is a place for one more, and a value.
    fn begin(&mut self, cx: &mut Context<'_>) {
        while self.over.is_none() && self.held() < self.most {
            match self.upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => {
                    let seq = chunk.seq();
                    let (value, guard) = chunk.into_parts();
                    let Self { upstream, f, .. } = self;
                    let future = Box::pin(telling(upstream, || f(value)));
                    let index = self.first + count(self.places.len());
                    self.running.push(Job { future, guard: Some(guard), seq, index });
                    if self.ordered {
                        self.places.push_back(Place::UnderWay);
                    }
                }
                Poll::Ready(over) => {
                    if over.is_err() && self.error_order == ErrorOrder::AtOnce {
                        self.let_go();
                    }
                    self.over = Some(over.map(drop));
                }
                Poll::Pending => return,
            }
        }
    }

    /// Takes in what is finished. Ready if something was.
    fn poll_finished(&mut self, cx: &mut Context<'_>) -> Poll<Option<()>> {
        let Self { upstream, running, .. } = self;
        let done = ready!(telling(upstream, || running.poll_next_unpin(cx)));
        Poll::Ready(done.map(|done| match done.result {
            Ok(value) => {
                let finish = |guard| Place::Finished(Chunk::from_parts(value, done.seq, guard));
                self.put(done.index, done.guard.map_or(Place::Skipped, finish));
            }
            Err(error) if self.on_error == OnError::Skip => {
                self.skipped.add_one();
                drop((error, done.guard));
                self.put(done.index, Place::Skipped);
            }
            Err(error) => self.stop(done.index, error.into()),
        }))
    }

    /// The work on this one failed: what is before it comes out, and then the error.
    fn stop(&mut self, index: u64, failure: Failure) {
        self.upstream.cancel(CancelReason::HandlerError(failure.text().into()));
        self.over = Some(Err(StageError::Handler(failure)));
        if self.error_order == ErrorOrder::AtOnce {
            return self.let_go();
        }
        if !self.ordered {
            self.running.clear();
            return;
        }
        let before = usize::try_from(index.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.places.truncate(before);
        let running = std::mem::take(&mut self.running);
        self.running = running.into_iter().filter(|job| job.index < index).collect();
    }
}

impl<S: Stage, F, Fut, U> MapConcurrent<S, F, Fut, U> {
    /// Brings values as they are finished, so that a slow one does not hold up those behind it. The numbers of the
    /// chunks say in which order they came.
    pub fn unordered(mut self) -> Self {
        self.ordered = false;
        self.places.retain(|place| !matches!(place, Place::UnderWay));
        self
    }

    /// What becomes of a value whose future failed. By default the stage stops.
    pub fn on_error(self, on_error: OnError) -> Self {
        Self { on_error, ..self }
    }

    /// Whether an error, of what is before it or of a future, waits for what came before it. By default it does.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    /// How many values it holds: those under way, and those finished that have not come out.
    #[must_use]
    pub fn held(&self) -> u64 {
        count(self.places.len()) + if self.ordered { 0 } else { count(self.running.len()) }
    }

    /// Reads how many values were skipped, from anywhere and for as long as wanted.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        Skipped { counter: self.skipped.clone() }
    }

    fn put(&mut self, index: u64, place: Place<Chunk<U, S::Guard>>) {
        if !self.ordered {
            self.places.push_back(place);
            return;
        }
        let at = index.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(own) = at.and_then(|at| self.places.get_mut(at)) {
            *own = place;
        }
    }

    /// Gives up the first places, as long as nothing will come out of them: that of a value that was skipped, or of
    /// one whose future panicked and left nothing else. True if there was one.
    fn trim(&mut self) -> bool {
        let is_empty = |place: &Place<_>| match place {
            Place::UnderWay => self.running.is_empty(),
            Place::Finished(_) => false,
            Place::Skipped => true,
        };
        let empty = self.places.iter().take_while(|place| is_empty(place)).count();
        self.first += count(empty);
        self.places.drain(..empty);
        empty > 0
    }

    /// The next, if it may come out.
    fn take(&mut self) -> Option<Chunk<U, S::Guard>> {
        if !matches!(self.places.front()?, Place::Finished(_)) {
            return None;
        }
        self.first += 1;
        match self.places.pop_front()? {
            Place::Finished(chunk) => Some(chunk),
            Place::UnderWay | Place::Skipped => None,
        }
    }

    fn let_go(&mut self) {
        self.running.clear();
        self.places.clear();
    }
}

impl<S, F, Fut, U, E> Stage for MapConcurrent<S, F, Fut, U>
where
    S: Stage,
    F: FnMut(S::Value) -> Fut,
    Fut: Future<Output = Result<U, E>>,
    E: Into<Failure>,
{
    type Value = U;
    type Guard = S::Guard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<U, S::Guard>> {
        // Of its own: neither the futures nor what is finished need use any up.
        let budget = ready!(coop::poll_proceed(cx));
        // Everything that can go on does, before the consumer works on what comes out.
        loop {
            self.begin(cx);
            let finished = matches!(self.poll_finished(cx), Poll::Ready(Some(())));
            // A place that is given up is one for the next.
            let trimmed = self.trim();
            if !finished && !trimmed {
                break;
            }
        }
        let received = match (self.take(), &self.over) {
            (Some(chunk), _) => Ok(Some(chunk)),
            (None, Some(over)) if self.held() == 0 => over.clone().map(|()| None),
            _ => return Poll::Pending,
        };
        budget.made_progress();
        Poll::Ready(received)
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason.clone());
        if self.held() > 0 {
            // What is before it has perhaps ended; this has not, and will not bring the rest.
            self.over = self.over.take().map(|_| Err(StageError::cancelled(reason)));
            self.let_go();
        }
    }
}

/// A future that is done.
struct Done<R, G> {
    result: R,
    guard: Option<G>,
    seq: u64,
    index: u64,
}

// It pins nothing but the future, which is in a box.
impl<Fut, G> Unpin for Job<Fut, G> {}

impl<Fut: Future, G> Future for Job<Fut, G> {
    type Output = Done<Fut::Output, G>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { future, guard, seq, index } = self.get_mut();
        let result = ready!(future.as_mut().poll(cx));
        Poll::Ready(Done { result, guard: guard.take(), seq: *seq, index: *index })
    }
}

fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Reads how many values a stage has skipped.
#[derive(Clone, Debug)]
pub struct Skipped {
    counter: Counter,
}

impl Skipped {
    /// How many so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counter.count()
    }
}

impl<S: Stage + fmt::Debug, F, Fut, U> fmt::Debug for MapConcurrent<S, F, Fut, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { upstream, most, ordered, on_error, over, skipped, .. } = self;
        let mut stage = f.debug_struct("MapConcurrent");
        stage.field("upstream", upstream).field("most", most).field("ordered", ordered).field("on_error", on_error);
        stage.field("held", &self.held()).field("skipped", skipped).field("over", over).finish_non_exhaustive()
    }
}
