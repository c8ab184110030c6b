//! Changes the window from elsewhere.

use super::consumer::CreditConsumer;
use super::lease::Lease;
use crate::{Stats, Window, WindowError};
use std::sync::Arc;

/// What a window policy holds of a channel.
pub(crate) struct Resizer {
    lease: Arc<Lease>,
}

impl Resizer {
    pub(crate) fn stats(&self) -> Stats {
        self.lease.channel().stats()
    }

    pub(crate) fn set_window(&self, window: Window) -> Result<(), WindowError> {
        self.lease.channel().set_window(window)
    }

    /// Whether the producers may send no more.
    pub(crate) fn is_over(&self) -> bool {
        self.lease.channel().is_over()
    }
}

impl<T> CreditConsumer<T> {
    /// From here on the latency is measured too.
    pub(crate) fn resizer(&self) -> Resizer {
        let lease = Arc::clone(self.lease());
        lease.channel().measure();
        Resizer { lease }
    }
}
