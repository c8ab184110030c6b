//! What was seen between two decisions, however many samples it came in.

use super::Sample;
use super::average::Mean;
use std::time::Duration;

/// The samples since the last decision, added up: so it makes no difference how often a policy is called.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interval {
    pub(super) chunks: u64,
    pub(super) latency: Mean,
    pub(super) consume: Mean,
    pub(super) produce: Mean,
    pub(super) chunk_bytes: Mean,
    pub(super) held_back: u64,
    pub(super) waits: Waits,
}

/// Who had to wait and how much of the window was used, since the last decision or change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    pub(super) blocked: bool,
    pub(super) idle: bool,
    pub(super) peak_in_flight: u64,
    pub(super) least_spare: Option<u64>,
}

impl Interval {
    pub(super) fn add(&mut self, sample: &Sample) {
        self.chunks = self.chunks.saturating_add(sample.chunks);
        // A PING says as much whether chunks came with it or not.
        add(&mut self.latency, sample.latency, 1);
        add(&mut self.consume, sample.consume, sample.chunks);
        add(&mut self.produce, sample.produce, sample.chunks);
        if sample.chunk_bytes > 0 {
            self.chunk_bytes.add(sample.chunk_bytes, sample.chunks.max(1));
        }
        self.held_back = self.held_back.max(sample.held_back);
        let waits = &mut self.waits;
        waits.blocked |= sample.blocked;
        waits.idle |= sample.idle;
        waits.peak_in_flight = waits.peak_in_flight.max(sample.peak_in_flight);
        waits.least_spare = Some(waits.least_spare.map_or(sample.least_spare, |least| least.min(sample.least_spare)));
    }
}

impl Waits {
    /// Whether a larger window could do any good.
    pub(super) fn starved(self) -> bool {
        self.blocked || self.idle
    }

    /// Whether at least half of the window was in use.
    pub(super) fn half_used(self, window: u64) -> bool {
        self.peak_in_flight >= window.div_ceil(2)
    }
}

fn add(mean: &mut Mean, value: Option<Duration>, weight: u64) {
    if let Some(value) = value {
        mean.add(u64::try_from(value.as_nanos()).unwrap_or(u64::MAX), weight);
    }
}
