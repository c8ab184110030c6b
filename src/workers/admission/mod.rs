//! Who is let in: a rate, and what changes it.

mod response_target;
mod token_bucket;

pub use response_target::ResponseTarget;
pub use token_bucket::TokenBucket;

use std::time::Duration;

/// Decides how fast values are let in, from how long they took.
///
/// Each submission takes a token out of a [`TokenBucket`]; this is what fills it. So whoever submits waits for nothing
/// and runs nobody's code, and what decides runs in one place, with time as an argument.
///
/// A [`Rate`] is an admission too: always that rate. [`ResponseTarget`] follows the response time.
///
/// # Panics
///
/// If it does, the pool stops as if a handler had.
pub trait Admission: Send {
    /// The rate now.
    fn rate(&self) -> Rate;

    /// The work on a value was done, `response_time` after it was let in. `now` is the time since the pool was made.
    fn observe(&mut self, response_time: Duration, now: Duration);
}

/// How many are let in: so many per second, and so many at once after a quiet time.
///
/// # Examples
///
/// ```
/// use credit_channel::workers::Rate;
///
/// let rate = Rate::per_second(200.0);
/// assert_eq!(rate.burst(), 20.0); // a tenth of a second's worth
/// assert_eq!(rate.with_burst(1).burst(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    per_second: f64,
    burst: f64,
}

impl Rate {
    /// So many per second. Less than nothing, and what is no number, are taken as 0, which lets in a first burst and
    /// nothing after that. At once it lets in what comes in a tenth of a second, at least 1.
    #[must_use]
    pub fn per_second(per_second: f64) -> Self {
        let per_second = per_second.max(0.0);
        Self { per_second, burst: (per_second / 10.0).max(1.0) }
    }

    /// So many at once instead, at least 1.
    #[must_use]
    pub fn with_burst(self, burst: u32) -> Self {
        Self { burst: f64::from(burst.max(1)), ..self }
    }

    /// How many per second.
    #[must_use]
    pub fn rate_per_second(&self) -> f64 {
        self.per_second
    }

    /// How many at once.
    #[must_use]
    pub fn burst(&self) -> f64 {
        self.burst
    }
}

impl Admission for Rate {
    fn rate(&self) -> Rate {
        *self
    }

    fn observe(&mut self, _: Duration, _: Duration) {}
}
