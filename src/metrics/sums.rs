//! The numbers of all the channels of one name.

use crate::workers::PoolStats;
use crate::{Condition, Credit, DepthTimes, Stats, WorkTimes};
use std::time::Duration;

/// What only grows: of those that are there, and of those that were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) sent: u64,
    pub(super) released: Credit,
    pub(super) forgotten: Credit,
    pub(super) parks: u64,
    pub(super) park_time: Duration,
    pub(super) transport_park_time: Duration,
    pub(super) idle_time: Duration,
    pub(super) depth_times: DepthTimes,
    pub(super) open_time: Duration,
    pub(super) work: WorkTimes,
    pub(super) served: u64,
    /// Full, not admitted, closed.
    pub(super) refused: [u64; 3],
    pub(super) workers_time: Duration,
    #[cfg(feature = "transport")]
    pub(super) traffic: super::traffic::Traffic,
}

impl Totals {
    pub(super) fn of(stats: &Stats) -> Self {
        Self {
            sent: stats.sent,
            released: stats.released,
            forgotten: stats.forgotten,
            parks: stats.parks,
            park_time: stats.park_time,
            transport_park_time: stats.transport_park_time,
            idle_time: stats.idle_time,
            depth_times: stats.depth_times,
            open_time: stats.elapsed,
            work: stats.work,
            ..Self::default()
        }
    }

    pub(super) fn add_pool(&mut self, pool: &PoolStats) {
        let refused = [pool.refused_full, pool.refused_not_admitted, pool.refused_closed];
        self.add(&Self { served: pool.served, refused, workers_time: pool.work_time, ..Self::default() });
    }

    pub(super) fn add(&mut self, more: &Self) {
        add(&mut self.sent, more.sent);
        self.released = plus(self.released, more.released);
        self.forgotten = plus(self.forgotten, more.forgotten);
        add(&mut self.parks, more.parks);
        add_time(&mut self.park_time, more.park_time);
        add_time(&mut self.transport_park_time, more.transport_park_time);
        add_time(&mut self.idle_time, more.idle_time);
        add_time(&mut self.depth_times.empty, more.depth_times.empty);
        for (quarter, more) in self.depth_times.quarters.iter_mut().zip(more.depth_times.quarters) {
            add_time(quarter, more);
        }
        add_time(&mut self.depth_times.full, more.depth_times.full);
        add_time(&mut self.open_time, more.open_time);
        add(&mut self.work.timed, more.work.timed);
        add_time(&mut self.work.total, more.work.total);
        for (count, more) in self.work.histogram.iter_mut().zip(more.work.histogram) {
            add(count, more);
        }
        add(&mut self.served, more.served);
        for (count, more) in self.refused.iter_mut().zip(more.refused) {
            add(count, more);
        }
        add_time(&mut self.workers_time, more.workers_time);
        #[cfg(feature = "transport")]
        self.traffic.add(&more.traffic);
    }
}

/// How those that are there stand. Amounts are added up; of times it is the longest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    pub(super) channels: u64,
    pub(super) window: Credit,
    pub(super) credit: Credit,
    pub(super) depth: Credit,
    pub(super) depth_peak: Credit,
    pub(super) reserved: Credit,
    pub(super) waiting: u64,
    pub(super) producers: u64,
    pub(super) parked: Duration,
    pub(super) oldest_work: Duration,
    pub(super) round_trip: Option<Duration>,
    /// As in [`CONDITIONS`].
    pub(super) conditions: [u64; CONDITIONS.len()],
    /// What was added since the last report.
    pub(super) interval: Totals,
    pub(super) workers: u64,
    pub(super) busy: u64,
    pub(super) queued: u64,
    /// Of the connection that has used the most.
    #[cfg(feature = "transport")]
    pub(super) budget_used: u64,
}

/// The values of the label `condition`.
pub(super) const CONDITIONS: [&str; 7] = [
    "healthy",
    "consumer_bound",
    "producer_bound",
    "window_too_small",
    "consumer_stalled",
    "transport_bound",
    "leaked_credit",
];

impl Present {
    /// What a connection's peer may spend.
    #[cfg(feature = "transport")]
    pub(super) const BUDGET: u64 = 1000;

    pub(super) fn add(&mut self, stats: &Stats, last: &Stats) {
        self.channels += 1;
        self.window = plus(self.window, stats.window.as_credit());
        self.credit = plus(self.credit, stats.credit);
        self.depth = plus(self.depth, stats.depth);
        self.depth_peak = self.depth_peak.max(stats.peak_depth);
        self.reserved = plus(self.reserved, stats.reserved);
        add(&mut self.waiting, stats.waiting);
        add(&mut self.producers, stats.producers);
        self.parked = self.parked.max(stats.parked_for.unwrap_or_default());
        self.oldest_work = self.oldest_work.max(stats.oldest_work.unwrap_or_default());
        self.round_trip = self.round_trip.max(stats.round_trip);
        let interval = stats.since(last);
        // What is gone for good is gone also when it was forgotten before the interval.
        let judged = Stats { forgotten: stats.forgotten, ..interval };
        self.conditions[index(judged.diagnose().condition)] += 1;
        self.interval.add(&Totals::of(&interval));
    }

    pub(super) fn add_pool(&mut self, pool: &PoolStats) {
        add(&mut self.workers, pool.workers);
        add(&mut self.busy, pool.busy);
        add(&mut self.queued, pool.queued);
    }

    /// The part of the interval that this part of it is, from 0 to 1.
    pub(super) fn share(&self, part: Duration) -> f64 {
        let whole = self.interval.open_time;
        // A wait that is measured late can reach back into the interval before.
        if whole.is_zero() { 0.0 } else { part.div_duration_f64(whole).min(1.0) }
    }
}

fn index(condition: Condition) -> usize {
    match condition {
        Condition::Healthy => 0,
        Condition::ConsumerBound => 1,
        Condition::ProducerBound => 2,
        Condition::WindowTooSmall => 3,
        Condition::ConsumerStalled { .. } => 4,
        Condition::TransportBound => 5,
        Condition::LeakedCredit { .. } => 6,
    }
}

/// Of several channels it may be more than one can have.
fn plus(a: Credit, b: Credit) -> Credit {
    Credit::new(a.messages().saturating_add(b.messages()), a.bytes().saturating_add(b.bytes()))
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn add_time(sum: &mut Duration, more: Duration) {
    *sum = sum.saturating_add(more);
}
