//! What a controller is shown, and when.

use super::board::{Tally, mean};
use super::builder::Limits;
use super::control::{Controller, Plan, Sample};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// A controller, its clock, and what was counted when it was last asked.
pub(super) struct Sampler {
    controller: Box<dyn Controller>,
    ticks: Interval,
    last_at: Duration,
    received: u64,
    served: u64,
    work_time: Duration,
}

impl Sampler {
    /// Panics outside of a runtime with a time driver, as tokio's timers do, and for an interval of zero.
    pub(super) fn new(controller: Box<dyn Controller>, every: Duration) -> Self {
        let mut ticks = interval_at(Instant::now() + every, every);
        // A late sample is followed by a whole interval: rates over a sliver of time are noise.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { controller, ticks, last_at: Duration::ZERO, received: 0, served: 0, work_time: Duration::ZERO }
    }

    pub(super) fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.ticks.poll_tick(cx).map(drop)
    }

    /// What was seen since the last call.
    pub(super) fn sample(&mut self, tally: &Tally, limits: &Limits, now: Duration) -> Sample {
        let served = tally.served - self.served;
        let sample = Sample {
            queued: tally.queued,
            workers: tally.workers,
            busy: tally.busy,
            batch: tally.batch,
            interval: now.saturating_sub(self.last_at),
            received: tally.received - self.received,
            served,
            service_time: mean(tally.work_time.saturating_sub(self.work_time), served),
            min_workers: limits.min_workers,
            max_workers: limits.max_workers,
            max_batch: limits.max_batch,
        };
        (self.last_at, self.received, self.served, self.work_time) =
            (now, tally.received, tally.served, tally.work_time);
        sample
    }

    pub(super) fn ask(&mut self, sample: &Sample, now: Duration) -> Plan {
        self.controller.adjust(sample, now)
    }
}
