//! The options that say what is exported.

use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// What is exported.
#[derive(Args, Clone, Debug)]
pub(crate) struct LedgerOptions {
    /// The ledger to export, a line per row [default: one made up on the spot, always the same]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// Whether the first line of the input is a header: it is then neither exported nor counted
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t = Header::Auto)]
    header: Header,

    /// Export so many rows at most [default: all of the input, 1000000 without one]
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,

    /// Let the source fail after N rows
    #[arg(long, value_name = "N")]
    pub(crate) fail_at: Option<u64>,
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

impl LedgerOptions {
    pub(crate) fn has_header(&self, input: &Path) -> bool {
        match self.header {
            Header::Auto => input.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")),
            Header::Yes => true,
            Header::No => false,
        }
    }
}
