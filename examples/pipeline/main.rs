//! A pipeline of stages between a ledger and a slow writer, and what each of them holds.
//!
//! ```text
//!   paged source ─▶ filter ─▶ expand ─▶ zip ─▶ (hop) ─▶ workers ─▶ writer
//!     64/48        most go    2 lines    ▲    local or    1..4        │
//!       ▲                     a row    numbers   TCP                  │
//!       └──────────── credit, row by row, once its last line is ◀─────┘
//! ```
//!
//! ```sh
//! cargo run --release --example pipeline                               # a million rows
//! cargo run --release --example pipeline -- --hop tcp
//! cargo run --release --example pipeline -- --rows 20000 --write-us 200   # a slow writer
//! ```
//!
//! Every stage carries the credit, so whatever happens behind it, the source is never more than its 64 rows ahead of the
//! writer. The example counts that by itself as well, and fails if it is not so.
//!
//! * [`ledger`]: the rows, and who is how far ahead of whom. [`chain`]: the stages. [`hop`]: the connection between them,
//!   if there is one.
//! * [`board`]: what each stage holds, live and at the end.

mod args;
mod board;
mod chain;
#[path = "../shared/cli.rs"]
mod cli;
mod hop;
mod ledger;
#[path = "../shared/numbers.rs"]
mod numbers;

use args::Args;
use board::Board;
use chain::{CAPACITY, run};
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, fail};
use ledger::Ledger;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let ledger = Arc::new(Ledger::new(args.rows, args.keep));
    let board = match Board::new(&args, Arc::clone(&ledger)) {
        Ok(board) => Arc::new(board),
        Err(message) => return fail(BAD_ARGUMENTS, &message),
    };
    let ended = runtime.block_on(async {
        let drawing = tokio::spawn(Arc::clone(&board).draw());
        let ended = tokio::select! {
            ended = run(&args, Arc::clone(&ledger), &board) => Some(ended),
            // What runs is dropped, from the writer back to the source.
            _ = tokio::signal::ctrl_c() => None,
        };
        drawing.abort();
        ended
    });
    board.clear();
    if let Err(message) = cli::print(&board.summary()) {
        return fail(FAILED, &message);
    }
    let ahead = ledger.most_ahead();
    match ended {
        None => fail(INTERRUPTED, "interrupted"),
        Some(Err(message)) => fail(FAILED, &message),
        Some(Ok(())) if ahead > CAPACITY => fail(FAILED, &format!("the source was {ahead} rows ahead of the writer")),
        Some(Ok(())) if !ledger.is_complete() => fail(FAILED, "lines are missing, or there are too many"),
        Some(Ok(())) => ExitCode::SUCCESS,
    }
}
