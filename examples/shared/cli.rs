//! The command line: reading it, and what is said when something goes wrong. Always one line, on stderr.

use clap::Parser;
use clap::error::ErrorKind;
use std::io::{self, Write};
use std::process::ExitCode;
use tokio::runtime::{self, Runtime};

/// The exit status for a run that failed.
pub(crate) const FAILED: u8 = 1;
/// The exit status for arguments that make no sense, or name a file that can't be used.
pub(crate) const BAD_ARGUMENTS: u8 = 2;
/// What a shell reports of a program that was stopped with Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Reads the command line and starts a runtime; what is wrong comes as one line.
pub(crate) fn begin<A: Parser>() -> Result<(A, Runtime), ExitCode> {
    let args = read()?;
    match runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => Ok((args, runtime)),
        Err(error) => Err(fail(FAILED, &format!("cannot start the runtime: {error}"))),
    }
}

fn read<A: Parser>() -> Result<A, ExitCode> {
    A::try_parse().map_err(|error| {
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            // A reader that has seen enough of the help is no error.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        // clap says what is wrong, then an empty line, then advice: we keep the first part.
        let text = error.to_string();
        let what = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        fail(BAD_ARGUMENTS, &format!("{what} (--help says more)"))
    })
}

pub(crate) fn fail(code: u8, message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(code)
}

/// If stderr is closed too there is nobody to tell.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}: {message}", env!("CARGO_BIN_NAME"));
}

/// Prints the summary of a run. The error is a line for people.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // Who reads a summary may stop reading: `| head -1`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot write the summary: {error}")),
        _ => Ok(()),
    }
}
