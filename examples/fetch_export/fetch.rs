//! The receiving end of the channel: connect, commit, and give the credit back.

use crate::address::{Address, Stream};
use crate::args::Args;
use crate::message::{Message, Total};
use crate::report::{Committed, Report};
use credit_channel::codec::Bincode;
use credit_channel::transport::{Driver, Transport, tcp};
use credit_channel::{CancelReason, Canceller, Chunk, CreditConsumer, ForEachError, Stats};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// How it went.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) result: Result<u64, ForEachError<io::Error>>,
    /// Whether the report's file took what was committed to its buffer.
    pub(crate) flushed: io::Result<()>,
    /// What the server says it sent, if it came to that.
    pub(crate) total: Option<Total>,
    /// The numbers of this end of the channel.
    pub(crate) stats: Stats,
    /// The time it worked, as opposed to waited for rows.
    pub(crate) busy: Duration,
}

/// Connects to the server and opens the channel. The error is a line for people.
pub(crate) async fn connect(args: &Args) -> Result<(CreditConsumer<Message>, Driver), String> {
    let address = &args.address;
    let stream = dial(address).await.map_err(|error| format!("cannot connect to {address}: {error}"))?;
    // The longest frames there are: the server may have rows of a few MiB.
    let transport = Transport::new().codec(Bincode).max_frame(u32::MAX);
    transport.consumer(stream, args.window()).await.map_err(|error| format!("{address}: {error}"))
}

async fn dial(address: &Address) -> io::Result<Box<dyn Stream>> {
    Ok(match address {
        Address::Tcp(address) => Box::new(tcp(TcpStream::connect(address).await?)?),
        #[cfg(unix)]
        Address::Unix(path) => Box::new(tokio::net::UnixStream::connect(path).await?),
    })
}

/// Receives pages and commits their rows, until the end.
pub(crate) async fn receive(mut rx: CreditConsumer<Message>, commits: &Commits) -> Fetched {
    let result = rx.for_each(|chunk| commits.commit(chunk)).await;
    let flushed = commits.report.flush();
    let seen = commits.lock();
    Fetched { result, flushed, total: seen.total, stats: rx.stats(), busy: seen.busy }
}

/// What a commit needs, and what it finds out.
#[derive(Debug)]
pub(crate) struct Commits {
    report: Arc<Report>,
    canceller: Canceller,
    work: Duration,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    total: Option<Total>,
    busy: Duration,
}

impl Commits {
    pub(crate) fn new(report: Arc<Report>, canceller: Canceller, work: Duration) -> Self {
        Self { report, canceller, work, seen: Mutex::default() }
    }

    /// The work on one chunk. Its credit goes back when this returns and `chunk` is dropped, not earlier.
    async fn commit(&self, chunk: Chunk<Message>) -> io::Result<()> {
        let rows = match &*chunk {
            Message::Page(rows) => rows,
            Message::Total(total) => {
                self.lock().total = Some(*total);
                return Ok(());
            }
        };
        let started = Instant::now();
        if !self.work.is_zero() {
            let rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            tokio::time::sleep(self.work.saturating_mul(rows)).await;
        }
        let committed = self.report.tally().rows;
        for (number, row) in (committed + 1..).zip(rows) {
            if self.report.commit(number, row)? != Committed::More {
                self.canceller.cancel(CancelReason::Requested);
                break;
            }
        }
        self.lock().busy += started.elapsed();
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
