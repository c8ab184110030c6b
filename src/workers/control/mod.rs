//! How many workers, and how much each takes at once: decided from numbers, by the clock of whoever asks.

mod batch_sizer;
mod queue_threshold;

pub use batch_sizer::BatchSizer;
pub use queue_threshold::QueueThreshold;

use std::time::Duration;

/// Decides how many workers a pool has and how many values each takes at once.
///
/// It is asked every so often, with what was seen since, and sees nothing else: no clock, no task, no lock. So it can be
/// driven in a test with made-up samples and made-up time. What it answers is brought within what the pool allows.
///
/// A pair of controllers is one: the second is asked with what the first has decided. `(QueueThreshold, BatchSizer)` is
/// SEDA's pair.
///
/// # Panics
///
/// If it does, the pool stops as if a handler had.
///
/// # Examples
///
/// ```
/// use credit_channel::workers::{Controller, Plan, Sample};
/// use std::time::Duration;
///
/// /// One worker by night.
/// struct OfficeHours;
///
/// impl Controller for OfficeHours {
///     fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
///         let by_day = now.as_secs() / 3600 % 24 < 12;
///         Plan { workers: if by_day { sample.max_workers } else { 1 }, ..sample.plan() }
///     }
/// }
///
/// let sample = Sample { workers: 8, batch: 4, max_workers: 8, ..Sample::default() };
/// assert_eq!(OfficeHours.adjust(&sample, Duration::from_secs(13 * 3600)), Plan { workers: 1, batch: 4 });
/// ```
pub trait Controller: Send {
    /// What the pool is to do until it asks again. `now` is the time since the pool was made.
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan;
}

/// What a pool saw since it last asked its [`Controller`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Values that wait for a worker now.
    pub queued: u64,
    /// Workers there are now.
    pub workers: u64,
    /// Of those, how many have something in hand.
    pub busy: u64,
    /// How many values a worker takes at once now.
    pub batch: u64,
    /// The time since the last sample.
    pub interval: Duration,
    /// Values that came in since.
    pub received: u64,
    /// Values whose work was done since.
    pub served: u64,
    /// What a worker needed for one of those, on average; zero if there were none.
    pub service_time: Duration,
    /// The fewest workers the pool allows.
    pub min_workers: u64,
    /// The most workers the pool allows.
    pub max_workers: u64,
    /// The most values a worker may take at once.
    pub max_batch: u64,
}

impl Sample {
    /// Everything as it is.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan { workers: self.workers, batch: self.batch }
    }

    /// Values done per second since the last sample.
    #[must_use]
    pub fn output_per_second(&self) -> f64 {
        per_second(self.served, self.interval)
    }
}

/// What a pool is to do: see [`Controller`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many workers.
    pub workers: u64,
    /// How many values each takes at once, at most.
    pub batch: u64,
}

/// Always so many workers, each with up to so many values at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// How many workers.
    pub workers: u64,
    /// How many values each takes at once, at most.
    pub batch: u64,
}

impl Controller for Fixed {
    fn adjust(&mut self, _: &Sample, _: Duration) -> Plan {
        Plan { workers: self.workers, batch: self.batch }
    }
}

impl<A: Controller, B: Controller> Controller for (A, B) {
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
        let Plan { workers, batch } = self.0.adjust(sample, now);
        self.1.adjust(&Sample { workers, batch, ..*sample }, now)
    }
}

impl<C: Controller + ?Sized> Controller for Box<C> {
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
        (**self).adjust(sample, now)
    }
}

/// So many in that time, per second; none in no time.
pub(super) fn per_second(count: u64, time: Duration) -> f64 {
    // A whole number of seconds is the one exact way from u64 to f64 that the standard library has.
    if time.is_zero() { 0.0 } else { Duration::from_secs(count).as_secs_f64() / time.as_secs_f64() }
}
