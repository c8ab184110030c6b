//! The options. The child is started with those of its parent, and one more.

use crate::ledger::LedgerOptions;
use clap::{Parser, ValueEnum};
use credit_channel::Window;
use std::path::PathBuf;
use std::time::Duration;

/// Sends pages of rows through the pipes of a child process, under a credit window.
///
/// This program starts itself as the child, which turns the rows into capitals. The child may be at either end of the
/// channel. Whichever end stops, fails or is killed, the other one says so.
///
/// Exit status: 0 if all was committed, or after --cancel-after; 1 if it failed or the other process is gone; 2 for
/// bad arguments; 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "child_pipe", version)]
pub(crate) struct Args {
    /// Where the rows go
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = Direction::FromChild)]
    direction: Direction,

    #[command(flatten)]
    pub(crate) ledger: LedgerOptions,

    /// Let the consumer write the rows to this file, over what is there [default: they are only counted]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// At most so many pages of 64 rows in flight
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    window: u64,

    /// Let the consumer take so many microseconds for each page
    #[arg(long, value_name = "N", default_value_t = 0)]
    work_us: u64,

    /// Let the consumer cancel after N pages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cancel_after: Option<u64>,

    /// This is the child
    #[arg(long, hide = true)]
    pub(crate) as_child: bool,
}

/// Where the rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Direction {
    /// The child reads the ledger, its parent has the rows
    FromChild,
    /// The parent reads the ledger, its child has the rows
    ToChild,
}

impl Args {
    /// Whether this process is the one that sends.
    pub(crate) fn sends(&self) -> bool {
        self.as_child == (self.direction == Direction::FromChild)
    }

    pub(crate) fn window(&self) -> Window {
        Window::messages(self.window)
    }

    pub(crate) fn work(&self) -> Duration {
        Duration::from_micros(self.work_us)
    }

    /// The other process, in a word.
    pub(crate) fn other(&self) -> &'static str {
        if self.as_child { "parent" } else { "child" }
    }
}
