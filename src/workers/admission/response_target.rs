//! The rate at which nine in ten are answered in time.

use super::{Admission, Rate};
use std::ops::RangeInclusive;
use std::time::Duration;

/// It decides after so many response times, or after a second if they come more slowly.
const WINDOW: usize = 100;
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// How much of what was before counts in the moving average of the percentile.
const OLD_SHARE: f64 = 0.7;
/// Above the target, the rate is divided by this.
const DECREASE: f64 = 1.2;
/// Further below the target than this part of it, the rate grows.
const SLACK: f64 = 0.5;
/// How fast it grows: the step, times how far below it is, counted from here.
const COUNTED_FROM: f64 = 0.1;
/// The step is this part of the highest rate.
const STEPS: f64 = 50.0;

/// Keeps the 90th percentile of the response time at a target, in the manner of Welsh and Culler (2003).
///
/// Every 100 response times, or every second, the 90th percentile of those goes into a moving average. Above the target
/// the rate is divided by 1.2; below half the target it grows, by at most a fiftieth of the highest rate; in between it
/// stays. It begins at the highest rate.
///
/// It learns of an overload when the values that were let in come out, so it lags by the response time, and swings round
/// what the pool can do rather than settling there. The highest rate decides how far: it should be little more than the
/// pool can do. Twice that, with one worker of 10 ms and a target of 500 ms, gave a 90th percentile of about 700 ms with
/// the worker seven tenths busy; without admission each value waited for the whole inbox.
///
/// # Examples
///
/// ```
/// use credit_channel::workers::{Admission, ResponseTarget};
/// use std::time::Duration;
///
/// let mut admission = ResponseTarget::new(Duration::from_millis(50), 1.0..=1000.0);
/// for n in 0..100 {
///     admission.observe(Duration::from_millis(80), Duration::from_millis(n));
/// }
/// assert!(admission.rate().rate_per_second() < 1000.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseTarget {
    target: Duration,
    lowest: f64,
    highest: f64,
    rate: Rate,
    seen: Vec<Duration>,
    since: Duration,
    average_secs: Option<f64>,
}

impl ResponseTarget {
    /// For this target, at a rate per second within this range. A lowest rate of 0 may close the door for ever, since
    /// nothing is learnt from values that are not let in.
    #[must_use]
    pub fn new(target: Duration, per_second: RangeInclusive<f64>) -> Self {
        let (lowest, highest) = per_second.into_inner();
        let highest = highest.max(0.0);
        let lowest = lowest.max(0.0).min(highest);
        let rate = Rate::per_second(highest);
        Self { target, lowest, highest, rate, seen: Vec::new(), since: Duration::ZERO, average_secs: None }
    }

    /// The moving average of the 90th percentile, once there is one.
    #[must_use]
    pub fn percentile(&self) -> Option<Duration> {
        self.average_secs.map(|secs| Duration::try_from_secs_f64(secs).unwrap_or(Duration::MAX))
    }

    fn decide(&mut self) {
        let secs = ninetieth(&mut self.seen).as_secs_f64();
        let average = self.average_secs.map_or(secs, |old| old * OLD_SHARE + secs * (1.0 - OLD_SHARE));
        self.average_secs = Some(average);
        let target = self.target.as_secs_f64();
        let now = self.rate.rate_per_second();
        let next = if average > target {
            now / DECREASE
        } else if average < target * SLACK {
            now + (1.0 - average / target - COUNTED_FROM) * self.highest / STEPS
        } else {
            now
        };
        self.rate = Rate::per_second(next.clamp(self.lowest, self.highest));
        self.seen.clear();
    }
}

impl Admission for ResponseTarget {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn observe(&mut self, response_time: Duration, now: Duration) {
        if self.seen.is_empty() {
            self.since = now;
        }
        self.seen.push(response_time);
        if self.seen.len() >= WINDOW || now.saturating_sub(self.since) >= AT_LEAST_EVERY {
            self.decide();
        }
    }
}

/// The 90th percentile, by nearest rank, of at least one.
fn ninetieth(times: &mut [Duration]) -> Duration {
    let rank = (times.len() * 9).div_ceil(10).max(1);
    *times.select_nth_unstable(rank - 1).1
}
