//! Two streams as one, for pipes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Two streams as one: what is read comes from the one, what is written goes to the other. Made by [`pipes`].
#[derive(Debug)]
pub struct Pipes<R, W> {
    input: R,
    /// Gone once this side is closed.
    output: Option<W>,
}

/// Joins two streams into one, as [`tokio::io::join`] does, and closes the second when the channel has said all.
///
/// A pipe has no shutdown: the other end sees that it is closed when the last handle of it is dropped. Joined with
/// `tokio::io::join` both ends would hold theirs, and each wait out its [`linger`](super::Transport::linger) for the
/// other to close first.
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use bytes::Bytes;
/// use credit_channel::{Window, transport::{Transport, pipes}};
/// use std::process::Stdio;
/// use tokio::process::Command;
///
/// let mut child = Command::new("./worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
/// let (stdout, stdin) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
/// let (mut rx, driver) = Transport::new().consumer::<Bytes>(pipes(stdout, stdin), Window::messages(4)).await?;
/// tokio::spawn(driver);
/// while let Some(page) = rx.recv().await? {
///     println!("{} bytes", page.len());
/// }
/// # Ok(())
/// # }
/// ```
pub fn pipes<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(input: R, output: W) -> Pipes<R, W> {
    Pipes { input, output: Some(output) }
}

impl<R: AsyncRead + Unpin, W: Unpin> AsyncRead for Pipes<R, W> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.input).poll_read(cx, buf)
    }
}

impl<R: Unpin, W: AsyncWrite + Unpin> AsyncWrite for Pipes<R, W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.output {
            Some(output) => Pin::new(output).poll_write(cx, buf),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.output {
            Some(output) => Pin::new(output).poll_write_vectored(cx, bufs),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.output.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.output {
            Some(output) => Pin::new(output).poll_flush(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(output) = &mut self.output else { return Poll::Ready(Ok(())) };
        let closed = ready!(Pin::new(output).poll_shutdown(cx));
        self.output = None;
        Poll::Ready(closed)
    }
}

#[cfg(all(test, unix, not(credit_channel_loom)))]
mod tests {
    use super::pipes;
    use crate::transport::Transport;
    use crate::{CancelReason, Closed, Window};
    use bytes::Bytes;
    use std::time::Duration;
    use tokio::net::unix::pipe::pipe;
    use tokio::time::timeout;

    /// Nobody waits out the linger: each side sees that the other has closed.
    #[test]
    fn both_drivers_end_when_all_is_said() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let transport = Transport::new().linger(Duration::from_secs(3600));
        for cancels in [false, true] {
            let run = async {
                let ((there, input), (output, back)) = (pipe().unwrap(), pipe().unwrap());
                let ((tx, sending), (mut rx, receiving)) = tokio::try_join!(
                    transport.producer::<Bytes>(pipes(back, there)),
                    transport.consumer::<Bytes>(pipes(input, output), Window::messages(2)),
                )
                .unwrap();
                let drivers = async { tokio::join!(sending, receiving) };
                let work = async {
                    tx.send(Bytes::from_static(b"page")).await.unwrap();
                    drop(rx.recv().await.unwrap());
                    if cancels {
                        rx.cancel(CancelReason::Requested);
                        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Requested));
                    } else {
                        tx.end();
                        assert!(rx.recv().await.unwrap().is_none());
                    }
                };
                let (drivers, ()) = tokio::join!(drivers, work);
                assert_eq!(drivers, (Ok(()), Ok(())), "cancels: {cancels}");
            };
            runtime.block_on(async { timeout(Duration::from_secs(10), run).await }).expect("in time");
        }
    }
}
