//! The options.

use crate::connect::Way;
use crate::ledger::LedgerOptions;
use clap::Parser;
use credit_channel::Window;
use std::path::PathBuf;
use std::time::Duration;

/// Exports a ledger to a report, row by row, under a credit window.
///
/// A producer reads rows a page at a time and sends them; a consumer commits them to the report. A row's credit
/// goes back when it is committed, so no more than the window and a page of 64 rows is ever read and not yet
/// committed, however slow the report is. A live line shows the run (on a terminal only), a summary proves that nothing was lost.
///
/// A row is a line, its line end included, carried byte for byte: it need not be text, CRLF stays CRLF, and the
/// last line needs no line end. An empty line is a row; a quoted field with a line break is two.
///
/// Exit status: 0 if all was committed, or after --cancel-after; 1 if the export failed; 2 for bad arguments;
/// 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "export", version)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) ledger: LedgerOptions,

    /// Write the report to this file, over what is there: each row's number, a tab, the row
    /// [default: a file in the system's temporary directory, removed at the end]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// What carries the rows from the producer to the consumer
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Way::Local)]
    pub(crate) transport: Way,

    /// At most so many rows in flight [default: 64, none if --bytes is given]
    #[arg(long, value_name = "N")]
    window: Option<u64>,

    /// At most so many bytes in flight, instead of --window or besides it; over a connection a row costs the bytes
    /// it travels in, which are 1 to 5 more
    #[arg(long, value_name = "N")]
    bytes: Option<u64>,

    /// Keep the processor busy so many microseconds for each row
    #[arg(long, value_name = "N", default_value_t = 0)]
    work_us: u64,

    /// Commit so many rows at the same time; with more than 1 their order in the report may change
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: u16,

    /// Let the consumer cancel after N commits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cancel_after: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Args {
    /// The window that was asked for. Whether it makes sense the channel says.
    pub(crate) fn window(&self) -> Window {
        match (self.window, self.bytes) {
            (None, None) => Window::messages(64),
            (Some(messages), None) => Window::messages(messages),
            (None, Some(bytes)) => Window::bytes(bytes),
            (Some(messages), Some(bytes)) => Window::messages(messages).and_bytes(bytes),
        }
    }

    pub(crate) fn work(&self) -> Option<Duration> {
        (self.work_us > 0).then(|| Duration::from_micros(self.work_us))
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers.into()
    }
}
