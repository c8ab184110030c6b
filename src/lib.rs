//! Hand work from a producer to a consumer in tokio, and never let more than a window of it be in flight.
//!
//! A bounded queue frees its slot when the consumer *takes* an item. The consumer then has the item in hand
//! (in a spawned task, in a database call), and the queue lets the producer send the next: the memory that
//! was to be bounded is not. Here the slot is **credit**, and it goes back **when the work is done, exactly
//! once, whatever way the work ends**: return, `?`, panic, abort, a lost `select!`, a dropped consumer.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::{Window, channel};
//!
//! let (tx, mut rx) = channel(Window::messages(4))?;
//!
//! let producer = tokio::spawn(async move {
//!     for page in 0..100_u64 {
//!         tx.send(page).await?; // waits while four pages are in flight
//!     }
//!     tx.end_and_wait().await?; // all sent, all worked off
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! });
//!
//! let (done, mut results) = tokio::sync::mpsc::unbounded_channel();
//! while let Some(page) = rx.recv().await? {
//!     let done = done.clone();
//!     tokio::spawn(async move {
//!         let _ = done.send(*page * 2); // the work, in a task of its own
//!     }); // the credit goes back here, when `page` is dropped
//! }
//! producer.await?.map_err(|error| error.to_string())?;
//!
//! let mut sum = 0;
//! while let Ok(result) = results.try_recv() {
//!     sum += result;
//! }
//! assert_eq!(sum, 9900);
//! # Ok(())
//! # }
//! ```
//!
//! # When to use it, and when not
//!
//! Use it where items are large or work on them is slow, and what must be bounded is the work in hand and
//! not just the queue before it; where the end of a stream has to be told from a crash; where the one side
//! wants to know why the other stopped. Use `tokio::sync::mpsc` where an item is gone once it is received,
//! where producers must never wait, or where several consumers share one queue.
//!
//! # The picture
//!
//! ```text
//!   send ──▶ queue ──▶ recv ──▶ Chunk { value, seq, credit }
//!    ▲                                      │
//!    │  parked while                        │ the work, anywhere,
//!    │  credit is short                     │ for as long as it takes
//!    │                                      ▼
//!    └──────── credit ◀──────────────── drop(chunk)
//!
//!   │◀──────────────── window ────────────────────────▶│
//!   │ in flight: queued, and in the consumer's hands   │ + reserved + credit
//! ```
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | chunk | one item in the channel, with its sequence number and its cost: [`Chunk`] |
//! | cost | 1 in a window of messages; the value's bytes, at least 1, in a window of bytes |
//! | window | the ceiling on cost in flight, sent and not yet released: [`Window`] |
//! | credit | permission to send: the window less what is in flight or reserved: [`Credit`] |
//! | guard | what the consumer holds while it works; its drop returns the credit: [`CreditGuard`] |
//! | permit | credit that a producer holds for a value it does not have yet: [`Permit`] |
//! | depth | cost in flight, seen from the producer |
//! | park | a send waiting for credit |
//! | terminal | END (clean), ERROR (the producer failed), CANCEL (the consumer stops) |
//!
//! # What is promised
//!
//! 1. Cost in flight never exceeds the window, for any interleaving and on every way out. (One chunk larger
//!    than the window is refused, or passes alone where [`Oversize::Alone`] was chosen; a smaller window
//!    holds from when what was in flight has come home.)
//! 2. Each credit comes back exactly once.
//! 3. At rest, credit, reserved credit and cost in flight add up to the window.
//! 4. No send stays parked while its need is met and it is first in line; lines are first come, first served.
//! 5. After a terminal every parked call returns.
//! 6. What `send` returned `Ok` for is delivered once and in order, or the loss is reported by a terminal.
//! 7. A failed send gives the value back; a cancelled [`reserve`](CreditProducer::reserve) never took it.
//! 8. END, ERROR, CANCEL and a producer dropped without `end` are different outcomes on both sides.
//! 9. Memory is bounded by the window and the number of callers that wait.
//! 10. Dropping anything, anywhere, neither blocks on the other side, nor panics, nor spawns.
//!
//! The credit core is pure arithmetic, driven by an oracle with seeded operations; what is concurrent is
//! model-checked with [loom](https://docs.rs/loom).
//!
//! # Over a connection
//!
//! `transport` has the same pair over TCP, unix sockets, pipes, anything `AsyncRead + AsyncWrite`, and over
//! transports of messages. All that is promised above holds across it; a connection that is lost is one more
//! outcome, told from the others on both sides ([`Closed::Disconnected`], [`RecvError::Truncated`]). Two things are
//! different: [`Oversize::Alone`] is only for one process, and time passes between a guard's drop and the credit's
//! arrival. So the numbers of the two ends differ by what is on its way, and the third promise is one of each end: at
//! the consumer as it stands, at the producer as far as sends may run ahead of the transport.
//!
//! # More than one hop
//!
//! [`stages`] stand between the producer and the work, and carry the credit: one window bounds what is in flight, however
//! many there are. [`workers`] are pools of tasks behind a bounded inbox, [`overflow`] is for sources that cannot be
//! slowed, `pool` for buffers that come home. [`sizing`] says how large a window should be.
//!
//! # What the numbers say
//!
//! | number | says |
//! |---|---|
//! | depth at the window all the time | the consumer is the limit |
//! | depth near zero, an idle consumer | the producer is |
//! | hardly any park time | the window is large enough |
//! | much park time and an idle consumer | the window is too small for the way between them |
//! | much park time and a busy consumer | more workers help, a larger window does not |
//! | an oldest work that only gets older | a guard that never comes home |
//!
//! [`Stats::diagnose`] reads that table, with the figures that it judged by. With the feature `metrics` a reporter publishes
//! the numbers to whatever the application scrapes or pushes them with.
//!
//! # Fairness and the runtime
//!
//! Senders take their place in line when they find no credit, and are served from the head: a big one is not
//! starved by small ones, a cancelled one frees the place for those behind, and `try_send` never overtakes.
//! `send` and `recv` use tokio's cooperative budget. Where parks have been very brief (below 2 µs, eight in a
//! row), a send that finds no credit keeps its place in line, gives the other tasks one turn, and parks only
//! if credit is not back then. A `recv` that finds nothing does likewise, as long as that brings a few chunks.
//!
//! # Your own loom models
//!
//! Built with `RUSTFLAGS="--cfg credit_channel_loom"`, the locks and atomics inside are loom's, and a model
//! of yours can hold a pair and have its interleavings explored along with your own. The cfg is this
//! crate's own, so tokio stays whole; timeouts and the cooperative budget are off in a model. See
//! `loom-tests/own_model.rs`.
//!
//! # Features
//!
//! Default: `bytes` ([`Weigh`] for `bytes::Bytes`, and `pool`), `transport` (the pair over a connection), `bincode`
//! (values of serde types over it), `tracing` (events, and a line per job). Beside them `postcard` (the same, by another codec), `metrics` (publishes the numbers
//! through the `metrics` facade) and `serde` ([`Stats`], [`Window`] and [`Credit`] can be serialized). Without the defaults it is the pair in one process and little else.

