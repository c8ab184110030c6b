//! The two ends of the channel: the task that reads and sends, and the one that receives and commits.

use crate::report::{Committed, Report};
use crate::row::Row;
use crate::source::{Source, Then};
use crate::tally::Tally;
use credit_channel::{
    CancelReason, Canceller, Chunk, Closed, CreditConsumer, CreditProducer, Failure, ForEachError, SendError, Stats,
    WeakProducer,
};
use std::future::{self, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Rows of a page.
const PAGE_ROWS: u64 = 64;

// ===== the producer =====

/// How it went, as the producer saw it.
#[derive(Debug)]
pub(crate) struct Produced {
    /// The rows whose send succeeded.
    pub(crate) sent: Tally,
    /// The number of the row that a send gave back, because the channel was closed.
    pub(crate) came_back: Option<u64>,
    /// Why the channel closed before the end.
    pub(crate) closed: Option<Closed>,
}

/// Reads the source a page at a time and sends its rows one by one.
pub(crate) async fn produce(tx: CreditProducer<Row>, mut source: Source) -> Produced {
    let mut sent = Tally::default();
    let stopped = |sent, came_back, closed| Produced { sent, came_back, closed };
    loop {
        // A consumer that stops must not wait for a slow page.
        let page = tokio::select! {
            biased;
            page = source.page(PAGE_ROWS) => page,
            closed = tx.closed() => return stopped(sent, None, Some(closed)),
        };
        for row in page.rows {
            let number = sent.rows + 1;
            let one = Tally::of(number, &row);
            // Here the producer waits while the window is used up.
            match tx.send(row).await {
                Ok(()) => sent += one,
                Err(SendError::Closed { reason, .. }) => return stopped(sent, Some(number), Some(reason)),
                // It can never be sent. What was sent before it stays good: an orderly failure.
                Err(error) => {
                    tx.fail(Failure::new(format!("row {number} is {error}")));
                    return stopped(sent, None, None);
                }
            }
        }
        match page.then {
            Then::More => {}
            // Returns when the last row is not just sent but committed.
            Then::End => return stopped(sent, None, tx.end_and_wait().await.err()),
            Then::Fail(failure) => {
                tx.fail(failure);
                return stopped(sent, None, None);
            }
        }
    }
}

// ===== the consumer =====

/// Why the consumer stopped before the end.
pub(crate) type Stopped = ForEachError<io::Error>;

/// How it went, as the consumer saw it.
#[derive(Debug)]
pub(crate) struct Consumed {
    pub(crate) result: Result<u64, Stopped>,
    /// Whether the report's file took what was committed to its buffer.
    pub(crate) flushed: io::Result<()>,
    /// The numbers of this end of the channel when it was over.
    pub(crate) stats: Stats,
    /// The time it worked; of several workers, their average, unless handing out rows took longer.
    pub(crate) busy: Duration,
}

/// Receives rows and commits them, `workers` at a time.
pub(crate) async fn consume(mut rx: CreditConsumer<Row>, commits: Arc<Commits>, workers: usize) -> Consumed {
    let own_time = Stopwatch::default();
    let result = if workers == 1 {
        own_time.of(rx.for_each(|row| future::ready(commits.commit(row)))).await
    } else {
        // Each row goes into a task of its own, and its credit with it: the window counts what is in hand.
        let handle = |row| {
            let commits = Arc::clone(&commits);
            let task = tokio::spawn(async move { commits.time.of_call(|| commits.commit(row)) });
            async move { task.await.map_err(io::Error::other)? }
        };
        own_time.of(rx.for_each_concurrent(workers, handle)).await
    };
    let flushed = commits.report.flush();
    let workers = u32::try_from(workers).unwrap_or(u32::MAX);
    let busy = own_time.read().max(commits.time.read() / workers);
    Consumed { result, flushed, stats: rx.stats(), busy }
}

/// What a commit needs, whichever task does it.
#[derive(Debug)]
pub(crate) struct Commits {
    report: Arc<Report>,
    stopper: Arc<Stopper>,
    work: Option<Duration>,
    time: Stopwatch,
}

impl Commits {
    pub(crate) fn new(report: Arc<Report>, stopper: Arc<Stopper>, work: Option<Duration>) -> Self {
        Self { report, stopper, work, time: Stopwatch::default() }
    }

    /// The work on one row. Its credit goes back when this returns and `row` is dropped, not earlier.
    fn commit(&self, row: Chunk<Row>) -> io::Result<()> {
        if let Some(time) = self.work {
            keep_busy(time);
        }
        if self.report.commit(row.seq() + 1, &row)? == Committed::Last {
            self.stopper.stop(CancelReason::Requested);
        }
        Ok(())
    }
}

/// Stands for work that needs the processor.
fn keep_busy(time: Duration) {
    // On a thread that runs tasks nothing may keep so long: the producer, which a returned credit woke, would
    // have to wait for this thread although another is free.
    tokio::task::block_in_place(|| {
        let start = Instant::now();
        while start.elapsed() < time {
            std::hint::spin_loop();
        }
    });
}

// ===== beside the two =====

/// Stops the export from the consumer's side.
#[derive(Debug)]
pub(crate) struct Stopper {
    canceller: Canceller,
    sender: WeakProducer<Row>,
    parked: OnceLock<bool>,
}

impl Stopper {
    pub(crate) fn new(canceller: Canceller, sender: WeakProducer<Row>) -> Self {
        Self { canceller, sender, parked: OnceLock::new() }
    }

    pub(crate) fn stop(&self, reason: CancelReason) {
        let parked = self.sender.stats().waiting > 0;
        if self.canceller.cancel(reason) {
            let _ = self.parked.set(parked);
        }
    }

    /// Whether the producer was waiting for credit when it was stopped.
    pub(crate) fn found_parked(&self) -> bool {
        self.parked.get().copied().unwrap_or(false)
    }
}

/// Adds up the time in which something runs, as opposed to waits.
#[derive(Debug, Default)]
struct Stopwatch {
    nanos: AtomicU64,
}

impl Stopwatch {
    /// Runs a future, and counts the time inside its polls.
    async fn of<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| self.of_call(|| future.as_mut().poll(cx))).await
    }

    fn of_call<R>(&self, call: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = call();
        self.nanos.fetch_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(0), Ordering::Relaxed);
        result
    }

    fn read(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }
}
