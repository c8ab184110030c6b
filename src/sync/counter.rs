//! A count that is read elsewhere.

use super::shim::{AtomicU64, Ordering};
use std::fmt;
use std::sync::Arc;

/// Counts upwards in one place, for others to read.
#[derive(Clone)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(0)))
    }

    pub(crate) fn add_one(&self) {
        // ORDERING: Relaxed; a number to look at, which publishes nothing.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self) -> u64 {
        // ORDERING: Relaxed, as above.
        self.0.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Counter").field(&self.count()).finish()
    }
}
