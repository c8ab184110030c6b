//! A channel over the pipes of a child process: this program starts itself, and one of the two sends to the other.
//!
//! ```text
//!   parent ── stdin of the child ──▶ child      one stream in each direction: chunks one way,
//!     ◀───── stdout of the child ─────          credit the other
//! ```
//!
//! ```sh
//! cargo run --release --example child_pipe                              # the child reads, the parent has the rows
//! cargo run --release --example child_pipe -- --direction to-child      # the other way round
//! cargo run --release --example child_pipe -- --cancel-after 10         # the consumer has seen enough
//! cargo run --release --example child_pipe -- --work-us 20000           # and now kill the child
//! ```
//!
//! * [`produce`], [`consume`]: the two ends; each works in either process. [`ended`]: what they say.

mod args;
#[path = "../shared/cli.rs"]
mod cli;
mod consume;
mod ended;
#[path = "../shared/generate.rs"]
mod generate;
#[path = "../shared/ledger.rs"]
mod ledger;
#[path = "../shared/numbers.rs"]
mod numbers;
mod produce;
#[path = "../shared/row.rs"]
mod row;
#[path = "../shared/source.rs"]
mod source;
#[path = "../shared/tally.rs"]
mod tally;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, complain, fail};
use consume::consume;
use credit_channel::transport::pipes;
use ended::{Ended, Outcome};
use produce::produce;
use source::Source;
use std::fs::File;
use std::io;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};

/// How long the child may take to exit once the channel is over.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let result = runtime.block_on(async { if args.as_child { child(&args).await } else { parent(&args).await } });
    runtime.shutdown_background();
    result.unwrap_or_else(|(code, message)| fail(code, &message))
}

// ===== the parent =====

async fn parent(args: &Args) -> Result<ExitCode, (u8, String)> {
    // Before there is a child, so that bad arguments are said once.
    let bad = |message| (BAD_ARGUMENTS, message);
    let source = Source::open(&args.ledger).map_err(bad)?;
    let _ = cli::print(&format!("ledger      {}, {}\n", source.description(), source.size()));
    let part = Part::new(args).map_err(bad)?;
    let cannot_start = |error| (FAILED, format!("cannot start the child: {error}"));
    let mut child = start().map_err(cannot_start)?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(cannot_start(io::Error::other("it has no pipes")));
    };
    let _ = cli::print(&format!("child       process {}\n", child.id().unwrap_or(0)));

    // What it says comes from its stdout, what it hears goes to its stdin: together one stream.
    let pipes = pipes(output, input);
    let Ended { tally, outcome } = part.run(args, pipes, ctrl_c()).await;
    let status = wait_for(&mut child).await;

    let what = if args.sends() { "sent" } else { "committed" };
    let text = match &outcome {
        Outcome::Complete => "complete: every row was committed",
        Outcome::Cancelled(text) | Outcome::Failed(text) => text,
        Outcome::Interrupted => "interrupted",
    };
    let summary = format!("{what:<12}{tally}\nchild       ended with {status}\noutcome     {text}\n");
    let printed = cli::print(&summary);
    Ok(match outcome {
        Outcome::Failed(text) => fail(FAILED, &format!("{text}; the child ended with {status}; {what} {tally}")),
        Outcome::Interrupted => fail(INTERRUPTED, &format!("interrupted; {what} {tally}")),
        Outcome::Complete | Outcome::Cancelled(_) => match printed {
            Ok(()) => ExitCode::SUCCESS,
            Err(text) => fail(FAILED, &text),
        },
    })
}

/// Starts this program again, with the same options.
fn start() -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).arg("--as-child");
    // Its stderr is ours. It must not outlive us if we panic.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()
}

/// Waits until the child is gone, and says how it went. One that does not go is made to.
async fn wait_for(child: &mut Child) -> String {
    let told = match tokio::time::timeout(PATIENCE, child.wait()).await {
        Ok(status) => status.map(|status: ExitStatus| status.to_string()),
        Err(_) => child.kill().await.map(|()| "a kill, since it did not go".into()),
    };
    told.unwrap_or_else(|error| format!("an unknown status ({error})"))
}

async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

// ===== the child =====

async fn child(args: &Args) -> Result<ExitCode, (u8, String)> {
    // A terminal sends Ctrl-C to both. The parent stops in good order, and so the child hears of it.
    tokio::spawn(async { while tokio::signal::ctrl_c().await.is_ok() {} });
    let part = Part::new(args).map_err(|message| (BAD_ARGUMENTS, message))?;
    let pipes = stdio().map_err(|error| (FAILED, format!("cannot use stdin and stdout: {error}")))?;
    let Ended { tally, outcome } = part.run(args, pipes, std::future::pending()).await;
    // stdout is the channel's: for people there is only stderr.
    let what = if args.sends() { "sent" } else { "committed" };
    let (code, text) = match outcome {
        Outcome::Complete => (0, "complete".into()),
        Outcome::Cancelled(text) => (0, text),
        Outcome::Failed(text) => (FAILED, text),
        Outcome::Interrupted => (INTERRUPTED, "interrupted".into()),
    };
    complain(&format!("child: {text}; {what} {tally}"));
    Ok(ExitCode::from(code))
}

#[cfg(unix)]
fn stdio() -> io::Result<impl AsyncRead + AsyncWrite + Unpin + Send + 'static> {
    credit_channel::transport::stdio()
}

#[cfg(not(unix))]
fn stdio() -> io::Result<impl AsyncRead + AsyncWrite + Unpin + Send + 'static> {
    Ok(pipes(tokio::io::stdin(), tokio::io::stdout()))
}

// ===== both =====

/// What this process has to do, with the file it needs for it.
enum Part {
    Produce(Source),
    Consume(Option<File>),
}

impl Part {
    /// The error is a line about the arguments.
    fn new(args: &Args) -> Result<Self, String> {
        if args.sends() {
            return Source::open(&args.ledger).map(Self::Produce);
        }
        let create = |path| File::create(path).map_err(|error| format!("cannot write {path:?}: {error}"));
        args.output.as_ref().map(create).transpose().map(Self::Consume)
    }

    async fn run<S>(self, args: &Args, pipes: S, interrupted: impl Future<Output = ()>) -> Ended
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match self {
            Self::Produce(source) => produce(args, pipes, source, interrupted).await,
            Self::Consume(output) => consume(args, pipes, output, interrupted).await,
        }
    }
}
