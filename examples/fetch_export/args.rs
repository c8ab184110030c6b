//! The options.

use crate::address::Address;
use clap::Parser;
use credit_channel::Window;
use std::path::PathBuf;
use std::time::Duration;

/// Fetches a ledger export from serve_export, and commits it row by row.
///
/// A page's credit travels back when its rows are committed, so no more than the window is ever on its way or waiting
/// here, however slow this end is. At the end it compares what it has with what the server says it sent.
///
/// Exit status: 0 if all was committed, or after --cancel-after; 1 if the export failed or the server is gone; 2 for
/// bad arguments; 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "fetch_export", version)]
pub(crate) struct Args {
    /// Where the server is: HOST:PORT, or unix:PATH
    #[arg(value_name = "ADDRESS", default_value = "127.0.0.1:4848")]
    pub(crate) address: Address,

    /// Write the report to this file, over what is there: each row's number, a tab, the row
    /// [default: a file in the system's temporary directory, removed at the end]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// At most so many pages in flight [default: 8, none if --bytes is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    window: Option<u64>,

    /// At most so many bytes in flight, instead of --window or besides it; the server cuts a page that is larger. 64 hold
    /// its last word, what it has sent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(64..))]
    bytes: Option<u64>,

    /// Take so many microseconds for each row, as a slow disk would
    #[arg(long, value_name = "N", default_value_t = 0)]
    work_us: u64,

    /// Cancel after N commits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cancel_after: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Args {
    pub(crate) fn window(&self) -> Window {
        match (self.window, self.bytes) {
            (None, None) => Window::messages(8),
            (Some(messages), None) => Window::messages(messages),
            (None, Some(bytes)) => Window::bytes(bytes),
            (Some(messages), Some(bytes)) => Window::messages(messages).and_bytes(bytes),
        }
    }

    pub(crate) fn work(&self) -> Duration {
        Duration::from_micros(self.work_us)
    }
}
