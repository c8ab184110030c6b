//! The loom models: every interleaving of two or three threads that race for something.
//!
//! ```sh
//! RUSTFLAGS="--cfg credit_channel_loom" cargo test --profile loom --target-dir target/loom --test loom
//! ```
//!
//! That takes about a minute on two cores. The target directory is one of its own because RUSTFLAGS rebuild
//! everything. One model alone, with its numbers, and searched deeper than by default:
//!
//! ```sh
//! LOOM_MAX_PREEMPTIONS=4 RUSTFLAGS="--cfg credit_channel_loom" \
//!     cargo test --profile loom --target-dir target/loom --test loom -- cancel_vs_grant --nocapture
//! ```
//!
//! A model is named for the race it hunts and uses the public API alone. Its payloads are tracked: one that
//! is neither received nor given back nor dropped fails it. A wake-up that gets lost fails it too, as a
//! deadlock. At its end nothing is in flight, nobody waits, and all credit is back (I3 of the promises).
//! Each has been seen failing on a core broken on purpose, in the way its comment names:
//! `loom-tests/breaks.sh` repeats that.
//!
//! Under the cfg there is no cooperative budget and no clock, so that no model is about those; and what is
//! built on the pair and has no lock of its own (the sink, `for_each`) has no model either.
#![cfg(credit_channel_loom)]

mod bank;
mod ending;
mod guards;
mod line;
mod one_turn;
mod overflow;
mod own_model;
mod park;
#[cfg(feature = "bytes")]
mod pool;
mod stopping;
mod support;
mod window;
