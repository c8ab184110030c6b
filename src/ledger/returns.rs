//! When returned credit is worth a message.

/// Holds returned credit back until telling the producer is worth it, and never long enough to stall it.
///
/// A transport pays a CREDIT frame per return; in process a return costs one atomic addition, and the
/// producer collects what lies there when it runs short, so only transports hold credit back. The rule
/// (decision 7 of the design; Reactor's `limit = prefetch − prefetch / 4` is its ancestor):
///
/// * at most a quarter of the window is held back, and nothing at all below a window of 8;
/// * all of it goes out when nothing is outstanding, or when the producer says that it is blocked.
///
/// A chunk that needs more than three quarters of a byte window may find its credit held back while
/// others are outstanding: its producer is then blocked, says so, and has it.
#[derive(Debug, Default)]
pub(crate) struct ReturnBatch {
    held: u64,
}

impl ReturnBatch {
    /// How much may be held back in a window: what is returned beyond goes out.
    pub(crate) const fn limit(window: u64) -> u64 {
        if window < 8 { 0 } else { window / 4 }
    }

    /// `n` came home, `outstanding` is still being worked on: how much to tell the producer of now.
    #[must_use]
    pub(crate) fn on_return(&mut self, n: u64, outstanding: u64, window: u64, blocked: bool) -> u64 {
        self.held = self.held.saturating_add(n);
        if blocked || outstanding == 0 || self.held > Self::limit(window) { self.flush() } else { 0 }
    }

    /// The producer says that it is blocked, or the window changed: everything goes out.
    #[must_use]
    pub(crate) fn flush(&mut self) -> u64 {
        std::mem::take(&mut self.held)
    }
}
