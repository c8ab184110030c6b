//! What hostile peers cost in memory: the same peers as in `tests/hostile`, under an allocator that counts.
//!
//! A test binary of its own, in which one test runs at a time, so that what is counted is what that test costs, its raw
//! peer and its pipe included.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

#[path = "../raw/mod.rs"]
mod raw;
#[path = "../support/mod.rs"]
mod support;

mod bombs;
mod chunks;
mod floods;
mod half_open;

use peak_alloc::PeakAlloc;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use support::{LONG_WATCHDOG, within};
use tokio::runtime::Builder;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs it alone, under a paused clock.
fn alone<F>(test: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    within(LONG_WATCHDOG, "the test", move || {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime starts");
        let done = runtime.block_on(runtime.spawn(test));
        done.unwrap_or_else(|failed| resume_unwind(failed.into_panic()));
    });
}

/// Measures from now on.
struct Growth(usize);

impl Growth {
    fn from_now() -> Self {
        MEMORY.reset_peak_usage();
        Self(MEMORY.current_usage())
    }

    /// The most that was in use beyond what was in use at the start.
    fn peak(&self) -> usize {
        MEMORY.peak_usage().saturating_sub(self.0)
    }

    #[track_caller]
    fn assert_below(&self, bound: usize, what: &str) {
        let peak = self.peak();
        println!("{what}: {} KiB at most, of {} allowed", peak / KIB, bound / KIB);
        assert!(peak < bound, "{what}: grew by {} KiB, {} are allowed", peak / KIB, bound / KIB);
    }
}
