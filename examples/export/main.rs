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
//! cargo run --release --example export -- --transport tcp                   # the same, over a connection
//! ```
//!
//! * [`connect`]: the channel, in the process or over a connection. [`pipeline`]: the two tasks at its ends.
//! * [`source`], [`ledger`], [`generate`]: rows in, a page at a time. [`report`]: rows out. [`tally`], [`loss`]: what
//!   both ends count, and whether it is the same.
//! * [`progress`], [`live`]: the live line. [`summary`], [`diagnosis`]: the end, in numbers and in one sentence.

mod args;
#[path = "../shared/cli.rs"]
mod cli;
mod connect;
#[path = "../shared/diagnosis.rs"]
mod diagnosis;
#[path = "../shared/generate.rs"]
mod generate;
#[path = "../shared/ledger.rs"]
mod ledger;
mod live;
#[path = "../shared/loss.rs"]
mod loss;
#[path = "../shared/numbers.rs"]
mod numbers;
mod pipeline;
#[path = "../shared/progress.rs"]
mod progress;
#[path = "../shared/rates.rs"]
mod rates;
#[path = "../shared/report.rs"]
mod report;
#[path = "../shared/row.rs"]
mod row;
#[path = "../shared/source.rs"]
mod source;
mod summary;
#[path = "../shared/tally.rs"]
mod tally;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, fail};
use connect::{Ends, connect};
use credit_channel::CancelReason;
use indicatif::ProgressBar;
use pipeline::{Commits, Stopper, consume, produce};
use report::Report;
use source::Source;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::{Outcome, Summary};

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
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
    let source = Source::open(&args.ledger).map_err(bad)?;
    let Ends { tx, rx, drivers } = connect(args).await.map_err(bad)?;
    // Last, so that no report is begun, and none overwritten, for an export that cannot be.
    let report =
        Report::create(args.output.as_deref(), args.ledger.input.as_deref(), args.cancel_after).map_err(bad)?;
    let report = Arc::new(report);
    let (description, size) = (source.description().to_owned(), source.size());

    // Over a connection each end has numbers of its own; who waits for credit, and for how long, the producer's know.
    let sender = tx.downgrade();
    let stopper = Arc::new(Stopper::new(rx.canceller(), sender.clone()));
    let commits = Arc::new(Commits::new(Arc::clone(&report), Arc::clone(&stopper), args.work()));
    let line = if args.quiet { ProgressBar::hidden() } else { progress::line(live::length(size)) };

    let started = Instant::now();
    let interrupts = tokio::spawn(stop_on_ctrl_c(Arc::clone(&stopper)));
    let watcher = (!line.is_hidden()).then(|| {
        let (sender, report) = (sender.clone(), Arc::clone(&report));
        let look = move |since_start| live::look(size, &sender, &report, since_start);
        tokio::spawn(progress::watch(line.clone(), look))
    });
    let drivers: Vec<_> = drivers.into_iter().map(tokio::spawn).collect();
    let producer = tokio::spawn(produce(tx, source));
    let consumer = tokio::spawn(consume(rx, commits, args.workers()));
    // The consumer first: it outlives the producer, unless it stops it.
    let consumed = consumer.await.map_err(|error| (FAILED, format!("the consumer died: {error}")));
    let wall = started.elapsed();
    let produced = producer.await.map_err(|error| (FAILED, format!("the producer died: {error}")));
    // Whatever they have to say they have told both ends.
    for driver in drivers {
        let _ = driver.await;
    }
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
        transport: args.transport,
        workers: args.workers(),
        sender: sender.stats(),
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
    let fail_at = beyond(args.ledger.fail_at).map(|n| format!("--fail-at {n}"));
    fail_at.or_else(|| beyond(args.cancel_after).map(|n| format!("--cancel-after {n}")))
}

/// Prints the summary; what went wrong goes to stderr too.
fn conclude(summary: &Summary) -> ExitCode {
    let printed = cli::print(&summary.to_string());
    match (summary.outcome(), printed) {
        (Outcome::Failed(text), _) => fail(FAILED, &text),
        (Outcome::Interrupted(text), _) => fail(INTERRUPTED, &text),
        (Outcome::Complete | Outcome::Stopped(_), Err(text)) => fail(FAILED, &text),
        (Outcome::Complete | Outcome::Stopped(_), Ok(())) => ExitCode::SUCCESS,
    }
}
