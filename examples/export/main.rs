//! Exports a ledger to a report under a credit window, and shows what the window does.
//!
//! ```text
//!   Source ──page──▶ produce ──send──▶ ▒▒ window ▒▒ ──recv──▶ consume ──commit──▶ Report
//!                       ▲                                                  │
//!                       └───────────── credit, row by row ◀────────────────┘
//! ```
//!
//! ```sh
//! cargo run --release --example export                                      # a million rows, made up
//! cargo run --release --example export -- --input rows.csv --window 8
//! cargo run --release --example export -- --rows 20000 --work-us 200        # a slow consumer
//! cargo run --release --example export -- --rows 20000 --work-us 200 --workers 4
//! cargo run --release --example export -- --cancel-after 1000               # the consumer has seen enough
//! ```
//!
//! * [`pipeline`]: the two tasks, and the only place that touches the channel.
//! * [`source`], [`generate`]: rows in, a page at a time. [`report`]: rows out. [`tally`]: what both ends count.
//! * [`progress`]: the live line. [`summary`], [`diagnosis`]: the end, in numbers and in one sentence.

mod args;
mod diagnosis;
mod generate;
mod numbers;
mod pipeline;
mod progress;
mod report;
mod source;
mod summary;
mod tally;

use args::Args;
use credit_channel::{CancelReason, weighted};
use indicatif::ProgressBar;
use pipeline::{Commits, Stopper, consume, produce};
use report::Report;
use source::Source;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::{Outcome, Summary};

/// The exit status for an export that failed.
const FAILED: u8 = 1;
/// The exit status for arguments that make no sense, or name a file that can't be used.
const BAD_ARGUMENTS: u8 = 2;
/// What a shell reports of a program that was stopped with Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let args = match Args::read() {
        Ok(args) => args,
        Err(code) => return code,
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(FAILED, &format!("cannot start the runtime: {error}")),
    };
    let result = runtime.block_on(export(&args));
    // A read from a pipe that nobody writes to must not keep a cancelled export from ending.
    runtime.shutdown_background();
    match result {
        Ok(summary) => conclude(&summary),
        Err((code, message)) => fail(code, &message),
    }
}

/// Sets the two ends up, lets them run, and collects what each of them says.
async fn export(args: &Args) -> Result<Summary, (u8, String)> {
    let bad = |message| (BAD_ARGUMENTS, message);
    let source = Source::open(args).map_err(bad)?;
    let (tx, rx) =
        weighted(args.window()).map_err(|error| bad(format!("{error} (--window and --bytes start at 1)")))?;
    // Last, so that no report is begun, and none overwritten, for an export that cannot be.
    let report = Report::create(args.output.as_deref(), args.input.as_deref(), args.cancel_after).map_err(bad)?;
    let report = Arc::new(report);
    let (description, size) = (source.description().to_owned(), source.size());

    let channel = rx.canceller();
    let stopper = Arc::new(Stopper::new(channel.clone()));
    let commits = Arc::new(Commits::new(Arc::clone(&report), Arc::clone(&stopper), args.work()));
    let line = if args.quiet { ProgressBar::hidden() } else { progress::line(size) };

    let started = Instant::now();
    let interrupts = tokio::spawn(stop_on_ctrl_c(Arc::clone(&stopper)));
    let watcher =
        (!line.is_hidden()).then(|| tokio::spawn(progress::watch(line.clone(), size, channel, Arc::clone(&report))));
    let producer = tokio::spawn(produce(tx, source));
    let consumer = tokio::spawn(consume(rx, commits, args.workers()));
    // The consumer first: it outlives the producer, unless it stops it.
    let consumed = consumer.await.map_err(|error| (FAILED, format!("the consumer died: {error}")));
    let wall = started.elapsed();
    let produced = producer.await.map_err(|error| (FAILED, format!("the producer died: {error}")));
    interrupts.abort();
    if let Some(watcher) = watcher {
        watcher.abort();
    }
    line.finish_and_clear();

    let (consumed, produced) = (consumed?, produced?);
    Ok(Summary {
        source: description,
        report: report.description(),
        report_path: format!("{:?}", report.path()),
        workers: args.workers(),
        committed: report.tally(),
        found_parked: stopper.found_parked(),
        not_reached: not_reached(args, produced.sent.rows),
        produced,
        consumed,
        wall,
    })
}

/// The first Ctrl-C stops the export in good order; the second one means it.
async fn stop_on_ctrl_c(stopper: Arc<Stopper>) {
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    stopper.stop(CancelReason::Shutdown);
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED.into());
    }
}

/// Of what was to happen after so many rows, what the ledger was too short for.
fn not_reached(args: &Args, sent: u64) -> Option<String> {
    let beyond = |limit: Option<u64>| limit.filter(|limit| *limit > sent);
    let fail_at = beyond(args.fail_at).map(|n| format!("--fail-at {n}"));
    fail_at.or_else(|| beyond(args.cancel_after).map(|n| format!("--cancel-after {n}")))
}

/// Prints the summary; what went wrong goes to stderr too.
fn conclude(summary: &Summary) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(summary.to_string().as_bytes()).and_then(|()| stdout.flush());
    match summary.outcome() {
        Outcome::Failed(text) => return fail(FAILED, &text),
        Outcome::Interrupted(text) => return fail(INTERRUPTED, &text),
        Outcome::Complete | Outcome::Stopped(_) => {}
    }
    match printed {
        // Who reads a summary may stop reading: `| head -1`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(FAILED, &format!("cannot write the summary: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(code: u8, message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(code)
}

/// One line on stderr. If that is closed too there is nobody to tell.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "export: {message}");
}