mod channel;
#[cfg(feature = "transport")]
pub mod codec;
mod credit;
mod disconnect;
mod error;
mod ledger;
#[cfg(feature = "metrics")]
pub mod metrics;
pub mod overflow;
#[cfg(feature = "bytes")]
pub mod pool;
mod reason;
#[cfg(feature = "transport")]
pub mod session;
pub mod sizing;
pub mod stages;
mod stats;
mod sync;
#[cfg(feature = "transport")]
pub mod transport;
mod weigh;
mod window;
#[cfg(feature = "transport")]
pub mod wire;
pub mod workers;

pub use channel::{
    Builder, Canceller, Chunk, CreditConsumer, CreditGuard, CreditProducer, CreditSink, Meter, OwnedPermit, Permit,
    Permits, Receiving, Sending, WeakProducer, channel, weighted,
};
pub use credit::Credit;
pub use disconnect::{Disconnect, Timeout, Violation};
pub use error::{
    ForEachError, GuardError, RecvError, SendError, SendTimeoutError, SinkError, TryRecvError, TrySendError,
};
pub use reason::{CancelReason, Closed, Failure};
pub use stats::{Condition, DepthTimes, Diagnosis, Stats, WorkTimes};
pub use weigh::Weigh;
pub use window::{Oversize, Window, WindowError};

/// The README's examples, kept compiling.
#[cfg(all(doctest, feature = "transport"))]
#[doc = include_str!("../README.md")]
struct Readme;
