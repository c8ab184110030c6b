//! The consumer's end, in whichever process it is.

use crate::args::Args;
use crate::ended::{Ended, Outcome, count_rows};
use crate::tally::Tally;
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{CancelReason, CreditConsumer, RecvError};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use tokio::io::{AsyncRead, AsyncWrite};

/// Why it stopped before the end.
enum Stop {
    Recv(RecvError),
    Write(io::Error),
}

/// Receives pages and commits them, until the end.
pub(crate) async fn consume<S>(args: &Args, io: S, output: Option<File>, interrupted: impl Future<Output = ()>) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut tally = Tally::default();
    // The longest frames there are: a row of a few MiB is a row.
    let transport = Transport::new().max_frame(u32::MAX);
    let (mut rx, driver) = match transport.consumer::<Bytes>(io, args.window()).await {
        Ok(opened) => opened,
        Err(error) => return Ended { tally, outcome: Outcome::Failed(error.to_string()) },
    };
    let driver = tokio::spawn(driver);
    let canceller = rx.canceller();
    let received = tokio::select! {
        received = receive_all(args, &mut rx, output.map(BufWriter::new), &mut tally) => received,
        () = interrupted => {
            canceller.cancel(CancelReason::Shutdown);
            Err(Stop::Recv(RecvError::Cancelled(CancelReason::Shutdown)))
        }
    };
    let other = args.other();
    let outcome = match received {
        Ok(()) => Outcome::Complete,
        Err(Stop::Recv(RecvError::Cancelled(CancelReason::Shutdown))) => Outcome::Interrupted,
        Err(Stop::Recv(RecvError::Cancelled(reason))) => Outcome::Cancelled(format!("cancelled here, {reason}")),
        Err(Stop::Recv(RecvError::Truncated { received, reason })) => {
            Outcome::Failed(format!("the {other} is gone after page {received} ({reason})"))
        }
        Err(Stop::Recv(RecvError::Failed(failure))) => Outcome::Failed(format!("the {other} failed: {failure}")),
        Err(Stop::Recv(error)) => Outcome::Failed(format!("the {other} is at fault: {error}")),
        Err(Stop::Write(error)) => {
            let text = format!("cannot write: {error}");
            canceller.cancel(CancelReason::HandlerError(text.as_str().into()));
            Outcome::Failed(text)
        }
    };
    // The process must not end before the other one knows how it ended.
    let _ = driver.await;
    Ended { tally, outcome }
}

async fn receive_all(
    args: &Args,
    rx: &mut CreditConsumer<Bytes>,
    mut output: Option<BufWriter<File>>,
    tally: &mut Tally,
) -> Result<(), Stop> {
    while let Some(page) = rx.recv().await.map_err(Stop::Recv)? {
        if !args.work().is_zero() {
            tokio::time::sleep(args.work()).await;
        }
        if let Some(output) = &mut output {
            let written =
                if args.as_child { output.write_all(&page.to_ascii_uppercase()) } else { output.write_all(&page) };
            written.map_err(Stop::Write)?;
        }
        *tally = count_rows(*tally, &page);
        if args.cancel_after == Some(page.seq() + 1) {
            rx.cancel(CancelReason::Requested);
        }
        // The page's credit goes back to the other process here.
    }
    output.map_or(Ok(()), |mut output| output.flush()).map_err(Stop::Write)
}
