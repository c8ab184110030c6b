//! The numbers of a channel, and nothing else.

use super::consumer::CreditConsumer;
use super::lease::Lease;
use crate::Stats;
use std::fmt;
use std::sync::Arc;

/// Reads the numbers of a channel, or of a stage that has a window of its own, from anywhere and for as long as wanted.
///
/// It keeps the bookkeeping alive and nothing else.
#[derive(Clone)]
pub struct Meter {
    lease: Arc<Lease>,
}

impl Meter {
    /// The numbers as of now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.lease.channel().stats()
    }
}

impl<T> CreditConsumer<T> {
    /// A handle that reads this channel's numbers from elsewhere.
    #[must_use]
    pub fn meter(&self) -> Meter {
        Meter { lease: Arc::clone(self.lease()) }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}
