//! Overflow: what becomes of values from a source that cannot be slowed.
//!
//! Credit makes a producer wait. A socket that receives datagrams, a sensor, a feed of prices or a signal handler does
//! not wait: if its values come faster than they are worked on, something has to go, and the question is only what.
//! Here they are **offered** to a bounded buffer, which a **policy** answers for, and the work behind it stays under a
//! window as everywhere: the consumer side is a [`Stage`](crate::stages::Stage), which takes a value out of the buffer
//! only when there is credit for the work on it. So what is dropped never costs credit, and the memory is bounded by
//! the buffer and the window, whatever the source does.
//!
//! Nothing goes silently. An offer says what has become of the value ([`Verdict`], [`OfferError`]); each value that
//! will not come out is given to a [hook](Builder::on_drop), with the reason, and [counted](OverflowStats); and the
//! consumer sees the gap in the numbers of the chunks and in [`dropped_before`](Overflowed::dropped_before).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::Window;
//! use credit_channel::overflow::{self, Policy};
//! use credit_channel::stages::Stage;
//!
//! let (tx, rx) = overflow::channel(Policy::drop_oldest(4), Window::messages(2))?;
//! for sample in 0..1000_u32 {
//!     tx.offer(sample)?; // never waits: of a thousand the last four are there
//! }
//! let numbers = tx.clone();
//! tx.end();
//!
//! let mut samples = rx.map(|sample| sample * 10);
//! let mut got = Vec::new();
//! for _ in 0..4 {
//!     got.push(samples.recv().await?.expect("four").into_inner());
//! }
//! assert_eq!(got, [9960, 9970, 9980, 9990]);
//! assert_eq!((numbers.stats().dropped.oldest, numbers.stats().delivered), (996, 4));
//! numbers.end();
//! assert!(samples.recv().await?.is_none());
//! # Ok(())
//! # }
//! ```
//!
//! # The policies
//!
//! 1 to 10 are offered to a buffer of 3 that nobody takes from:
//!
//! | policy | left | what the offer says when it is full |
//! |---|---|---|
//! | [`wait`](Policy::wait) | 1 2 3 | [`send`](Offering::send) waits; [`Full`](OfferError::Full) if too many do |
//! | [`reject`](Policy::reject) | 1 2 3 | [`Full`](OfferError::Full), with the value |
//! | [`drop_newest`](Policy::drop_newest) | 1 2 3 | [`Dropped`](Verdict::Dropped) |
//! | [`drop_oldest`](Policy::drop_oldest) | 8 9 10 | [`Displaced`](Verdict::Displaced), 1 |
//! | [`drop_tail`](Policy::drop_tail) | 1 2 10 | [`Displaced`](Verdict::Displaced), 1 |
//! | [`drop_all`](Policy::drop_all) | 10 | [`Displaced`](Verdict::Displaced), 3, at 4, 7 and 10 |
//! | [`fail`](Policy::fail) | 1 2 3, and the failure | [`Failed`](OfferError::Failed), once, with the value |
//! | [`latest`](Policy::latest), 1 place | 10 | [`Displaced`](Verdict::Displaced), 1 |
//! | [`conflate`](Policy::conflate), a sum | 55 | [`Conflated`](Verdict::Conflated) |
//!
//! With each of them [`time_to_live`](Builder::time_to_live) drops what is too old to be of use, before it is asked
//! whether the buffer is full.
//!
//! # When to use which
//!
//! * The source can wait after all, and there are many of it: **wait**. (One alone is better off with a
//!   [channel](crate::channel()), whose window counts the work too.)
//! * The caller knows better, answers 503, tries again or writes to disk: **reject**.
//! * What was begun is to be finished, as with requests: **drop the newest**.
//! * The recent past counts, as with samples, log lines and the frames of a video: **drop the oldest**.
//! * How it began counts, and how it is now: **drop the tail**.
//! * Values that are late are worth nothing, and one clean cut is better than all of them late: **drop all**.
//! * No gap can be borne, as in a stream of changes, and one starts over instead: **fail**.
//! * Only the present counts, as with a position, a setting or a price: **latest**.
//! * Values can be put together, as counters can, or the regions of a screen to be redrawn: **conflate**.
//!
//! # How it ends
//!
//! As everywhere: when every [`Offering`] has called [`end`](Offering::end), the consumer gets what is buffered and
//! then the clean end; a producer that fails or just goes is told from that. When the consumer stops, those who wait
//! get their values back, what is buffered goes to the hook, and offers say [`Closed`](OfferError::Closed) with the
//! value and the reason.

mod buffer;
mod builder;
mod life;
mod line;
mod lost;
mod offering;
#[cfg(test)]
mod oracle;
mod overflowed;
mod policy;
mod sending;
mod shared;
mod state;
mod stats;
mod verdict;

use crate::stages::ErrorOrder;
pub use builder::{Builder, OverflowError, channel};
pub use offering::Offering;
pub use overflowed::Overflowed;
pub use policy::Policy;
pub use sending::Sending;
pub use stats::{Drops, OverflowStats};
pub use verdict::{DropReason, OfferError, Verdict};
