//! The clock that park time is read from: tokio's, so that a test can pause it.

use std::time::Duration;

/// A moment. Only ever read when somebody parks or is served, never on the way of a send that finds credit.
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

    /// Time since then. A loom model has no clock: there it is zero.
    pub(crate) fn elapsed(self) -> Duration {
        #[cfg(not(credit_channel_loom))]
        return self.at.elapsed();
        #[cfg(credit_channel_loom)]
        return Duration::ZERO;
    }
}
