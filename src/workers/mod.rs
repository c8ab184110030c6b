//! Several workers on one queue, in the manner of SEDA: a bounded inbox, workers that come and go, and those who decide.
//!
//! A pool takes values in, has them handled by several tasks at once, and brings the results as a
//! [`Stage`](crate::stages::Stage). **One window** goes round all of it: a value counts from when it came in until the
//! chunk of its result is dropped. So no part of it can fill up, results included, and who takes them slowly slows down
//! who submits.
//!
//! ```text
//!  Inbox ──▶ queue ──▶ workers ──▶ results ──▶ Pool ──▶ Chunk
//!    ▲    │◀───────────────── the inbox's capacity ─────────────────▶│
//!    └────────────────────── credit ◀── drop(chunk) ─────────────────┘
//! ```
//!
//! There are two ways in: behind a stage or a channel, with [`Stage::spawn_workers`](crate::stages::Stage::spawn_workers)
//! and [`spawn_batch_workers`](crate::stages::Stage::spawn_batch_workers), where the producer waits for room and its
//! credit is carried to the results; or by hand, with [`Workers::spawn`] and an [`Inbox`], which refuses what it does
//! not take, with the reason and the value.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::stages::Stage;
//! use credit_channel::workers::Workers;
//! use credit_channel::{Failure, Window, channel};
//!
//! let (tx, rx) = channel::<u64>(Window::messages(100))?;
//! let source = tokio::spawn(async move {
//!     for row in 0..1000 {
//!         tx.send(row).await?;
//!     }
//!     tx.end_and_wait().await?;
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! });
//!
//! let mut results = rx.spawn_workers(Workers::new(4..=4), |row| async move { Ok::<_, Failure>(row % 10) })?;
//! let mut sum = 0;
//! while let Some(digit) = results.recv().await? {
//!     sum += *digit; // the producer's credit goes back when `digit` is dropped
//! }
//! assert_eq!(sum, 4500);
//! source.await?.map_err(|error| error.to_string())?;
//! # Ok(())
//! # }
//! ```
//!
//! # What each setting bounds, and what it costs
//!
//! | setting | bounds | costs |
//! |---|---|---|
//! | [`Workers::new`] | how many batches are in work at once | a task while a worker has a batch, nothing while it has none |
//! | [`inbox`](Workers::inbox) | values in the pool, and so its memory | a large one hides an overload, as time in the queue; one below the workers keeps some of them idle |
//! | [`batch`](Workers::batch) | values in a worker's hand | each waits for its whole batch; one task and one call (by the batch) for all of it |
//! | [`controller`](Workers::controller) | how fast the pool follows its load | a timer that rings also when nothing happens |
//! | [`admission`](Workers::admission) | the rate at which an inbox lets values in | reading the clock and a lock for each submission |
//! | [`ordered`](Workers::ordered) | nothing | what is done before its turn waits, within the window |
//!
//! # Who decides
//!
//! A [`Controller`] is a function of a [`Sample`] and the time: [`QueueThreshold`] adds and removes workers,
//! [`BatchSizer`] finds the batch, [`Fixed`] decides nothing, a pair of them is one. An [`Admission`] turns response
//! times into a [`Rate`]: [`ResponseTarget`] does so by the 90th percentile. None of them sees a clock or a task, so
//! that a test can drive them by hand. They run in the pool's own task.
//!
//! # How it ends
//!
//! The clean end comes when everything is done. An error from before the workers comes after what was taken in before
//! it. A handler's error stops the pool: what is before it is told (producers with
//! [`CancelReason::HandlerError`](crate::CancelReason::HandlerError), for a panic
//! [`HandlerPanic`](crate::CancelReason::HandlerPanic)), what is queued is dropped and its credit goes back, what is in
//! front of it, or under way where there is no order, is finished and comes out, and then the
//! [`StageError`](crate::stages::StageError). With [`ErrorOrder::AtOnce`](crate::stages::ErrorOrder::AtOnce) nothing is
//! waited for.

mod admission;
mod board;
mod builder;
mod control;
mod error;
mod foreman;
mod inbox;
mod job;
mod lineup;
mod pool;
mod sampler;

pub use admission::{Admission, Rate, ResponseTarget, TokenBucket};
pub use board::{PoolMeter, PoolStats};
pub use builder::Workers;
pub use control::{BatchSizer, Controller, Fixed, Plan, QueueThreshold, Sample};
pub use error::{Refused, WorkersError};
pub use inbox::Inbox;
pub(crate) use job::{Batches, Each};
pub use pool::Pool;
