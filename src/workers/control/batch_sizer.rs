//! The smallest batch that still gets as much done.

use super::{Controller, Plan, Sample};
use std::time::Duration;

/// How much of a new output rate counts in the moving average; the rest is what was before.
const NEW_SHARE: f64 = 0.5;
/// Below this part of the best rate seen, the batch is too small.
const DEGRADED: f64 = 0.95;
/// Below this part of it the load itself has gone, and what was learnt with it.
const COLLAPSED: f64 = 0.5;
/// A step is this part of the largest batch.
const STEPS: u64 = 8;

/// SEDA's batching controller: looks for the smallest batch with which the output rate stays up.
///
/// A large batch spreads what a call costs over many values, and makes each wait for the others. It starts with the
/// largest batch the pool allows, and makes it smaller by an eighth of that as long as the output rate, as a moving
/// average, does not degrade. Where it does (by a twentieth) the batch grows by a step; where it falls to less than
/// half, the load has changed, and it starts over with the largest.
///
/// At the largest batch there is nothing left to win: the rate found there is the new measure.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BatchSizer {
    average_per_second: f64,
    best_per_second: f64,
    started: bool,
}

impl BatchSizer {
    /// Has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn start_over(&mut self, rate: f64, sample: &Sample) -> u64 {
        *self = Self { average_per_second: rate, best_per_second: rate, started: true };
        sample.max_batch
    }
}

impl Controller for BatchSizer {
    fn adjust(&mut self, sample: &Sample, _: Duration) -> Plan {
        let rate = sample.output_per_second();
        let step = (sample.max_batch / STEPS).max(1);
        let batch = if !self.started || rate < self.best_per_second * COLLAPSED {
            self.start_over(rate, sample)
        } else {
            self.average_per_second += (rate - self.average_per_second) * NEW_SHARE;
            if self.average_per_second >= self.best_per_second * DEGRADED {
                self.best_per_second = self.best_per_second.max(self.average_per_second);
                sample.batch.saturating_sub(step).max(1)
            } else if sample.batch < sample.max_batch {
                sample.batch.saturating_add(step).min(sample.max_batch)
            } else {
                self.start_over(self.average_per_second, sample)
            }
        };
        Plan { batch, ..sample.plan() }
    }
}
