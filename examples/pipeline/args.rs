//! The options.

use clap::{Parser, ValueEnum, value_parser};
use std::time::Duration;

/// Sends a made-up ledger through a pipeline of stages, and shows what each of them holds.
///
/// Rows come a page at a time, most are dropped, the others become two lines each, every line gets a number from a
/// second source, some workers look at it, and a writer writes it. No more than 64 rows are ever read and not written,
/// however slow the writer is.
#[derive(Debug, Parser)]
#[command(name = "pipeline", version)]
pub(crate) struct Args {
    /// How many rows the ledger has
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = value_parser!(u64).range(1..))]
    pub(crate) rows: u64,

    /// The filter keeps one row in so many
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u64).range(1..))]
    pub(crate) keep: u64,

    /// What is between the stages that make lines and the workers
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Hop::Local)]
    pub(crate) hop: Hop,

    /// Up to so many workers; there are as many as the queue before them asks for
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u64).range(1..=64))]
    pub(crate) workers: u64,

    /// A worker takes so many microseconds for each line
    #[arg(long, value_name = "N", default_value_t = 0)]
    work_us: u64,

    /// The writer takes so many microseconds for each line
    #[arg(long, value_name = "N", default_value_t = 0)]
    write_us: u64,

    /// Show nothing until the end
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What the lines travel over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hop {
    /// Nothing: the next stage is on top of the one before
    Local,
    /// A TCP connection over loopback
    Tcp,
}

impl Args {
    pub(crate) fn work(&self) -> Option<Duration> {
        (self.work_us > 0).then(|| Duration::from_micros(self.work_us))
    }

    pub(crate) fn write(&self) -> Option<Duration> {
        (self.write_us > 0).then(|| Duration::from_micros(self.write_us))
    }
}
