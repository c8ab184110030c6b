//! One producer to one consumer over a socket, each on a thread and a runtime of its own, as two processes
//! would be.

mod connection;
mod ours;
mod raw;
mod remoc;

use crate::against;
use crate::args::Args;
use crate::measure::{Entry, Rounds};
use crate::output::Output;
use bytes::Bytes;
use clap::ValueEnum;
use connection::{Socket, Transfer, run_once};
use std::fmt;

/// Which kind of socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Tcp,
    Unix,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Tcp, Self::Unix];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "tcp",
            Self::Unix => "unix",
        })
    }
}

/// What a contender does over a connected socket.
trait Peer: 'static {
    const NAME: &'static str;

    /// Sends all chunks, and returns what has to live until the consumer has them.
    fn produce(socket: Socket, transfer: Transfer) -> impl Future<Output = Box<dyn Send>> + Send;

    /// Receives all chunks and works on each before its credit goes back.
    fn consume(socket: Socket, transfer: Transfer) -> impl Future<Output = ()> + Send;
}

/// What everything is compared with.
const REFERENCES: [&str; 3] = ["raw", "raw+hand-credit", "remoc-bin"];
/// Sizes of chunks, in bytes, with the windows that are of interest for them.
const GRID: [(usize, &[u32]); 3] = [(64, &[4, 16, 64, 1024]), (4 << 10, &[4, 16, 64, 1024]), (256 << 10, &[4, 16, 64])];
/// The published case: chunks of 256 kB under a window of 4.
const PUBLISHED: (usize, u32, u64) = (256_000, 4, 12_000);

/// All sizes and windows.
pub fn grid(args: &Args, output: &mut Output) {
    let mut rounds = Rounds::new(args);
    for &kind in &args.socket {
        for (size, windows) in GRID {
            for &window in windows.iter().filter(|&&window| args.wants_window(window)) {
                let label = format!("{kind}, chunk {size} B, window {window}");
                let pilot = ((8 << 20) / size.max(1024)).min(4000) as u64;
                let measured = rounds.measure(pilot, &entries(args, kind, size, window, None));
                against::report(output, "sockets", &label, &REFERENCES, measured);
            }
        }
    }
}

/// The published case.
pub fn published(args: &Args, output: &mut Output) {
    let (size, window, chunks) = PUBLISHED;
    let chunks = if args.quick() { chunks / 20 } else { chunks };
    for &kind in &args.socket {
        let label = format!("{kind}, {chunks} chunks of {size} B, window {window}");
        let measured = Rounds::new(args).measure(1, &entries(args, kind, size, window, Some(chunks)));
        against::report(output, "sockets-published", &label, &REFERENCES, measured);
    }
}

fn entries(args: &Args, kind: Kind, size: usize, window: u32, chunks: Option<u64>) -> Vec<Entry<'static>> {
    fn entry<P: Peer>(kind: Kind, chunk: Bytes, window: u32, fixed: Option<u64>) -> Entry<'static> {
        let run = move |chunks| {
            let transfer = Transfer { chunk: chunk.clone(), chunks: fixed.unwrap_or(chunks), window };
            run_once::<P>(kind, transfer)
        };
        Entry { name: P::NAME, run: Box::new(run) }
    }
    let chunk = Bytes::from(vec![7; size]);
    let all = [
        entry::<raw::Raw>(kind, chunk.clone(), window, chunks),
        entry::<raw::HandCredit>(kind, chunk.clone(), window, chunks),
        entry::<remoc::Bin>(kind, chunk.clone(), window, chunks),
        entry::<ours::CreditChannel>(kind, chunk, window, chunks),
    ];
    all.into_iter().filter(|entry| REFERENCES.contains(&entry.name) || args.wants(entry.name)).collect()
}
