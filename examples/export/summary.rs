//! What is said at the end: the numbers, whether they are right, and what they mean.

use crate::connect::Way;
use crate::diagnosis::{Picture, diagnose};
use crate::loss::loss;
use crate::numbers::{count, grouped};
use crate::pipeline::{Consumed, Produced};
use crate::progress::of_window;
use crate::rates::{Share, per_second};
use crate::tally::Tally;
use credit_channel::{CancelReason, ForEachError, RecvError, Stats};
use std::fmt::{self, Display};
use std::time::Duration;

/// All that is known at the end.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) source: String,
    pub(crate) report: String,
    pub(crate) report_path: String,
    pub(crate) transport: Way,
    pub(crate) workers: usize,
    /// The numbers of the producer's end, the window's and the parks'. Within a process both ends have the same.
    pub(crate) sender: Stats,
    pub(crate) produced: Produced,
    pub(crate) committed: Tally,
    pub(crate) consumed: Consumed,
    /// Whether a send was waiting for credit when the export was stopped.
    pub(crate) found_parked: bool,
    pub(crate) wall: Duration,
    /// Of the options, what was asked for and not reached.
    pub(crate) not_reached: Option<String>,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was committed.
    Complete,
    /// It was stopped before, as asked for. The text is for the summary.
    Stopped(String),
    /// Somebody pressed Ctrl-C.
    Interrupted(String),
    /// It went wrong. The text is for the summary and for stderr.
    Failed(String),
}

impl Summary {
    /// How it ended.
    pub(crate) fn outcome(&self) -> Outcome {
        if let Err(error) = &self.consumed.flushed {
            return Outcome::Failed(self.report_failed(error));
        }
        match &self.consumed.result {
            Ok(_) => match loss(self.produced.sent, self.committed) {
                None => Outcome::Complete,
                Some(loss) => Outcome::Failed(loss),
            },
            Err(ForEachError::Recv(RecvError::Failed(failure))) => {
                let sent = count(self.produced.sent.rows, "row");
                let rest =
                    loss(self.produced.sent, self.committed).unwrap_or_else(|| "what it had sent was committed".into());
                Outcome::Failed(format!("the producer failed after {sent}: {failure}; {rest}"))
            }
            Err(ForEachError::Recv(RecvError::Cancelled(CancelReason::Requested))) => {
                Outcome::Stopped(format!("cancelled after {}", self.stopped_at()))
            }
            Err(ForEachError::Recv(RecvError::Cancelled(CancelReason::Shutdown))) => {
                Outcome::Interrupted(format!("interrupted after {}", self.stopped_at()))
            }
            Err(ForEachError::Handler(error)) => Outcome::Failed(self.report_failed(error)),
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }

    fn report_failed(&self, error: &dyn Display) -> String {
        format!("cannot write {}: {error}", self.report_path)
    }

    /// Where a stop found both ends.
    fn stopped_at(&self) -> String {
        let dropped = self.produced.sent.rows.saturating_sub(self.committed.rows);
        let commits = count(self.committed.rows, "commit");
        let unsent = match (self.produced.came_back, self.found_parked) {
            (Some(row), true) => format!("the producer's parked send woke and gave row {} back", grouped(row)),
            (Some(row), false) => format!("the producer's next send gave row {} back", grouped(row)),
            (None, _) => "the producer was told between two sends".into(),
        };
        format!("{commits}; {} in flight dropped; {unsent}", count(dropped, "row"))
    }

    fn checksums(&self) -> &'static str {
        match (&self.consumed.result, self.produced.sent == self.committed) {
            (_, true) => "equal",
            // After a stop the two ends counted different rows, and rightly so.
            (Err(ForEachError::Recv(RecvError::Cancelled(_))), false) => "not comparable: rows in flight were dropped",
            (_, false) => "DIFFERENT",
        }
    }

    fn diagnosis(&self) -> String {
        let Stats { window, peak_depth, park_time, .. } = self.sender;
        diagnose(&Picture {
            rows: self.produced.sent.rows,
            filled: window.message_limit() == Some(peak_depth.messages())
                || window.byte_limit() == Some(peak_depth.bytes()),
            parked: Share::of(park_time, self.wall),
            busy: Share::of(self.consumed.busy, self.wall),
            workers: self.workers,
        })
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = &self.sender;
        let workers = count(u64::try_from(self.workers).unwrap_or(u64::MAX), "worker");
        let parked = Share::of(stats.park_time, self.wall);
        let rate = per_second(self.committed.rows, self.wall);
        writeln!(f, "ledger      {}", self.source)?;
        writeln!(f, "report      {}", self.report)?;
        writeln!(f, "transport   {}", self.transport)?;
        writeln!(f, "window      {}, {workers}", stats.window)?;
        writeln!(f, "produced    {}", self.produced.sent)?;
        writeln!(f, "committed   {}", self.committed)?;
        writeln!(f, "checksums   {}", self.checksums())?;
        let (peak, left) = (of_window(stats.peak_depth, stats.window), self.consumed.stats.depth);
        writeln!(f, "in flight   peak {peak}, at the end {left}")?;
        writeln!(f, "parked      {}, {:.3?}, {parked} of the time", count(stats.parks, "time"), stats.park_time)?;
        let busy = Share::of(self.consumed.busy, self.wall);
        writeln!(f, "consumer    busy {busy} of the time")?;
        writeln!(f, "time        {:.3?}, {} rows/s", self.wall, grouped(rate))?;
        let outcome = match self.outcome() {
            Outcome::Complete => "complete: every row was committed".into(),
            Outcome::Stopped(text) | Outcome::Interrupted(text) => text,
            Outcome::Failed(text) => format!("FAILED: {text}"),
        };
        writeln!(f, "outcome     {outcome}")?;
        if let Some(closed) = &self.produced.closed {
            writeln!(f, "producer    was told: {closed}")?;
        }
        if let Some(option) = &self.not_reached {
            writeln!(f, "note        {option} was not reached")?;
        }
        writeln!(f, "diagnosis   {}", self.diagnosis())
    }
}
