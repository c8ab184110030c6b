//! How large a window should be, and a window that follows the answer.
//!
//! A channel's window is fixed unless somebody changes it
//! ([`set_window`](crate::CreditConsumer::set_window)). This module says to what: once, by a formula
//! ([`Window::for_costs`](crate::Window::for_costs)); for a person, in a sentence ([`suggest()`]); or again and again,
//! by a [`WindowPolicy`] that is fed with [`Sample`]s. All of it is arithmetic: no clock, no task, no channel. Samples
//! and the time are arguments, and what comes back is a number and its [`Cause`].
//!
//! ```
//! use credit_channel::sizing::{Adaptive, Sample, WindowPolicy};
//! use credit_channel::{Window, channel};
//! use std::time::Duration;
//!
//! let (tx, rx) = channel::<u64>(Window::messages(2))?;
//! let mut policy = Adaptive::between(2, 64).byte_budget(16 << 20);
//!
//! // On a timer, with what was measured since the last time:
//! let sample = Sample::new(2).latency(Duration::from_millis(40)).blocked(true).idle(true).peak_in_flight(2);
//! for now in [0, 100] {
//!     let adjustment = policy.adjust(&sample, Duration::from_millis(now));
//!     if adjustment.changes(&sample) {
//!         println!("window {}: {}", adjustment.window, adjustment.cause);
//!         rx.set_window(Window::messages(adjustment.window))?;
//!     }
//! }
//! assert_eq!(tx.window(), Window::messages(4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The formula
//!
//! A credit is away from when its chunk is sent until it is back: L, the latency there and back, and C, the consumer's
//! work. In that time a producer that needs P per chunk sends `(L + C) / P` more. With a window of that, rounded up, it
//! never waits; and 2 at least, so that one chunk is on its way while another is worked on. The consumer must keep up:
//! with a chunk in 14 ms against one in 2 ms that takes 7 workers.
//!
//! | latency | work | production | window |
//! |---|---|---|---|
//! | 1 ms | 14 ms | 2 ms | 8 |
//! | 1 ms | 1 ms | 20 ms | 2 |
//! | 40 ms | 1 ms | 1 ms | 41 |
//! | 200 ms | 1 ms | 1 ms | 201 |
//!
//! # Three traps
//!
//! 1. **A fast producer.** As P goes to 0, the formula goes to infinity, while K workers that need C each take a chunk
//!    every C / K and no more. What can be used is `(L + C) / max(P, C / K)`:
//!    [`Window::for_workers`](crate::Window::for_workers), [`Adaptive::bottleneck_aware`].
//! 2. **Returns in batches.** Credit that the consumer holds back to return `b` at a time is credit the producer cannot
//!    use: `b - 1` more. [`Sample::held_back`].
//! 3. **Feedback.** Where time spent waiting is measured as work or as latency, a larger window makes the chunks wait
//!    longer, and the longer wait asks for a larger window. C is from when a chunk is taken in hand; L is that of a
//!    pipe that is not full. A sample that gets this wrong drives the window to its upper bound, and no further.
//!
//! # What each knob costs
//!
//! | knob | memory | if it is wrong |
//! |---|---|---|
//! | [`Fixed`] | so many chunks | too small: both sides wait in turn. Too large: only memory |
//! | [`Adaptive::between`], `max` | up to so many chunks, and a slow or lying peer can have them all | too small: as above |
//! | `min` | so many chunks at any time | too large: memory of channels that stand still |
//! | [`byte_budget`](Adaptive::byte_budget) | so many bytes of mean chunks, or 2 chunks | too small: a window of 2 |
//! | [`bottleneck_aware`](Adaptive::bottleneck_aware) | saves what workers cannot use | too few workers: they idle |
//! | the policy | some 550 bytes per channel, no allocation | |
//!
//! # When fixed is better
//!
//! Almost always. In one process L is next to nothing, and a window of 4, or of a few per worker, is right whatever the
//! load. A few chunks too many cost nothing where chunks are small; and a window that never changes is one thing less
//! to wonder about. Let it adapt where the latency is not known beforehand or changes (the same service in the next
//! rack and across an ocean), where costs change by multiples while it runs, and where chunks are so large that a
//! window for the worst case is too much memory for all channels at once.

mod adapt;
mod adaptive;
mod average;
mod bounds;
mod formula;
mod interval;
mod live;
mod policy;
mod sample;
mod standing;
mod suggest;

pub(crate) use formula::Need;

pub use adaptive::Adaptive;
pub use policy::{Adjustment, Cause, Fixed, WindowPolicy};
pub use sample::Sample;
pub use suggest::{Suggestion, suggest};
