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

#[cfg_attr(not(test), expect(dead_code, reason = "the transports, which send CREDIT by it, come next"))]
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

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::ReturnBatch;

    #[test]
    fn nothing_is_held_back_below_a_window_of_8() {
        for window in 1..8 {
            let mut batch = ReturnBatch::default();
            assert_eq!(batch.on_return(1, window, window, false), 1, "window {window}");
        }
    }

    #[test]
    fn at_most_a_quarter_of_the_window_is_held_back() {
        for window in 8..200 {
            let mut batch = ReturnBatch::default();
            let told: Vec<u64> = (0..window * 4).map(|_| batch.on_return(1, window, window, false)).collect();
            assert_eq!(
                told.iter().sum::<u64>() + batch.held,
                window * 4,
                "window {window}: all of it is accounted for"
            );
            assert!(told.iter().all(|n| *n == 0 || *n == window / 4 + 1), "window {window}: {told:?}");
        }
    }

    #[test]
    fn all_goes_out_when_nothing_is_outstanding_or_the_producer_is_blocked() {
        let mut batch = ReturnBatch::default();
        assert_eq!(batch.on_return(1, 5, 64, false), 0);
        assert_eq!(batch.on_return(1, 5, 64, true), 2, "blocked");
        assert_eq!(batch.on_return(3, 2, 64, false), 0);
        assert_eq!(batch.on_return(2, 0, 64, false), 5, "nothing outstanding");
        assert_eq!(batch.on_return(7, 9, 64, false), 0);
        assert_eq!(batch.flush(), 7);
    }

    /// Window 100, chunks of 90 bytes: the second may not wait for credit that is held back.
    #[test]
    fn a_chunk_of_nearly_the_window_is_not_stalled() {
        let mut batch = ReturnBatch::default();
        assert_eq!(batch.on_return(90, 0, 100, false), 90);
    }
}
