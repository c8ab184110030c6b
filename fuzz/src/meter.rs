//! How much memory is held, and was at most: counted by the allocator of a fuzz target, and 0 where there is none.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// So many bytes more are held.
pub fn add(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed).wrapping_add(bytes);
    PEAK.fetch_max(held, Relaxed);
}

/// So many bytes were given back.
pub fn take(bytes: usize) {
    HELD.fetch_sub(bytes, Relaxed);
}

/// What `work` gives, and the most it held at any time beyond what was held before.
pub fn most_held<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let done = work();
    (done, PEAK.load(Relaxed).saturating_sub(before))
}
