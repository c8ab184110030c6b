//! Handing the numbers to the recorder.

use super::beside::Kinds;
use super::names::{self, Metric};
use super::reporter::Snapshot;
use super::sums::{CONDITIONS, Present, Totals};
use crate::{Credit, WorkTimes};
use metrics::{Label, SharedString, counter, gauge};
use std::sync::Arc;
use std::time::Duration;

/// The values of the label `level`, with the two ends round the quarters.
const QUARTERS: [&str; 4] = ["quarter_1", "quarter_2", "quarter_3", "quarter_4"];
/// The values of the label `reason`.
const REFUSED: [&str; 3] = ["full", "not_admitted", "closed"];

impl Snapshot {
    pub(super) fn publish(&self) {
        let to = To { channel: &self.channel, kinds: self.kinds };
        to.present(&self.present);
        to.totals(&self.totals);
        if self.kinds.workers {
            to.workers(&self.present, &self.totals);
        }
        #[cfg(feature = "transport")]
        if self.kinds.connections {
            to.connections(&self.present, &self.totals.traffic);
        }
    }
}

/// The channels of one name, and the units that they count.
struct To<'a> {
    channel: &'a Arc<str>,
    kinds: Kinds,
}

impl To<'_> {
    fn present(&self, now: &Present) {
        self.gauge(names::CHANNELS, number(now.channels));
        self.gauges(names::WINDOW, now.window);
        self.gauges(names::CREDIT, now.credit);
        self.gauges(names::DEPTH, now.depth);
        self.gauges(names::DEPTH_PEAK, now.depth_peak);
        self.gauges(names::RESERVED, now.reserved);
        self.gauge(names::WAITING, number(now.waiting));
        self.gauge(names::PRODUCERS, number(now.producers));
        self.gauge(names::PARKED, now.parked.as_secs_f64());
        self.gauge(names::OLDEST_WORK, now.oldest_work.as_secs_f64());
        if let Some(round_trip) = now.round_trip {
            self.gauge(names::ROUND_TRIP, round_trip.as_secs_f64());
        }
        let interval = &now.interval;
        self.gauge(names::PARK_SHARE, now.share(interval.park_time));
        self.gauge(names::TRANSPORT_PARK_SHARE, now.share(interval.transport_park_time));
        self.gauge(names::IDLE_SHARE, now.share(interval.idle_time));
        self.gauge(names::FULL_SHARE, now.share(interval.depth_times.full));
        for (condition, count) in CONDITIONS.into_iter().zip(now.conditions) {
            self.gauge_of(names::CONDITION, condition, number(count));
        }
    }

    fn totals(&self, totals: &Totals) {
        self.counter(names::SENT, totals.sent);
        self.counters(names::RELEASED, totals.released);
        self.counters(names::FORGOTTEN, totals.forgotten);
        self.counter(names::PARKS, totals.parks);
        self.counter(names::PARK_TIME, micros(totals.park_time));
        self.counter(names::TRANSPORT_PARK_TIME, micros(totals.transport_park_time));
        self.counter(names::IDLE_TIME, micros(totals.idle_time));
        self.counter_of(names::DEPTH_TIME, "empty", micros(totals.depth_times.empty));
        for (quarter, time) in QUARTERS.into_iter().zip(totals.depth_times.quarters) {
            self.counter_of(names::DEPTH_TIME, quarter, micros(time));
        }
        self.counter_of(names::DEPTH_TIME, "full", micros(totals.depth_times.full));
        self.counter(names::OPEN_TIME, micros(totals.open_time));
        self.work(&totals.work);
    }

    fn work(&self, work: &WorkTimes) {
        self.counter(names::WORK_TIMED, work.timed);
        self.counter(names::WORK_TIME, micros(work.total));
        let mut count = 0_u64;
        for (slot, more) in work.histogram.into_iter().enumerate() {
            count = count.saturating_add(more);
            let end = WorkTimes::upper_end(slot).map(|end| end.as_secs_f64().to_string());
            self.counter_of(names::WORK_BUCKET, end.unwrap_or_else(|| "+Inf".to_owned()), count);
        }
    }

    fn workers(&self, now: &Present, totals: &Totals) {
        self.gauge(names::WORKERS, number(now.workers));
        self.gauge(names::WORKERS_BUSY, number(now.busy));
        self.gauge(names::WORKERS_QUEUED, number(now.queued));
        self.counter(names::WORKERS_SERVED, totals.served);
        for (reason, count) in REFUSED.into_iter().zip(totals.refused) {
            self.counter_of(names::WORKERS_REFUSED, reason, count);
        }
        self.counter(names::WORKERS_TIME, micros(totals.workers_time));
    }

    #[cfg(feature = "transport")]
    fn connections(&self, now: &Present, traffic: &super::traffic::Traffic) {
        self.gauge(names::BUDGET_USED, number(now.budget_used));
        for (n, frame) in super::traffic::FRAMES.into_iter().enumerate() {
            self.counter_of(names::FRAMES_RECEIVED, frame, traffic.received[n]);
            self.counter_of(names::FRAMES_SENT, frame, traffic.sent[n]);
        }
        self.counter(names::BYTES_READ, traffic.bytes_read);
        self.counter(names::BYTES_WRITTEN, traffic.bytes_written);
    }

    // ----- one metric, by its labels -----

    /// In each unit that is counted.
    fn units(&self, amount: Credit) -> impl Iterator<Item = (&'static str, u64)> {
        let messages = self.kinds.messages.then_some(("messages", amount.messages()));
        messages.into_iter().chain(self.kinds.bytes.then_some(("bytes", amount.bytes())))
    }

    fn gauges(&self, metric: Metric, amount: Credit) {
        for (unit, n) in self.units(amount) {
            self.gauge_of(metric, unit, number(n));
        }
    }

    fn counters(&self, metric: Metric, amount: Credit) {
        for (unit, n) in self.units(amount) {
            self.counter_of(metric, unit, n);
        }
    }

    fn gauge(&self, metric: Metric, value: f64) {
        gauge!(metric.name, vec![self.channel()]).set(value);
    }

    fn gauge_of(&self, metric: Metric, label: &'static str, value: f64) {
        gauge!(metric.name, self.labels(metric, label)).set(value);
    }

    fn counter(&self, metric: Metric, value: u64) {
        counter!(metric.name, vec![self.channel()]).absolute(value);
    }

    fn counter_of(&self, metric: Metric, label: impl Into<SharedString>, value: u64) {
        counter!(metric.name, self.labels(metric, label)).absolute(value);
    }

    fn channel(&self) -> Label {
        Label::new("channel", Arc::clone(self.channel))
    }

    fn labels(&self, metric: Metric, label: impl Into<SharedString>) -> Vec<Label> {
        let other = metric.label.map(|name| Label::new(name, label));
        std::iter::once(self.channel()).chain(other).collect()
    }
}

fn number(n: u64) -> f64 {
    // A whole number of seconds is the one exact way from u64 to f64 that the standard library has.
    Duration::from_secs(n).as_secs_f64()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
