//! A rate, token by token.

use super::Rate;
use std::time::Duration;

/// Holds up to a burst of tokens, and gets new ones at a steady rate. It begins full.
///
/// # Examples
///
/// ```
/// use credit_channel::workers::{Rate, TokenBucket};
/// use std::time::Duration;
///
/// let mut bucket = TokenBucket::new(Rate::per_second(10.0).with_burst(2));
/// let now = Duration::ZERO;
/// assert!(bucket.take(now) && bucket.take(now) && !bucket.take(now));
/// assert!(!bucket.take(Duration::from_millis(99)));
/// assert!(bucket.take(Duration::from_millis(101)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenBucket {
    rate: Rate,
    tokens: f64,
    filled: Duration,
}

impl TokenBucket {
    /// A full one.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, tokens: rate.burst(), filled: Duration::ZERO }
    }

    /// Takes a token, if there is one. A `now` that is earlier than one before brings none, and does no harm.
    pub fn take(&mut self, now: Duration) -> bool {
        self.fill(now);
        let there = self.tokens >= 1.0;
        if there {
            self.tokens -= 1.0;
        }
        there
    }

    /// Goes on at another rate. What is in it stays, as far as the new burst allows.
    pub fn set_rate(&mut self, rate: Rate, now: Duration) {
        self.fill(now);
        self.rate = rate;
        self.tokens = self.tokens.min(rate.burst());
    }

    fn fill(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.filled);
        self.filled = self.filled.max(now);
        self.tokens = (self.tokens + passed.as_secs_f64() * self.rate.rate_per_second()).min(self.rate.burst());
    }
}
