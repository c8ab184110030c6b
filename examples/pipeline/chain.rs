//! The stages, one on top of the other.

use crate::args::{Args, Hop};
use crate::board::Board;
use crate::hop::over_tcp;
use crate::ledger::{Ledger, Line};
use credit_channel::stages::{Stage, from_stream, low_water_mark, paged};
use credit_channel::workers::{QueueThreshold, Workers};
use credit_channel::{Failure, Window};
use futures_util::stream;
use std::sync::Arc;
use std::time::Duration;

/// The source holds at most so many rows; it asks for a page once three quarters of them have been written.
pub(crate) const CAPACITY: u64 = 64;
/// The window of the connection, in lines.
const HOP: u64 = 32;
/// How many lines wait for the workers or are in their hands.
const INBOX: u64 = 32;
/// How often the number of workers is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A line and its number.
pub(crate) type Numbered = (Line, u64);

/// Runs all of it to the end. The error is a line for people.
pub(crate) async fn run(args: &Args, ledger: Arc<Ledger>, board: &Board) -> Result<(), String> {
    let (pages, rows, lines) = (Arc::clone(&ledger), Arc::clone(&ledger), Arc::clone(&ledger));
    let source = paged(CAPACITY, low_water_mark(CAPACITY), move |n| {
        let pages = Arc::clone(&pages);
        async move { pages.page(n).await }
    })
    .map_err(|error| error.to_string())?;
    board.source(source.meter());

    let numbers = from_stream(stream::iter(1..));
    let lines = source.filter(move |row| rows.keeps(row)).expand(move |row| lines.lines(row)).zip(numbers);
    match args.hop {
        Hop::Local => work_and_write(lines, args, ledger, board).await,
        Hop::Tcp => {
            let (tx, rx) = over_tcp::<Numbered>(Window::messages(HOP)).await?;
            board.hop(tx.downgrade());
            let forwarding = tokio::spawn(lines.forward(tx));
            work_and_write(rx, args, ledger, board).await?;
            let forwarded = forwarding.await.map_err(|error| error.to_string())?;
            forwarded.map(drop).map_err(|error| error.to_string())
        }
    }
}

/// The half behind the hop, whatever that is.
async fn work_and_write<S>(lines: S, args: &Args, ledger: Arc<Ledger>, board: &Board) -> Result<(), String>
where
    S: Stage<Value = Numbered> + Send + 'static,
    S::Guard: Send + 'static,
{
    let work = args.work();
    let workers = Workers::new(1..=args.workers)
        .inbox(INBOX)
        .controller(QueueThreshold::new(INBOX / 4, Duration::from_millis(500)), LOOK)
        .ordered();
    let checked = lines
        .spawn_workers(workers, move |line: Numbered| async move {
            pause(work).await;
            Ok::<_, Failure>(line)
        })
        .map_err(|error| error.to_string())?;
    board.workers(checked.meter());

    let write = args.write();
    let written = checked.for_each(|line| {
        let ledger = Arc::clone(&ledger);
        async move {
            pause(write).await;
            ledger.write(&line.0);
            Ok::<_, Failure>(())
        }
    });
    written.await.map(drop).map_err(|error| error.to_string())
}

async fn pause(time: Option<Duration>) {
    if let Some(time) = time {
        tokio::time::sleep(time).await;
    }
}
