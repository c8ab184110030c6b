//! Fetches an export from `serve_export` under a window, and shows what the window does across a connection.
//!
//! ```sh
//! cargo run --release --example fetch_export                                  # from 127.0.0.1:4848
//! cargo run --release --example fetch_export -- unix:/tmp/export.sock --window 2
//! cargo run --release --example fetch_export -- --bytes 65536 --work-us 100   # a slow consumer
//! ```
//!
//! * [`fetch`]: the receiving end of the channel. [`message`]: what a chunk is. [`report`]: where the rows go.
//! * [`summary`], [`diagnosis`]: the end, in numbers and in one sentence.

#[path = "../shared/address.rs"]
mod address;
mod args;
#[path = "../shared/cli.rs"]
mod cli;
#[path = "../shared/diagnosis.rs"]
mod diagnosis;
mod fetch;
#[path = "../shared/loss.rs"]
mod loss;
#[path = "../shared/message.rs"]
mod message;
#[path = "../shared/numbers.rs"]
mod numbers;
#[path = "../shared/progress.rs"]
mod progress;
#[path = "../shared/rates.rs"]
mod rates;
#[path = "../shared/report.rs"]
mod report;
#[path = "../shared/row.rs"]
mod row;
mod summary;
#[path = "../shared/tally.rs"]
mod tally;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, fail};
use credit_channel::{CancelReason, Canceller};
use fetch::{Commits, connect, receive};
use indicatif::ProgressBar;
use numbers::count;
use progress::{Moment, of_window};
use report::Report;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::{Outcome, Summary};

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    match runtime.block_on(run(&args)) {
        Ok(summary) => conclude(&summary),
        Err((code, message)) => fail(code, &message),
    }
}

async fn run(args: &Args) -> Result<Summary, (u8, String)> {
    let (rx, driver) = tokio::select! {
        connected = connect(args) => connected.map_err(|message| (FAILED, message))?,
        _ = tokio::signal::ctrl_c() => return Err((INTERRUPTED, "interrupted before the server answered".into())),
    };
    // Last, so that no report is begun, and none overwritten, for an export that cannot be.
    let report = Report::create(args.output.as_deref(), None, args.cancel_after);
    let report = Arc::new(report.map_err(|message| (BAD_ARGUMENTS, message))?);
    let canceller = rx.canceller();
    let commits = Commits::new(Arc::clone(&report), canceller.clone(), args.work());
    let line = if args.quiet { ProgressBar::hidden() } else { progress::line(None) };

    let started = Instant::now();
    let driver = tokio::spawn(driver);
    let interrupts = tokio::spawn(stop_on_ctrl_c(canceller.clone()));
    let watcher = (!line.is_hidden()).then(|| {
        let report = Arc::clone(&report);
        tokio::spawn(progress::watch(line.clone(), move |_| look(&report, &canceller)))
    });
    let fetched = receive(rx, &commits).await;
    let wall = started.elapsed();
    // The server is to hear how it ended. What the driver has to say the channel has said.
    let _ = driver.await;
    interrupts.abort();
    if let Some(watcher) = watcher {
        watcher.abort();
    }
    line.finish_and_clear();
    Ok(Summary {
        server: args.address.to_string(),
        report: report.description(),
        report_path: format!("{:?}", report.path()),
        committed: report.tally(),
        fetched,
        wall,
    })
}

/// The first Ctrl-C stops it in good order: the server is told. The second one means it.
async fn stop_on_ctrl_c(canceller: Canceller) {
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    canceller.cancel(CancelReason::Shutdown);
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED.into());
    }
}

/// What the live line shows.
fn look(report: &Report, canceller: &Canceller) -> Moment {
    let (done, stats) = (report.tally(), canceller.stats());
    let texts = [count(done.rows, "row"), format!("{} in hand", of_window(stats.depth, stats.window))];
    Moment { rows: done.rows, position: done.rows, texts }
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
