//! The numbers of a reorder stage.

use crate::sync::shim::Mutex;
use std::fmt;
use std::sync::Arc;

/// The numbers of a [`Reorder`](super::Reorder) at one moment. `held` and what belongs to it are as of then; the others
/// only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReorderStats {
    /// The number whose turn it is. None after `u64::MAX`.
    pub next: Option<u64>,
    /// Values that wait for those before them.
    pub held: u64,
    /// The bytes of those, where they are weighed.
    pub held_bytes: u64,
    /// The most that were ever held.
    pub peak_held: u64,
    /// The most bytes that were ever held.
    pub peak_bytes: u64,
    /// Values passed on, in order.
    pub passed: u64,
    /// Values dropped because one of their number was held.
    pub duplicates: u64,
    /// Values dropped because their number had been passed on or skipped, or is below the first.
    pub old: u64,
    /// Gaps that were skipped.
    pub gaps: u64,
    /// Numbers in those.
    pub skipped: u64,
}

/// Reads the numbers of a [`Reorder`](super::Reorder) from anywhere: as of when it was last polled.
#[derive(Clone)]
pub struct ReorderMeter {
    shown: Arc<Mutex<ReorderStats>>,
}

impl ReorderMeter {
    pub(super) fn new(stats: ReorderStats) -> Self {
        Self { shown: Arc::new(Mutex::new(stats)) }
    }

    pub(super) fn show(&self, stats: ReorderStats) {
        *self.shown.lock() = stats;
    }

    /// The numbers.
    #[must_use]
    pub fn stats(&self) -> ReorderStats {
        *self.shown.lock()
    }
}

impl fmt::Debug for ReorderMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReorderMeter").field("stats", &self.stats()).finish()
    }
}
