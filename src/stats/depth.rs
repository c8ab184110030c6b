//! How full the window was, and for how long.

use crate::{Credit, Window};
use std::time::Duration;

/// For how long the depth was at which part of the window: a histogram weighted by time. Credit that is reserved counts
/// too.
///
/// The clock is not read for every chunk. It is looked at whenever a sender parks or is served, after the first chunk
/// and then after ever more, at most 1,024, and when the numbers are asked for; the depth found at one look counts until
/// the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DepthTimes {
    /// Nothing was in flight.
    pub empty: Duration,
    /// Something was, by quarters of the window: up to one, up to two, up to three, and beyond.
    pub quarters: [Duration; 4],
    /// The whole window was in flight.
    pub full: Duration,
}

impl DepthTimes {
    /// All of it together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.quarters.iter().fold(self.empty.saturating_add(self.full), |sum, time| sum.saturating_add(*time))
    }

    /// The part of the time in which nothing was in flight, from 0 to 1.
    #[must_use]
    pub fn share_empty(&self) -> f64 {
        share(self.empty, self.total())
    }

    /// The part of the time in which the whole window was in flight, from 0 to 1.
    #[must_use]
    pub fn share_full(&self) -> f64 {
        share(self.full, self.total())
    }

    /// What was added since an earlier look.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut quarters = self.quarters;
        for (quarter, before) in quarters.iter_mut().zip(earlier.quarters) {
            *quarter = quarter.saturating_sub(before);
        }
        Self { empty: self.empty.saturating_sub(earlier.empty), quarters, full: self.full.saturating_sub(earlier.full) }
    }

    pub(crate) fn add(&mut self, level: Level, time: Duration) {
        let slot = match level {
            Level::Empty => &mut self.empty,
            Level::Quarter(n) => &mut self.quarters[n],
            Level::Full => &mut self.full,
        };
        *slot = slot.saturating_add(time);
    }
}

/// A part of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Level {
    #[default]
    Empty,
    /// 0 to 3.
    Quarter(usize),
    Full,
}

/// At which part of the window a depth is: in the unit that is nearer to its limit, if both are counted.
pub(crate) fn level(depth: Credit, window: Window) -> Level {
    let of = |depth: u64, limit: Option<u64>| match limit {
        Some(limit) if depth >= limit => 4,
        Some(limit) if depth > 0 => (u128::from(depth) * 4).div_ceil(u128::from(limit)) - 1,
        _ => 0,
    };
    if depth.is_zero() {
        return Level::Empty;
    }
    let quarter = of(depth.messages(), window.message_limit()).max(of(depth.bytes(), window.byte_limit()));
    match usize::try_from(quarter) {
        Ok(n @ 0..4) => Level::Quarter(n),
        _ => Level::Full,
    }
}

fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.div_duration_f64(whole) }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::{DepthTimes, Level, level};
    use crate::{Credit, Window};
    use std::time::Duration;

    #[test]
    fn levels() {
        let window = Window::messages(8);
        let table = [
            (0, Level::Empty),
            (1, Level::Quarter(0)),
            (2, Level::Quarter(0)),
            (3, Level::Quarter(1)),
            (7, Level::Quarter(3)),
        ];
        for (depth, expected) in table.into_iter().chain([(8, Level::Full), (9, Level::Full)]) {
            assert_eq!(level(Credit::new(depth, 0), window), expected, "{depth}");
        }
        assert_eq!(level(Credit::new(1, 99), Window::messages(100).and_bytes(100)), Level::Quarter(3));
        assert_eq!(level(Credit::new(1, 0), Window::messages(1)), Level::Full);
        assert_eq!(level(Credit::new(u64::MAX, 0), Window::messages(u64::MAX)), Level::Full);
    }

    #[test]
    fn shares() {
        let mut times = DepthTimes::default();
        assert_eq!((times.share_full(), times.share_empty()), (0.0, 0.0));
        times.add(Level::Full, Duration::from_millis(30));
        times.add(Level::Quarter(2), Duration::from_millis(60));
        times.add(Level::Empty, Duration::from_millis(10));
        assert_eq!((times.share_full(), times.share_empty()), (0.3, 0.1));
        let before = times;
        times.add(Level::Full, Duration::from_millis(5));
        assert_eq!(times.since(&before), DepthTimes { full: Duration::from_millis(5), ..DepthTimes::default() });
    }
}
