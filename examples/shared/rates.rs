//! Shares of time, and rates. All in integers, so nothing is rounded by surprise.

use std::fmt;
use std::time::Duration;

/// So many per second.
pub(crate) fn per_second(n: u64, time: Duration) -> u64 {
    let per_second = u128::from(n) * 1_000_000_000 / time.as_nanos().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

/// A part of a whole, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Share(u64);

impl Share {
    /// Of a time. A clock that is read twice can make the part the larger one: then it is all of it.
    pub(crate) fn of(part: Duration, whole: Duration) -> Self {
        let permille = part.as_nanos() * 1000 / whole.as_nanos().max(1);
        Self(u64::try_from(permille).unwrap_or(1000).min(1000))
    }

    pub(crate) const fn percent(percent: u64) -> Self {
        Self(percent * 10)
    }

    /// What is left of the whole.
    pub(crate) const fn rest(self) -> Self {
        Self(1000_u64.saturating_sub(self.0))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Padded as one word, so that a live line does not jump.
        f.pad(&format!("{}.{}%", self.0 / 10, self.0 % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, per_second};
    use std::time::Duration;

    #[test]
    fn shares_stay_between_nothing_and_all() {
        let second = Duration::from_secs(1);
        assert_eq!(Share::of(Duration::from_millis(434), second).to_string(), "43.4%");
        assert_eq!(Share::of(second * 2, second).to_string(), "100.0%");
        assert_eq!(Share::of(Duration::ZERO, Duration::ZERO).to_string(), "0.0%");
        assert_eq!(Share::percent(30).rest(), Share::percent(70));
    }

    #[test]
    fn a_rate_of_no_time_is_no_division_by_zero() {
        assert_eq!(per_second(500, Duration::from_millis(250)), 2000);
        assert_eq!(per_second(0, Duration::ZERO), 0);
    }
}
