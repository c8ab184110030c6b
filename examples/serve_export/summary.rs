//! What is said of an export when it is over.

use crate::export::{Outcome, SoFar};
use crate::numbers::{count, grouped};
use crate::progress::of_window;
use crate::rates::{Share, per_second};
use credit_channel::Stats;
use std::fmt::{self, Display};
use std::time::Duration;

/// All that is known at the end of an export.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) number: u64,
    pub(crate) peer: String,
    pub(crate) outcome: Outcome,
    pub(crate) so_far: SoFar,
    pub(crate) stats: Stats,
    pub(crate) time: Duration,
}

impl Summary {
    /// How it ended, and how far it got.
    pub(crate) fn line(&self) -> String {
        let SoFar { sent, pages, committed, .. } = self.so_far;
        let far = format!(
            "{} in {} sent, of which the client had committed at least {}",
            count(sent.rows, "row"),
            count(pages, "page"),
            grouped(committed)
        );
        let outcome = match &self.outcome {
            Outcome::Complete => "complete: the client has committed every row".into(),
            Outcome::Cancelled(reason) => format!("cancelled by the client: {reason}; {far}"),
            Outcome::Lost(reason) => format!("the client is gone ({reason}); {far}"),
            Outcome::Failed(failure) => format!("failed: {failure}; {far}"),
            Outcome::CutShort => format!("cut short by the server's shutdown; {far}"),
        };
        format!("export {} to {}: {outcome}", self.number, self.peer)
    }

    /// What this end can tell. Whether the client was busy while this end waited is in the client's own summary.
    fn diagnosis(&self) -> String {
        // For credit while it sent, and for the last commits when it had sent all.
        let waited = Share::of(self.stats.park_time + self.time.saturating_sub(self.so_far.latest), self.time);
        if self.so_far.sent.rows == 0 {
            return "Nothing was sent, so there is nothing to say.".into();
        }
        if waited < Share::percent(5) {
            let rest = waited.rest();
            return format!(
                "The server is the limit: it waited {waited} of the time for the client and worked {rest}."
            );
        }
        format!("The client or its window is the limit: the server waited {waited} of the time for it.")
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stats, sent) = (&self.stats, self.so_far.sent);
        let parked = Share::of(stats.park_time, self.time);
        writeln!(f, "{}", self.line())?;
        writeln!(f, "  sent        {sent}")?;
        writeln!(f, "  in flight   peak {} of the client's window", of_window(stats.peak_depth, stats.window))?;
        writeln!(f, "  parked      {}, {:.3?}, {parked} of the time", count(stats.parks, "time"), stats.park_time)?;
        writeln!(f, "  time        {:.3?}, {} rows/s", self.time, grouped(per_second(sent.rows, self.time)))?;
        writeln!(f, "  diagnosis   {}", self.diagnosis())
    }
}
