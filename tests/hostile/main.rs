//! A peer that speaks bytes and means no good, or is broken: each way that was thought of or heard of, and the answer.
//!
//! The numbers H1 to H52 are those of the list that the project keeps; H36 to H39 are about many channels on one
//! connection, and H48 about transports without order: there are neither. Each test says which it is about. What floods
//! and bombs cost in memory is measured in `tests/hostile_memory`.
//!
//! Without sockets the clock is a paused one: minutes pass at once, and only while nothing else can be done.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

#[path = "../raw/mod.rs"]
mod raw;
#[path = "../support/mod.rs"]
mod support;

mod answers;
mod cancelling;
mod chunks;
mod credit;
mod endings;
mod floods;
mod frames;
mod liveness;
mod opening;
mod payloads;
mod sockets;
mod texts;

use std::panic::resume_unwind;
use support::{WATCHDOG, within};
use tokio::runtime::Builder;

/// Runs it under a paused clock. A run that hangs although the clock moves on fails.
fn hostile<F>(test: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    within(WATCHDOG, "the test", move || {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime starts");
        let done = runtime.block_on(runtime.spawn(test));
        done.unwrap_or_else(|failed| resume_unwind(failed.into_panic()));
    });
}
