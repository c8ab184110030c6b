//! What a pool is to be, and making it.

use super::admission::Admission;
use super::board::{Board, PoolMeter, Tally};
use super::control::{Controller, QueueThreshold};
use super::error::WorkersError;
use super::foreman::{Foreman, Tools};
use super::inbox::Inbox;
use super::job::{Batches, Each, Submitted, Work};
use super::pool::Pool;
use super::sampler::Sampler;
use crate::channel::Meter;
use crate::stages::{ErrorOrder, Stage};
use crate::{CreditGuard, Failure, Window, channel};
use std::fmt;
use std::future::poll_fn;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;

/// How often a pool that may grow and shrink is looked at, unless told otherwise.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);
/// How long a worker may have nothing to do, unless told otherwise.
const IDLE_AFTER: Duration = Duration::from_secs(5);

/// What a pool of workers is to be: see the [module](super) for what each of this bounds and costs.
///
/// It becomes a pool behind a stage with [`Stage::spawn_workers`] or [`Stage::spawn_batch_workers`], or one with an
/// [`Inbox`] of its own with [`spawn`](Self::spawn) or [`spawn_batches`](Self::spawn_batches).
#[must_use = "it does nothing until it is spawned"]
pub struct Workers {
    min: u64,
    max: u64,
    inbox: Option<u64>,
    batch: u64,
    controller: Option<(Box<dyn Controller>, Duration)>,
    admission: Option<Box<dyn Admission>>,
    ordered: bool,
    error_order: ErrorOrder,
}

/// What a controller can decide between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) min_workers: u64,
    pub(super) max_workers: u64,
    pub(super) max_batch: u64,
}

impl Workers {
    /// So many workers: at first the fewest, then as the controller says.
    pub fn new(workers: RangeInclusive<u64>) -> Self {
        let (min, max) = workers.into_inner();
        Self {
            min,
            max,
            inbox: None,
            batch: 1,
            controller: None,
            admission: None,
            ordered: false,
            error_order: ErrorOrder::default(),
        }
    }

    /// How many values may be in the pool: queued, in work, waiting to be taken, and taken and not done with. Default:
    /// two batches for each of the most workers.
    pub fn inbox(self, capacity: u64) -> Self {
        Self { inbox: Some(capacity), ..self }
    }

    /// How many values a worker takes at once at most, of those that wait: it never waits for a batch to be full.
    /// Default: 1.
    pub fn batch(self, max: u64) -> Self {
        Self { batch: max, ..self }
    }

    /// Who decides how many workers there are and how much they take at once, asked every so often. It needs the
    /// runtime's time driver. Default: nobody, if there is nothing to decide; else, every 100 ms, a [`QueueThreshold`]
    /// of a quarter of the inbox, which removes what was idle for 5 s.
    pub fn controller(self, controller: impl Controller + 'static, every: Duration) -> Self {
        Self { controller: Some((Box::new(controller), every)), ..self }
    }

    /// Who decides how fast an [`Inbox`] lets values in. Default: as fast as there is room.
    pub fn admission(self, admission: impl Admission + 'static) -> Self {
        Self { admission: Some(Box::new(admission)), ..self }
    }

    /// Results come out in the order of their values. What is done before its turn waits, in the pool's window: one slow
    /// value can keep all workers waiting.
    pub fn ordered(self) -> Self {
        Self { ordered: true, ..self }
    }

    /// Results come out as they are done. The default.
    pub fn unordered(self) -> Self {
        Self { ordered: false, ..self }
    }

