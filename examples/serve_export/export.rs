//! One export, to one client: the sending end of a channel over its connection.

use crate::message::{Message, Total};
use crate::row::Row;
use crate::source::{Source, Then};
use crate::tally::Tally;
use credit_channel::{CancelReason, Closed, CreditProducer, Disconnect, Failure, SendError, Stats, WeakProducer};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How far an export is. The live line looks at it from beside.
#[derive(Debug)]
pub(crate) struct Export {
    sender: WeakProducer<Message>,
    so_far: Mutex<SoFar>,
    started: Instant,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SoFar {
    /// The rows whose send succeeded.
    pub(crate) sent: Tally,
    pub(crate) pages: u64,
    /// Pages that the client had committed when the latest was sent.
    pub(crate) committed: u64,
    /// When that was, from the start.
    pub(crate) latest: Duration,
}

/// How an export ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The client has committed everything.
    Complete,
    /// The client wanted no more.
    Cancelled(CancelReason),
    /// The client, or the connection to it, is gone.
    Lost(Disconnect),
    /// It could not go on here. The client was told.
    Failed(Failure),
    /// The server was stopped. The client was told.
    CutShort,
}

/// Why there is no next page.
enum Stop {
    Closed(Closed),
    Fail(Failure),
}

impl Export {
    pub(crate) fn new(tx: &CreditProducer<Message>) -> Self {
        Self { sender: tx.downgrade(), so_far: Mutex::default(), started: Instant::now() }
    }

    /// Sends the ledger, and waits until the client has committed it; or until `shutdown`.
    pub(crate) async fn run(
        &self,
        tx: CreditProducer<Message>,
        source: &mut Source,
        page_rows: u64,
        shutdown: &mut watch::Receiver<bool>,
    ) -> Outcome {
        let sent = tokio::select! {
            sent = self.send_all(&tx, source, page_rows) => sent,
            () = told_to_stop(shutdown) => {
                // At once: what is queued here is thrown away, as the client is told.
                tx.fail_now("the server is shutting down");
                return Outcome::CutShort;
            }
        };
        match sent {
            Ok(()) => tokio::select! {
                // Returns when the last row is not just sent but committed over there.
                done = tx.end_and_wait() => done.map_or_else(Outcome::of_closed, |()| Outcome::Complete),
                () = told_to_stop(shutdown) => Outcome::CutShort,
            },
            Err(Stop::Closed(reason)) => Outcome::of_closed(reason),
            Err(Stop::Fail(failure)) => {
                tx.fail(failure.clone());
                Outcome::Failed(failure)
            }
        }
    }

    async fn send_all(&self, tx: &CreditProducer<Message>, source: &mut Source, page_rows: u64) -> Result<(), Stop> {
        loop {
            // A client that is gone must not wait for a slow page.
            let page = tokio::select! {
                biased;
                page = source.page(page_rows) => page,
                closed = tx.closed() => return Err(Stop::Closed(closed)),
            };
            self.send_page(tx, page.rows).await?;
            match page.then {
                Then::More => {}
                Then::Fail(failure) => return Err(Stop::Fail(failure)),
                Then::End => {
                    let Stats { parks, park_time, .. } = tx.stats();
                    let total = Total { sent: self.so_far().sent, parks, park_time };
                    return tx.send(Message::Total(total)).await.map_err(|error| match error {
                        SendError::Closed { reason, .. } => Stop::Closed(reason),
                        error => Stop::Fail(Failure::new(format!("the total is {error}"))),
                    });
                }
            }
        }
    }

    /// Sends a page; one that is larger than the client's window in halves, down to single rows.
    async fn send_page(&self, tx: &CreditProducer<Message>, rows: Vec<Row>) -> Result<(), Stop> {
        let mut parts = vec![rows];
        while let Some(rows) = parts.pop() {
            if rows.is_empty() {
                continue;
            }
            let tally = self.tally(&rows);
            // Here the export waits while the client's window is used up.
            match tx.send(Message::Page(rows)).await {
                Ok(()) => self.note(tally, tx.stats().released.messages()),
                Err(SendError::Closed { reason, .. }) => return Err(Stop::Closed(reason)),
                // Nothing is lost: what was refused comes back.
                Err(SendError::TooLarge { value: Message::Page(mut rows), .. }) if rows.len() > 1 => {
                    let rest = rows.split_off(rows.len() / 2);
                    parts.extend([rest, rows]);
                }
                Err(error) => {
                    let row = self.so_far().sent.rows + 1;
                    return Err(Stop::Fail(Failure::new(format!("row {row} is {error}"))));
                }
            }
        }
        Ok(())
    }

    fn tally(&self, rows: &[Row]) -> Tally {
        let mut tally = Tally::default();
        for (number, row) in (self.so_far().sent.rows + 1..).zip(rows) {
            tally += Tally::of(number, row);
        }
        tally
    }

    fn note(&self, page: Tally, committed: u64) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.sent += page;
        so_far.pages += 1;
        so_far.committed = committed;
        so_far.latest = self.time();
    }

    pub(crate) fn so_far(&self) -> SoFar {
        *self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> Stats {
        self.sender.stats()
    }

    pub(crate) fn time(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Outcome {
    fn of_closed(reason: Closed) -> Self {
        match reason {
            Closed::Cancelled(reason) => Self::Cancelled(reason),
            Closed::Disconnected(reason) => Self::Lost(reason),
            // Only a clone of the producer could have said that, and there is none.
            other => Self::Failed(Failure::from_error(other)),
        }
    }

    /// Whether it ended as it should, or as its client wanted.
    pub(crate) fn is_good(&self) -> bool {
        matches!(self, Self::Complete | Self::Cancelled(_))
    }
}

/// Ready when the server is to stop.
pub(crate) async fn told_to_stop(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|stop| *stop).await;
}
