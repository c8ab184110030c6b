//! What a worker does with what it has in hand.

use crate::stages::StageError;
use crate::sync::clock::Moment;
use crate::{CancelReason, Chunk, Failure};
use futures_util::FutureExt;
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// A value, and since when it is here.
#[derive(Debug)]
pub(crate) struct Submitted<T> {
    value: T,
    at: Moment,
}

impl<T> Submitted<T> {
    pub(crate) fn now(value: T) -> Self {
        Self { value, at: Moment::now() }
    }

    pub(super) fn into_value(self) -> T {
        self.value
    }
}

/// A result, and since when what it was made of has been here.
pub(crate) type Worked<U, G> = (Chunk<U, G>, Moment);

/// What came of a batch.
pub(crate) struct Done<U, G> {
    /// Its place in the order in which batches were begun.
    pub(super) place: u64,
    /// The results, up to where it failed.
    pub(super) results: Vec<Worked<U, G>>,
    pub(super) failure: Option<StageError>,
    /// How long it took.
    pub(super) took: Duration,
}

/// A handler, of values or of batches. Its panics end here, so that the credit in the worker's hand is still known.
pub(crate) trait Work<T, U>: Send + Sync + 'static {
    fn run<G: Send>(
        self: Arc<Self>,
        place: u64,
        batch: Vec<Chunk<Submitted<T>, G>>,
    ) -> impl Future<Output = Done<U, G>> + Send;
}

/// Each value by itself.
pub(crate) struct Each<F>(pub(crate) F);

impl<T, U, F, Fut, E> Work<T, U> for Each<F>
where
    T: Send,
    U: Send,
    F: Fn(T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<U, E>> + Send,
    E: Into<Failure>,
{
    async fn run<G: Send>(self: Arc<Self>, place: u64, batch: Vec<Chunk<Submitted<T>, G>>) -> Done<U, G> {
        let began = Moment::now();
        let mut results = Vec::with_capacity(batch.len());
        let mut failure = None;
        for chunk in batch {
            let seq = chunk.seq();
            let (Submitted { value, at }, guard) = chunk.into_parts();
            match caught(|| (self.0)(value)).await {
                Ok(value) => results.push((Chunk::from_parts(value, seq, guard), at)),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        Done { place, results, failure, took: began.elapsed() }
    }
}

/// All values of a batch in one call.
pub(crate) struct Batches<F>(pub(crate) F);

impl<T, U, F, Fut, E> Work<T, U> for Batches<F>
where
    T: Send,
    U: Send,
    F: Fn(Vec<T>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Vec<U>, E>> + Send,
    E: Into<Failure>,
{
    async fn run<G: Send>(self: Arc<Self>, place: u64, batch: Vec<Chunk<Submitted<T>, G>>) -> Done<U, G> {
        let began = Moment::now();
        let mut values = Vec::with_capacity(batch.len());
        let mut labels = Vec::with_capacity(batch.len());
        for chunk in batch {
            let seq = chunk.seq();
            let (Submitted { value, at }, guard) = chunk.into_parts();
            values.push(value);
            labels.push((seq, guard, at));
        }
        let checked = caught(|| (self.0)(values)).await.and_then(|results| {
            if results.len() == labels.len() {
                return Ok(results);
            }
            Err(StageError::ResultCount { given: count(labels.len()), came: count(results.len()) })
        });
        let took = began.elapsed();
        match checked {
            Ok(values) => {
                let label = |(value, (seq, guard, at))| (Chunk::from_parts(value, seq, guard), at);
                Done { place, results: values.into_iter().zip(labels).map(label).collect(), failure: None, took }
            }
            Err(error) => Done { place, results: Vec::new(), failure: Some(error), took },
        }
    }
}

/// Calls a handler and runs what it returns, whichever of the two may panic.
async fn caught<U, E, Fut>(call: impl FnOnce() -> Fut + Send) -> Result<U, StageError>
where
    Fut: Future<Output = Result<U, E>> + Send,
    E: Into<Failure>,
{
    let work = async { call().await.map_err(|error| StageError::Handler(error.into())) };
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(done) => done,
        Err(payload) => Err(panicked(&*payload)),
    }
}

/// What is said of a panic.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> StageError {
    let text = match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => Failure::from(*text),
        (None, Some(text)) => Failure::from(text.clone()),
        (None, None) => Failure::from("without a text"),
    };
    StageError::HandlerPanic(text)
}

/// What is before the workers is told of such a failure.
pub(super) fn reason_for(failure: &StageError) -> CancelReason {
    match failure {
        StageError::HandlerPanic(_) => CancelReason::HandlerPanic,
        StageError::Handler(failure) => CancelReason::HandlerError(failure.text().into()),
        other => CancelReason::HandlerError(other.to_string().into()),
    }
}

/// A length as a count.
pub(super) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
