//! What is said at the end: the numbers, whether they are right, and what they mean.

use crate::diagnosis::{Picture, diagnose};
use crate::fetch::Fetched;
use crate::loss::loss;
use crate::numbers::{count, grouped};
use crate::progress::of_window;
use crate::rates::{Share, per_second};
use crate::tally::Tally;
use credit_channel::{CancelReason, ForEachError, RecvError, Stats};
use std::fmt::{self, Display};
use std::time::Duration;

/// All that is known at the end.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) server: String,
    pub(crate) report: String,
    pub(crate) report_path: String,
    pub(crate) committed: Tally,
    pub(crate) fetched: Fetched,
    pub(crate) wall: Duration,
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
        if let Err(error) = &self.fetched.flushed {
            return Outcome::Failed(self.report_failed(error));
        }
        let far = format!("{} committed", count(self.committed.rows, "row"));
        match &self.fetched.result {
            Ok(_) => match self.fetched.total.map(|total| loss(total.sent, self.committed)) {
                Some(None) => Outcome::Complete,
                Some(Some(loss)) => Outcome::Failed(loss),
                None => Outcome::Failed(format!("the server ended without a total: {far}")),
            },
            Err(ForEachError::Recv(RecvError::Failed(failure))) => {
                Outcome::Failed(format!("the server failed: {failure}; {far}"))
            }
            Err(ForEachError::Recv(RecvError::Truncated { received, reason })) => {
                let pages = count(*received, "page");
                Outcome::Failed(format!("the server is gone after {pages} ({reason}); {far}, the rest is missing"))
            }
            Err(ForEachError::Recv(RecvError::Cancelled(CancelReason::Requested))) => {
                Outcome::Stopped(format!("cancelled, {far}"))
            }
            Err(ForEachError::Recv(RecvError::Cancelled(CancelReason::Shutdown))) => {
                Outcome::Interrupted(format!("interrupted, {far}"))
            }
            Err(ForEachError::Handler(error)) => Outcome::Failed(self.report_failed(error)),
            Err(error) => Outcome::Failed(format!("{error}; {far}")),
        }
    }

    fn report_failed(&self, error: &dyn Display) -> String {
        format!("cannot write {}: {error}", self.report_path)
    }

    fn diagnosis(&self) -> Option<String> {
        let Stats { window, peak_depth, .. } = self.fetched.stats;
        // Without the server's word nobody knows how long it waited for credit.
        let total = self.fetched.total?;
        Some(diagnose(&Picture {
            rows: total.sent.rows,
            filled: window.message_limit() == Some(peak_depth.messages())
                || window.byte_limit() == Some(peak_depth.bytes()),
            parked: Share::of(total.park_time, self.wall),
            busy: Share::of(self.fetched.busy, self.wall),
            workers: 1,
        }))
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { window, peak_depth, depth, .. } = self.fetched.stats;
        writeln!(f, "server      {}", self.server)?;
        writeln!(f, "report      {}", self.report)?;
        writeln!(f, "window      {window}")?;
        let checksums = match self.fetched.total {
            Some(total) => {
                writeln!(f, "sent        {}", total.sent)?;
                if total.sent == self.committed { "equal" } else { "DIFFERENT" }
            }
            None => "not compared: the server's total did not come",
        };
        writeln!(f, "committed   {}", self.committed)?;
        writeln!(f, "checksums   {checksums}")?;
        // Only what has arrived: what is still on its way counts for the window too, but only the server sees it.
        writeln!(f, "in hand     peak {}, at the end {depth}", of_window(peak_depth, window))?;
        if let Some(total) = self.fetched.total {
            let parked = Share::of(total.park_time, self.wall);
            let parks = count(total.parks, "time");
            writeln!(f, "parked      {parks}, {:.3?}, {parked} of the time, at the server", total.park_time)?;
        }
        writeln!(f, "consumer    busy {} of the time", Share::of(self.fetched.busy, self.wall))?;
        writeln!(f, "time        {:.3?}, {} rows/s", self.wall, grouped(per_second(self.committed.rows, self.wall)))?;
        let outcome = match self.outcome() {
            Outcome::Complete => "complete: every row was committed".into(),
            Outcome::Stopped(text) | Outcome::Interrupted(text) => text,
            Outcome::Failed(text) => format!("FAILED: {text}"),
        };
        writeln!(f, "outcome     {outcome}")?;
        match self.diagnosis() {
            Some(diagnosis) => writeln!(f, "diagnosis   {diagnosis}"),
            None => Ok(()),
        }
    }
}
