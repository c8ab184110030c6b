//! The formula: how many chunks have to be in flight for nobody to wait on the credit of the first.

use crate::Window;
use std::time::Duration;

/// The least window that is ever computed: one chunk at work, one on its way.
pub(crate) const LEAST: u64 = 2;

/// The time that a window has to cover, and the time in which one more chunk covers it, in nanoseconds.
///
/// Kept as a fraction, so that it can be rounded once and asked how near to the next number it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    cover: u128,
    per_chunk: u128,
}

impl Need {
    /// `(L + C) / P`.
    pub(crate) fn of_producer(latency: Duration, consume: Duration, produce: Duration) -> Self {
        Self { cover: latency.as_nanos() + consume.as_nanos(), per_chunk: produce.as_nanos() }
    }

    /// `(L + C) / max(P, C / K)`, with both sides of the fraction times K: no remainder of `C / K` is lost.
    ///
    /// It cannot overflow: two durations are below 2⁹⁶ ns, and K is below 2³².
    pub(crate) fn of_workers(latency: Duration, consume: Duration, produce: Duration, workers: u32) -> Self {
        let workers = u128::from(workers.max(1));
        let consume = consume.as_nanos();
        Self { cover: (latency.as_nanos() + consume) * workers, per_chunk: (produce.as_nanos() * workers).max(consume) }
    }

    /// Rounded up, at least 2, at most [`Window::MAX`].
    pub(crate) fn messages(self) -> u64 {
        match (self.cover, self.per_chunk) {
            (0, _) => LEAST,
            (_, 0) => Window::MAX,
            (cover, per_chunk) => {
                u64::try_from(cover.div_ceil(per_chunk)).map_or(Window::MAX, |n| n.clamp(LEAST, Window::MAX))
            }
        }
    }

    /// Whether `n` is 1 too many by no more than an eighth of a message.
    ///
    /// Only upwards: what is a hair short makes the producer wait, what is a hair too large costs one chunk.
    pub(crate) fn is_nearly(self, n: u64) -> bool {
        let more = Self { cover: self.cover.saturating_add(self.per_chunk / 8), ..self };
        more.messages() == n && self.messages() < n
    }
}
