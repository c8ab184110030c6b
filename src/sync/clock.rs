//! The clock that park time is read from: tokio's, so that a test can pause it.

use std::time::Duration;

/// A moment. Only ever read when somebody parks or is served, and for one chunk in many: not on the way of a send that
/// finds credit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    #[cfg(not(credit_channel_loom))]
    at: tokio::time::Instant,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self {
            #[cfg(not(credit_channel_loom))]
            at: tokio::time::Instant::now(),
        }
    }

    /// Time from an earlier one to this.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        #[cfg(not(credit_channel_loom))]
        return self.at.saturating_duration_since(earlier.at);
        #[cfg(credit_channel_loom)]
        {
            let _ = earlier;
            Duration::ZERO
        }
    }

    /// Time since then. A loom model has no clock: there it is zero.
    pub(crate) fn elapsed(self) -> Duration {
        #[cfg(not(credit_channel_loom))]
        return self.at.elapsed();
        #[cfg(credit_channel_loom)]
        return Duration::ZERO;
    }
}
