//! CANCEL from anywhere.

use super::lease::Lease;
use crate::{CancelReason, Stats};
use std::fmt;
use std::sync::Arc;

/// Cancels a channel from any task or thread, while the consumer is busy or waits.
///
/// Clone it freely. It keeps the channel's bookkeeping alive, not the channel: once the consumer is gone
/// it does nothing.
#[derive(Clone)]
pub struct Canceller {
    lease: Arc<Lease>,
}

impl Canceller {
    pub(super) fn new(lease: Arc<Lease>) -> Self {
        Self { lease }
    }

    /// Stops the channel: parked sends return with their values, queued chunks are dropped, the consumer's
    /// `recv` returns [`RecvError::Cancelled`](crate::RecvError::Cancelled). Never waits; the first reason
    /// given is the one that counts.
    ///
    /// Returns whether this call is what stopped it: false if it was over or cancelled already.
    pub fn cancel(&self, reason: CancelReason) -> bool {
        self.lease.channel().cancel(reason)
    }

    /// The channel's numbers, for those who watch it without being one of its ends.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.lease.channel().stats()
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}
