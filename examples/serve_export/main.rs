//! Serves ledger exports over TCP or a unix socket, each client under a window of its own.
//!
//! ```text
//!   Source ──page──▶ Export ──send──▶ ▒▒ the client's window ▒▒ ══ connection ══▶ fetch_export
//!                       ▲                                                            │
//!                       └────────────────── credit, page by page ◀───────────────────┘
//! ```
//!
//! ```sh
//! cargo run --release --example serve_export                                  # on 127.0.0.1:4848
//! cargo run --release --example fetch_export                                  # in another terminal
//! cargo run --release --example serve_export -- unix:/tmp/export.sock --input rows.csv --page 256
//! ```
//!
//! * [`listener`]: TCP or unix, the accept loop's only difference. [`clients`]: one client from its connection to its
//!   summary. [`export`]: the sending end of the channel.
//! * [`message`]: what a chunk is. [`source`], [`ledger`], [`generate`]: where rows come from.

#[path = "../shared/address.rs"]
mod address;
mod args;
#[path = "../shared/cli.rs"]
mod cli;
mod clients;
mod export;
#[path = "../shared/generate.rs"]
mod generate;
#[path = "../shared/ledger.rs"]
mod ledger;
mod listener;
#[path = "../shared/message.rs"]
mod message;
#[path = "../shared/numbers.rs"]
mod numbers;
#[path = "../shared/progress.rs"]
mod progress;
#[path = "../shared/rates.rs"]
mod rates;
#[path = "../shared/row.rs"]
mod row;
#[path = "../shared/source.rs"]
mod source;
mod summary;
#[path = "../shared/tally.rs"]
mod tally;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, complain, fail};
use clients::Clients;
use export::Outcome;
use indicatif::ProgressBar;
use listener::Listener;
use source::Source;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use summary::Summary;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

/// So many clients at the same time; more wait in the system's queue.
const MOST_CLIENTS: usize = 64;
/// How long the server leaves off when it cannot accept, for lack of file descriptors most likely.
const BREATHER: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let code = runtime.block_on(serve(args)).unwrap_or_else(|message| fail(BAD_ARGUMENTS, &message));
    // A read from a pipe that nobody writes to must not keep the server from ending.
    runtime.shutdown_background();
    code
}

/// Accepts clients until it is told to stop. The error is a line about the arguments.
async fn serve(args: Args) -> Result<ExitCode, String> {
    // Every client gets a source of its own; whether there is one is said before the first comes.
    let source = Source::open(&args.ledger)?;
    let ledger = format!("{}, {} for each client", source.description(), source.size());
    drop(source);
    let listener = Listener::bind(&args.address).await?;
    let address = listener.address().map_err(|error| format!("no address to listen on: {error}"))?;
    // Polled once, it is heard from here on; one future for the whole loop misses none.
    let mut pressed = pin!(tokio::signal::ctrl_c());
    tokio::select! {
        biased;
        heard = &mut pressed => {
            return heard.map(|()| ExitCode::from(INTERRUPTED)).map_err(|error| format!("cannot hear Ctrl-C: {error}"));
        }
        () = std::future::ready(()) => {}
    }
    let _ = cli::print(&format!("ledger      {ledger}\nlistening on {address}\n"));

    let (args, clients) = (Arc::new(args), Arc::new(Clients::default()));
    let line = if args.quiet { ProgressBar::hidden() } else { progress::line(None) };
    let watcher = (!line.is_hidden()).then(|| {
        let clients = Arc::clone(&clients);
        tokio::spawn(progress::watch(line.clone(), move |_| clients.look()))
    });
    let mut record = Record::new(args.exports, line.clone());
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    while record.goes_on() {
        tokio::select! {
            accepted = listener.accept(), if tasks.len() < MOST_CLIENTS => match accepted {
                Ok((stream, peer)) => {
                    let (args, clients, stopped) = (Arc::clone(&args), Arc::clone(&clients), stopped.clone());
                    tasks.spawn(async move { clients.serve(&args, stream, peer, stopped).await });
                }
                // A client that is gone before it was accepted, too many files: no reason to stop serving.
                Err(error) => {
                    record.say(&format!("cannot accept a client: {error}"));
                    tokio::time::sleep(BREATHER).await;
                }
            },
            Some(over) = tasks.join_next() => record.note(over),
            _ = &mut pressed => {
                stop.send_replace(true);
                tokio::spawn(leave_on_ctrl_c());
                break;
            }
        }
    }
    // Nobody new; who is here is served to the end, or told that there is none.
    drop(listener);
    while let Some(over) = tasks.join_next().await {
        record.note(over);
    }
    if let Some(watcher) = watcher {
        watcher.abort();
    }
    line.finish_and_clear();
    Ok(ExitCode::from(record.code))
}

/// The second Ctrl-C means it.
async fn leave_on_ctrl_c() {
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED.into());
    }
}

/// What became of the clients so far.
struct Record {
    left: Option<u64>,
    line: ProgressBar,
    code: u8,
}

impl Record {
    fn new(exports: Option<u64>, line: ProgressBar) -> Self {
        Self { left: exports, line, code: 0 }
    }

    fn goes_on(&self) -> bool {
        self.left != Some(0)
    }

    fn say(&self, text: &str) {
        self.line.suspend(|| complain(text));
    }

    fn note(&mut self, over: Result<Result<Summary, String>, JoinError>) {
        match over {
            Ok(Ok(summary)) => {
                self.left = self.left.map(|left| left.saturating_sub(1));
                // Without a reader of stdout the server serves on.
                let _ = self.line.suspend(|| cli::print(&summary.to_string()));
                if !summary.outcome.is_good() {
                    self.say(&summary.line());
                    let cut_short = matches!(summary.outcome, Outcome::CutShort);
                    self.code = self.code.max(if cut_short { INTERRUPTED } else { FAILED });
                }
            }
            // It never was one of ours: no failure of the server's.
            Ok(Err(text)) => self.say(&text),
            Err(panicked) => {
                self.say(&format!("an export died: {panicked}"));
                self.code = self.code.max(FAILED);
            }
        }
    }
}
