//! More workers while values wait, fewer when workers do.

use super::{Controller, Plan, Sample};
use std::collections::VecDeque;
use std::time::Duration;

/// SEDA's controller of a thread pool: adds a worker each time it finds more than `threshold` values waiting, and
/// removes those that had nothing to do for `idle_after`: as many as were idle in every sample of that time.
///
/// # Examples
///
/// ```
/// use credit_channel::workers::{Controller, QueueThreshold, Sample};
/// use std::time::Duration;
///
/// let mut controller = QueueThreshold::new(10, Duration::from_secs(5));
/// let mut sample = Sample { queued: 11, workers: 2, busy: 2, batch: 1, ..Sample::default() };
/// assert_eq!(controller.adjust(&sample, Duration::from_secs(1)).workers, 3);
///
/// (sample.queued, sample.workers, sample.busy) = (0, 3, 1);
/// assert_eq!(controller.adjust(&sample, Duration::from_secs(2)).workers, 3);
/// assert_eq!(controller.adjust(&sample, Duration::from_secs(7)).workers, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueThreshold {
    threshold: u64,
    idle_after: Duration,
    /// Since when at least so many were idle: more of them since later. No more entries than workers.
    idle: VecDeque<(Duration, u64)>,
}

impl QueueThreshold {
    /// Adds one where more than `threshold` values wait; removes what was idle for `idle_after`.
    #[must_use]
    pub fn new(threshold: u64, idle_after: Duration) -> Self {
        Self { threshold, idle_after, idle: VecDeque::new() }
    }
}

impl Controller for QueueThreshold {
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
        let plan = sample.plan();
        if sample.queued > self.threshold {
            self.idle.clear();
            return Plan { workers: plan.workers.saturating_add(1), ..plan };
        }
        self.saw_idle(sample.workers.saturating_sub(sample.busy), now);
        let workers = plan.workers - self.idle_too_long(now).min(plan.workers);
        Plan { workers, ..plan }
    }
}

impl QueueThreshold {
    /// So many are idle now: no more than that were so all the time.
    fn saw_idle(&mut self, idle_now: u64, now: Duration) {
        let mut since = now;
        while let Some(&(earlier, _)) = self.idle.back().filter(|(_, idle)| *idle >= idle_now) {
            since = earlier;
            self.idle.pop_back();
        }
        if idle_now > self.idle.back().map_or(0, |(_, idle)| *idle) {
            self.idle.push_back((since, idle_now));
        }
    }

    /// Takes out those that were idle for long enough, and says how many.
    fn idle_too_long(&mut self, now: Duration) -> u64 {
        let mut gone = 0;
        while let Some(&(since, idle)) = self.idle.front() {
            if now.saturating_sub(since) < self.idle_after {
                break;
            }
            gone = idle;
            self.idle.pop_front();
        }
        for (_, idle) in &mut self.idle {
            *idle -= gone;
        }
        gone
    }
}
