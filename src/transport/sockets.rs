//! Getting sockets and pipes ready.

use std::io;
use tokio::net::TcpStream;

/// Makes a TCP stream ready for a channel: sets TCP_NODELAY.
///
/// Without it the kernel holds small writes back until the ones before are acknowledged (Nagle's algorithm), and the
/// peer acknowledges late when it has nothing to say: a window of 1 would move in steps of 40 ms. What is small is
/// gathered here already.
///
/// # Errors
///
/// As setting the option fails.
pub fn tcp(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Standard input and output of this process as one stream, for a program that its parent talks to over
/// pipes; the parent joins `ChildStdout` and `ChildStdin` with [`pipes`](super::pipes()).
///
/// What is read and written here is not closed before the process ends, since standard input and output themselves stay
/// open: the parent sees the end by what was said, or when the process is gone.
///
/// The pipes are used as such, without a thread that blocks on them, as tokio's `stdin` would.
///
/// # Errors
///
/// If standard input or output is no pipe (a terminal, a file).
///
/// # Panics
///
/// Outside of a tokio runtime with its IO driver enabled.
#[cfg(unix)]
pub fn stdio() -> io::Result<super::Pipes<tokio::net::unix::pipe::Receiver, tokio::net::unix::pipe::Sender>> {
    use std::os::fd::AsFd;
    use tokio::net::unix::pipe::{Receiver, Sender};

    let input = Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)?;
    let output = Sender::from_owned_fd(io::stdout().as_fd().try_clone_to_owned()?)?;
    Ok(super::pipes(input, output))
}