    /// Whether a failure waits for what comes before it. By default it does: in order, that is the work on everything in
    /// front of it; else the work that is under way.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    /// Spawns a pool with an inbox, whose workers handle values one by one.
    ///
    /// # Errors
    ///
    /// [`WorkersError`] if the parts do not fit together, or outside of a tokio runtime.
    ///
    /// # Panics
    ///
    /// If there is a controller (for a range of workers there always is), on a runtime without its time driver, as
    /// tokio's timers do.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::Failure;
    /// use credit_channel::stages::Stage;
    /// use credit_channel::workers::{Refused, Workers};
    ///
    /// let workers = Workers::new(2..=2).inbox(3).ordered();
    /// let (inbox, mut results) = workers.spawn(|n: u64| async move { Ok::<_, Failure>(n * n) })?;
    /// for n in 0..3 {
    ///     inbox.try_submit(n)?;
    /// }
    /// // As many as that are in the pool until their results are done with.
    /// assert_eq!(inbox.try_submit(3), Err(Refused::Full(3)));
    ///
    /// let first = results.recv().await?.unwrap();
    /// assert_eq!(*first, 0);
    /// drop(first);
    /// inbox.try_submit(3)?;
    /// inbox.end();
    /// let mut sum = 0;
    /// while let Some(square) = results.recv().await? {
    ///     sum += *square;
    /// }
    /// assert_eq!(sum, 1 + 4 + 9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn spawn<T, U, F, Fut, E>(self, handler: F) -> Result<(Inbox<T>, Pool<U, CreditGuard>), WorkersError>
    where
        T: Send + 'static,
        U: Send + 'static,
        F: Fn(T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<U, E>> + Send + 'static,
        E: Into<Failure> + 'static,
    {
        self.open(Each(handler))
    }

    /// Spawns a pool with an inbox, whose workers handle values by the batch: for each value one result, at the same
    /// place.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Self::spawn).
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    pub fn spawn_batches<T, U, F, Fut, E>(self, handler: F) -> Result<(Inbox<T>, Pool<U, CreditGuard>), WorkersError>
    where
        T: Send + 'static,
        U: Send + 'static,
        F: Fn(Vec<T>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<U>, E>> + Send + 'static,
        E: Into<Failure> + 'static,
    {
        self.open(Batches(handler))
    }

    fn open<T, U, W>(self, work: W) -> Result<(Inbox<T>, Pool<U, CreditGuard>), WorkersError>
    where
        T: Send + 'static,
        U: Send + 'static,
        W: Work<T, U>,
    {
        let window = self.window()?;
        let (tx, rx) = channel::<Submitted<T>>(window).map_err(|_| WorkersError::NoInbox)?;
        let meter = rx.meter();
        let pool = self.start(rx, meter, work)?;
        Ok((Inbox::new(tx, pool.meter()), pool))
    }

    /// Behind a stage.
    pub(crate) fn spawn_on<S, U, W>(
        self,
        upstream: S,
        work: W,
    ) -> Result<Pool<U, (CreditGuard, S::Guard)>, WorkersError>
    where
        S: Stage + Send + 'static,
        S::Value: Send + 'static,
        S::Guard: Send + 'static,
        U: Send + 'static,
        W: Work<S::Value, U>,
    {
        if self.admission.is_some() {
            return Err(WorkersError::NothingToRefuse);
        }
        let capacity = self.window()?.message_limit().unwrap_or(0);
        let windowed = upstream.windowed(capacity).map_err(|_| WorkersError::NoInbox)?;
        let meter = windowed.meter();
        self.start(windowed.map(Submitted::now), meter, work)
    }

    fn start<S, T, U, W>(self, upstream: S, meter: Meter, work: W) -> Result<Pool<U, S::Guard>, WorkersError>
    where
        S: Stage<Value = Submitted<T>> + Send + 'static,
        S::Guard: Send + 'static,
        T: Send + 'static,
        U: Send + 'static,
        W: Work<T, U>,
    {
        let window = self.window()?;
        let Ok(runtime) = Handle::try_current() else { return Err(WorkersError::NoRuntime) };
        let limits = Limits { min_workers: self.min, max_workers: self.max, max_batch: self.batch };
        let tally = Tally { workers: self.min, batch: self.batch, ..Tally::default() };
        let board = Board::new(self.admission.as_ref().map(|admission| admission.rate()), tally);
        let threshold = window.message_limit().unwrap_or(0) / 4;
        let controller: Option<(Box<dyn Controller>, Duration)> = match self.controller {
            None if self.min == self.max => None,
            None => Some((Box::new(QueueThreshold::new(threshold, IDLE_AFTER)), SAMPLE_EVERY)),
            given => given,
        };
        let sampler = controller.map(|(controller, every)| Sampler::new(controller, every));
        // As large as the window before, so that there is room for all that was let in.
        let (tx, rx) = channel(window).map_err(|_| WorkersError::NoInbox)?;
        let verdict = Arc::new(OnceLock::new());
        let mut foreman = Foreman::new(Tools {
            upstream,
            work,
            out: tx,
            verdict: Arc::clone(&verdict),
            sampler,
            admission: self.admission,
            limits,
            ordered: self.ordered,
            error_order: self.error_order,
            tally,
            board: Arc::clone(&board),
        });
        let task = runtime.spawn(async move { poll_fn(|cx| foreman.poll(cx)).await });
        Ok(Pool::new(rx, verdict, task, PoolMeter::new(board, meter)))
    }

    /// The window round the pool, if everything fits together.
    fn window(&self) -> Result<Window, WorkersError> {
        if self.min == 0 || self.min > self.max {
            return Err(WorkersError::Range { min: self.min, max: self.max });
        }
        if self.batch == 0 {
            return Err(WorkersError::NoBatch);
        }
        if self.controller.as_ref().is_some_and(|(_, every)| every.is_zero()) {
            return Err(WorkersError::NoInterval);
        }
        let two_each = || self.max.saturating_mul(self.batch).saturating_mul(2);
        match self.inbox.unwrap_or_else(two_each) {
            0 => Err(WorkersError::NoInbox),
            capacity => Ok(Window::messages(capacity)),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("min", &self.min)
            .field("max", &self.max)
            .field("inbox", &self.inbox)
            .field("batch", &self.batch)
            .field("ordered", &self.ordered)
            .field("error_order", &self.error_order)
            .finish_non_exhaustive()
    }
}
