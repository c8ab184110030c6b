//! The options.

use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};
use credit_channel::Window;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
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
    /// The ledger to export, a line per row [default: one made up on the spot, always the same]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// Whether the first line of the input is a header: it is then neither exported nor counted
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t = Header::Auto)]
    header: Header,

    /// Write the report to this file, over what is there: each row's number, a tab, the row
    /// [default: a file in the system's temporary directory, removed at the end]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Export so many rows at most [default: all of the input, 1000000 without one]
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,

    /// At most so many rows in flight [default: 64, none if --bytes is given]
    #[arg(long, value_name = "N")]
    window: Option<u64>,

    /// At most so many bytes in flight, instead of --window or besides it
    #[arg(long, value_name = "N")]
    bytes: Option<u64>,

    /// Keep the processor busy so many microseconds for each row
    #[arg(long, value_name = "N", default_value_t = 0)]
    work_us: u64,

    /// Commit so many rows at the same time; with more than 1 their order in the report may change
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: u16,

    /// Let the source fail after N rows
    #[arg(long, value_name = "N")]
    pub(crate) fail_at: Option<u64>,

    /// Let the consumer cancel after N commits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cancel_after: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Whether the first line is a header.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Header {
    /// If the input's name ends in .csv
    Auto,
    /// Always
    Yes,
    /// Never
    No,
}

impl Args {
    /// Reads the command line; what is wrong with it comes as one line.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
                // A reader that has seen enough of the help is no error.
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            // clap says what is wrong, then an empty line, then advice: we keep the first part.
            let text = error.to_string();
            let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
            crate::complain(&format!("{what} (--help says more)"));
            ExitCode::from(crate::BAD_ARGUMENTS)
        })
    }

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

    pub(crate) fn has_header(&self, input: &Path) -> bool {
        match self.header {
            Header::Auto => input.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")),
            Header::Yes => true,
            Header::No => false,
        }
    }
}
