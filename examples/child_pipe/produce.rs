//! The producer's end, in whichever process it is. A chunk is a page of rows as plain bytes.

use crate::args::Args;
use crate::ended::{Ended, Outcome, count_rows};
use crate::source::{Source, Then};
use crate::tally::Tally;
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{Closed, CreditProducer, Failure, SendError};
use tokio::io::{AsyncRead, AsyncWrite};

/// Rows of a page.
const PAGE_ROWS: u64 = 64;

/// Why there is no next page.
enum Stop {
    Closed(Closed),
    Fail(Failure),
}

/// Sends the ledger, a page per chunk, and waits until it is committed at the other end.
pub(crate) async fn produce<S>(args: &Args, io: S, mut source: Source, interrupted: impl Future<Output = ()>) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut tally = Tally::default();
    let (tx, driver) = match Transport::new().producer::<Bytes>(io).await {
        Ok(opened) => opened,
        Err(error) => return Ended { tally, outcome: Outcome::Failed(error.to_string()) },
    };
    let driver = tokio::spawn(driver);
    let sent = tokio::select! {
        sent = send_all(args, &tx, &mut source, &mut tally) => sent,
        () = interrupted => {
            tx.fail_now("interrupted");
            let _ = driver.await;
            return Ended { tally, outcome: Outcome::Interrupted };
        }
    };
    let outcome = match sent {
        // Returns when the last page is not just sent but committed.
        Ok(()) => tx.end_and_wait().await.map_or_else(|reason| of_closed(args, &reason), |()| Outcome::Complete),
        Err(Stop::Closed(reason)) => of_closed(args, &reason),
        Err(Stop::Fail(failure)) => {
            let text = failure.to_string();
            tx.fail(failure);
            Outcome::Failed(text)
        }
    };
    // The process must not end before the other one knows how it ended.
    let _ = driver.await;
    Ended { tally, outcome }
}

async fn send_all(args: &Args, tx: &CreditProducer<Bytes>, source: &mut Source, tally: &mut Tally) -> Result<(), Stop> {
    loop {
        // A consumer that stops must not wait for a slow page.
        let page = tokio::select! {
            biased;
            page = source.page(PAGE_ROWS) => page,
            closed = tx.closed() => return Err(Stop::Closed(closed)),
        };
        let rows = page.rows.concat();
        if !rows.is_empty() {
            let rows = if args.as_child { rows.to_ascii_uppercase() } else { rows };
            let so_far = count_rows(*tally, &rows);
            // Here the producer waits while the window is used up.
            match tx.send(rows.into()).await {
                Ok(()) => *tally = so_far,
                Err(SendError::Closed { reason, .. }) => return Err(Stop::Closed(reason)),
                Err(error) => return Err(Stop::Fail(Failure::new(format!("a page is {error}")))),
            }
        }
        match page.then {
            Then::More => {}
            Then::End => return Ok(()),
            Then::Fail(failure) => return Err(Stop::Fail(failure)),
        }
    }
}

fn of_closed(args: &Args, reason: &Closed) -> Outcome {
    let other = args.other();
    match reason {
        Closed::Cancelled(reason) => Outcome::Cancelled(format!("cancelled by the {other}: {reason}")),
        Closed::Disconnected(reason) => Outcome::Failed(format!("the {other} is gone ({reason})")),
        reason => Outcome::Failed(reason.to_string()),
    }
}
