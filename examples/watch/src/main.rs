//! Channels at work, drawn live: who waits for whom, and what would help.
//!
//! ```sh
//! cargo run --release -p watch                                    # up/down, + - [ ] { } a, q
//! cargo run --release -p watch -- --job name=mine,over=tcp,delay=10,produce=1000,consume=500,window=8
//! cargo run --release -p watch -- --headless 10 --record looks.csv --plot picture.svg
//! cargo run --release -p watch -- --regimes                       # three known troubles, drawn to regimes.svg
//! ```
//!
//! * [`args`], [`spec`]: what is asked for. [`job`]: a channel with a producer and a consumer at work on it. [`pace`]:
//!   their made-up work. [`tcp`]: a connection between them, slow if wanted.
//! * [`look`]: the numbers of a job at one moment. [`session`]: all the jobs, and what was seen of them.
//! * [`screen`], [`ui`]: the terminal, and what is on it. [`headless`]: the same without one. [`record`], [`plot`]: files.

mod args;
#[path = "../../shared/cli.rs"]
mod cli;
mod headless;
mod job;
mod look;
mod pace;
mod plot;
mod record;
mod screen;
mod session;
mod spec;
mod tcp;
mod ui;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, fail};
use record::Recorder;
use session::Session;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Runtime;

/// How a run was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// After its time, or by `q`.
    AsAsked,
    /// By Ctrl-C or a signal.
    Interrupted,
}

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    if args.headless().is_none() && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        return fail(BAD_ARGUMENTS, "this is no terminal: --headless SECONDS goes without one");
    }
    let result = run(&args, &runtime);
    runtime.shutdown_background();
    match result {
        Ok(Ended::AsAsked) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted) => fail(INTERRUPTED, "interrupted"),
        Err(message) => fail(FAILED, &message),
    }
}

/// The error is a line for people.
fn run(args: &Args, runtime: &Runtime) -> Result<Ended, String> {
    // The files first: what cannot be written is to be known before the wait for it.
    let recorder = args.record.as_deref().map(Recorder::create).transpose()?;
    let picture = args.plot().map(|path| create(&path).map(|file| (file, path))).transpose()?;

    let jobs = runtime.block_on(job::start_all(args.jobs()))?;
    let mut session = Session::new(jobs, recorder);
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    runtime.spawn(async move {
        if interrupt().await.is_ok() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let ended = match args.headless() {
        Some(time) => headless::run(&mut session, time, &interrupted),
        None => screen::run(&mut session, &interrupted),
    }?;
    cli::print(&headless::table(&session))?;
    if let Some((mut file, path)) = picture {
        let svg = plot::svg(&session.histories())?;
        file.write_all(svg.as_bytes()).map_err(|error| cannot_write(&path, &error))?;
    }
    Ok(ended)
}

/// Ctrl-C, or being asked to go: the terminal is to be given back then too.
async fn interrupt() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            interrupted = tokio::signal::ctrl_c() => interrupted,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

pub(crate) fn create(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|error| cannot_write(path, &error))
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {path:?}: {error}")
}
