//! The options.

use crate::spec::{Spec, regimes, usual};
use clap::{Parser, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// Runs producers and consumers with made-up work, each pair on a channel of its own, and shows live who waits for whom.
///
/// Up and down select a job; + and - double and halve its window, ] and [ the consumer's work, } and { the
/// producer's; a lets the window adapt by itself, or leaves it alone again; q quits.
#[derive(Debug, Parser)]
#[command(name = "watch", version)]
pub(crate) struct Args {
    /// A job to run instead of the usual ones; may be given more than once. For example
    /// name=export,over=tcp,delay=10,produce=500,consume=2000,window=16: the work for each chunk in microseconds,
    /// the delay of the connection, each way, in milliseconds
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = Spec::parse)]
    job: Vec<Spec>,

    /// Three jobs whose trouble is known, for 6 s, drawn to regimes.svg
    #[arg(long, conflicts_with = "job")]
    regimes: bool,

    /// Without a terminal, for so many seconds; prints a table at the end
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=86_400))]
    headless: Option<u64>,

    /// Writes a line per look and job to this file: CSV if it is named .csv, JSON lines if .json, .jsonl or .ndjson
    #[arg(long, value_name = "FILE", value_parser = crate::record::path)]
    pub(crate) record: Option<PathBuf>,

    /// Draws the last ten minutes into this file at the end
    #[arg(long, value_name = "FILE.svg", value_parser = crate::plot::path)]
    plot: Option<PathBuf>,
}

impl Args {
    pub(crate) fn jobs(&self) -> Vec<Spec> {
        match self.job.as_slice() {
            [] if self.regimes => regimes(),
            [] => usual(),
            given => given.to_vec(),
        }
    }

    /// For how long to run without a terminal, if so.
    pub(crate) fn headless(&self) -> Option<Duration> {
        self.headless.or_else(|| self.regimes.then_some(6)).map(Duration::from_secs)
    }

    pub(crate) fn plot(&self) -> Option<PathBuf> {
        self.plot.clone().or_else(|| self.regimes.then(|| PathBuf::from("regimes.svg")))
    }
}
