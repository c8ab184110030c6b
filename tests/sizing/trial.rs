//! One run of a policy over the model, and what is asked of it.

use crate::formula::limit;
use crate::model::{Costs, Model};
use credit_channel::Window;
use credit_channel::sizing::{Adjustment, Cause, Sample, WindowPolicy};
use std::time::Duration;

/// How often the policy is asked. No divisor of what things cost, so that nothing happens in step with it.
const TICK: Duration = Duration::from_micros(9_700);

/// The model and a policy at its window.
pub(crate) struct Trial<P> {
    pub(crate) model: Model,
    pub(crate) policy: P,
    window: u64,
    /// What a peer makes of the samples.
    pub(crate) tamper: fn(Sample) -> Sample,
    /// Every change, and when.
    pub(crate) changes: Vec<(Duration, Adjustment)>,
}

impl<P: WindowPolicy> Trial<P> {
    pub(crate) fn new(costs: Costs, window: u64, policy: P) -> Self {
        Self { model: Model::new(costs, window, 1), policy, window, tamper: |sample| sample, changes: Vec::new() }
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    pub(crate) fn run(&mut self, time: Duration) {
        let until = self.model.now() + time;
        while self.model.now() < until {
            self.model.run(TICK);
            let sample = (self.tamper)(self.model.sample());
            let adjustment = self.policy.adjust(&sample, self.model.now());
            if adjustment.changes(&sample) {
                assert!(adjustment.cause != Cause::Steady && adjustment.cause != Cause::TooSoon, "{adjustment:?}");
                self.window = adjustment.window;
                self.model.set_window(self.window);
                self.changes.push((self.model.now(), adjustment));
            }
        }
    }

    /// Runs for the documented time and that long again; the time after which the window stayed within `slack` of
    /// `target`.
    #[track_caller]
    pub(crate) fn settles(&mut self, target: u64, slack: u64) -> Duration {
        let start = self.model.now();
        let patience = patience(self.model.costs);
        let before = self.window;
        let first = self.changes.len();
        self.run(patience * 2);
        let after = &self.changes[first..];
        let last_off = after.iter().rposition(|(_, to)| to.window.abs_diff(target) > slack);
        let settled = match last_off {
            _ if self.window.abs_diff(target) > slack => None,
            Some(last) => after.get(last + 1).map(|(at, _)| *at - start),
            None if before.abs_diff(target) > slack => after.first().map(|(at, _)| *at - start),
            None => Some(Duration::ZERO),
        };
        let settled = settled.filter(|time| *time <= patience);
        let Some(settled) = settled else {
            panic!("{before} does not settle at {target} in {patience:?}: {:?} at {:#?}", self.model.costs, after);
        };
        settled
    }

    /// Chunks per second over so long.
    pub(crate) fn throughput(&mut self, time: Duration) -> f64 {
        let before = self.model.done();
        self.run(time);
        per_second(self.model.done() - before, time)
    }
}

/// What the documentation of `Adaptive` promises: 2 s, 10 round trips or 100 chunks, whichever is the longest,
/// and half as long again under noise.
pub(crate) fn patience(costs: Costs) -> Duration {
    let round_trip = costs.latency + costs.consume;
    let per_chunk = costs.produce.max(costs.consume / u32::try_from(costs.workers).expect("small"));
    let patience = Duration::from_secs(2).max(round_trip * 10).max(per_chunk * 100);
    if costs.noise > 0 { patience * 3 / 2 } else { patience }
}

/// What the formula says, in messages.
pub(crate) fn formula(costs: Costs) -> u64 {
    limit(Window::for_costs(costs.latency, costs.consume, costs.produce))
}

/// The throughput of a fixed window.
pub(crate) fn fixed(costs: Costs, window: u64) -> f64 {
    let mut model = Model::new(costs, window, 1);
    let time = patience(costs);
    model.run(time);
    let before = model.done();
    model.run(time);
    per_second(model.done() - before, time)
}

/// The smallest fixed window that does as well as `most`, but for a two-hundredth, and its throughput. By halving: a
/// larger window is never slower.
pub(crate) fn best_fixed(costs: Costs, most: u64) -> (u64, f64) {
    let top = fixed(costs, most);
    let (mut too_small, mut enough) = (0, most);
    while enough - too_small > 1 {
        let middle = too_small + (enough - too_small) / 2;
        if fixed(costs, middle) >= top * 0.995 { enough = middle } else { too_small = middle }
    }
    (enough, top)
}

fn per_second(chunks: u64, time: Duration) -> f64 {
    f64::from(u32::try_from(chunks).expect("no test is that long")) / time.as_secs_f64()
}
