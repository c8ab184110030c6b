//! The options.

use crate::address::Address;
use crate::ledger::LedgerOptions;
use clap::Parser;

/// Serves a ledger export to whoever connects: fetch_export is the client.
///
/// Each client gets the whole ledger, a page of rows per chunk, at its own pace: it brings its own window, and what is
/// out and not yet committed there never exceeds it. Several may come at once; one that breaks the protocol or dies
/// costs the others nothing. After the rows comes what was counted here, so that a client can tell that it has them all.
///
/// Ctrl-C stops it: who is in the middle of an export is told so.
///
/// Exit status: 0 if every export that was begun was completed, or cancelled by its client; 1 if one failed; 2 for
/// bad arguments; 130 if Ctrl-C cut one short.
#[derive(Debug, Parser)]
#[command(name = "serve_export", version)]
pub(crate) struct Args {
    /// Where to listen: HOST:PORT (port 0 is any that is free), or unix:PATH
    #[arg(value_name = "ADDRESS", default_value = "127.0.0.1:4848")]
    pub(crate) address: Address,

    #[command(flatten)]
    pub(crate) ledger: LedgerOptions,

    /// Rows of a page
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub(crate) page: u64,

    /// End after so many exports [default: go on until Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) exports: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
