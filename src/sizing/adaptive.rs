//! The window that follows latency and costs.

use super::average::Average;
use super::bounds::Bounds;
use super::formula::Need;
use super::interval::{Interval, Waits};
use super::standing::Standing;
use super::{Adjustment, Cause, Sample, WindowPolicy};
use std::mem;
use std::time::Duration;

/// At least so long between two looks at the costs.
const EVERY: Duration = Duration::from_millis(100);
/// No latency is waited for longer than that: else a peer that reported one of a year once would have it looked at
/// again in a year.
const AT_MOST: Duration = Duration::from_secs(1);
/// At least so many chunks between two looks at the costs: fewer are a matter of luck.
const CHUNKS: u64 = 16;

/// The window that latency and costs ask for, within bounds.
///
/// It takes `(L + C) / P` ([`Window::for_costs`](crate::Window::for_costs)) from moving averages, and looks at them
/// every 100 ms, one latency (at most 1 s) or 16 chunks, whichever is the longest.
///
/// * It **grows** only if somebody had to wait, and only if at least half of the window was in flight.
/// * It **doubles** within one latency where the producer was blocked *and* the consumer idle, as long as the costs
///   seen so far ask for that much or are not known.
/// * It **shrinks** when the costs ask for less; where they are not known, by the credit that was never used.
/// * It follows at once what is off by a quarter, and less only after it stood still for three looks; 1 too
///   many by a hair not at all. So it comes to rest.
/// * A step is at most a doubling or a halving. Only the bounds are kept at once, whatever the step.
///
/// After a start, or a step of any of the three costs, it is within 1 of the formula after 2 s, 10 round trips
/// (`L + C`) or 100 chunks, whichever is the longest, and stays there. With noisy costs that takes half as long again,
/// and a window above 32 is within a sixteenth.
///
/// **What it costs.** Up to `max` chunks in memory, if the peer is slow, or lies: everything that a peer can report
/// ends at the bounds. Set `max` to what you can afford, and [`byte_budget`](Self::byte_budget) where chunks differ in
/// size.
///
/// # Examples
///
/// ```
/// use credit_channel::sizing::{Adaptive, Cause, Sample, WindowPolicy};
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// let mut policy = Adaptive::between(2, 64);
/// let (mut window, mut causes) = (4, Vec::new());
/// for tick in 0..20 {
///     let sample = Sample::new(window).latency(ms(1)).consume(ms(14)).produce(ms(2));
///     let sample = sample.chunks(7).blocked(true).peak_in_flight(window);
///     let adjustment = policy.adjust(&sample, ms(100) * tick);
///     if adjustment.changes(&sample) {
///         window = adjustment.window;
///         causes.push(adjustment.cause);
///     }
/// }
/// assert_eq!(window, 8);
/// assert_eq!(causes, [Cause::Costs]);
/// ```
#[derive(Clone, Debug)]
pub struct Adaptive {
    bounds: Bounds,
    workers: Option<u32>,
    latency: Average,
    consume: Average,
    produce: Average,
    chunk_bytes: Average,
    since: Interval,
    standing: Standing,
    /// The last step was not the whole way to the target.
    midway: bool,
    looked: Option<Duration>,
    changed: Option<Duration>,
}

impl Adaptive {
    /// A window of `min` to `max` messages. A `min` below 2 is taken as 2, a `max` below `min` as `min`.
    #[must_use]
    pub fn between(min: u64, max: u64) -> Self {
        Self {
            bounds: Bounds::between(min, max),
            workers: None,
            latency: Average::default(),
            consume: Average::default(),
            produce: Average::default(),
            chunk_bytes: Average::default(),
            since: Interval::default(),
            standing: Standing::default(),
            midway: false,
            looked: None,
            changed: None,
        }
    }

    /// Also keeps the window times the mean chunk within so many bytes. It goes before `min`; only 2 messages stand
    /// against it.
    ///
    /// It goes by the mean, so that single chunks can exceed it. What must never be exceeded is a window of
    /// [bytes](crate::Window::and_bytes).
    #[must_use]
    pub fn byte_budget(mut self, bytes: u64) -> Self {
        self.bounds = self.bounds.with_byte_budget(bytes);
        self
    }

    /// Asks for no more than so many workers can use: `(L + C) / max(P, C / workers)`, as
    /// [`Window::for_workers`](crate::Window::for_workers) does.
    ///
    /// Where the consumer is the limit it saves memory and costs no throughput, but leaves less to take up a producer's
    /// bursts.
    #[must_use]
    pub fn bottleneck_aware(mut self, workers: u32) -> Self {
        self.workers = Some(workers);
        self
    }

    /// The latency it goes by, once it has seen some.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        self.latency.get().map(Duration::from_nanos)
    }

    /// The consumer's work per chunk that it goes by, once it has seen some.
    #[must_use]
    pub fn consume(&self) -> Option<Duration> {
        self.consume.get().map(Duration::from_nanos)
    }

    /// The producer's time per chunk that it goes by, once it has seen some.
    #[must_use]
    pub fn produce(&self) -> Option<Duration> {
        self.produce.get().map(Duration::from_nanos)
    }

    // ----- looking -----

    /// How long it takes until a change can have been seen: one latency.
    fn pace(&self) -> Duration {
        let latency = self.latency.get().or_else(|| self.since.latency.get());
        latency.map_or(EVERY, Duration::from_nanos).min(AT_MOST)
    }

    /// What was seen since the last look, if it is time for a decision on it.
    fn look_if_due(&mut self, looked: Duration, now: Duration) -> Option<Interval> {
        if now.saturating_sub(looked) < self.pace().max(EVERY) {
            return None;
        }
        if self.since.chunks >= CHUNKS {
            return Some(self.look(now));
        }
        // The averages stay as they are; but where they ask for more than one step, the next one is due.
        self.midway.then(|| {
            self.looked = Some(now);
            self.since
        })
    }

    /// Takes what was seen into the averages.
    fn look(&mut self, now: Duration) -> Interval {
        let seen = mem::take(&mut self.since);
        self.looked = Some(now);
        for (average, mean) in [
            (&mut self.latency, seen.latency),
            (&mut self.consume, seen.consume),
            (&mut self.produce, seen.produce),
            (&mut self.chunk_bytes, seen.chunk_bytes),
        ] {
            if let Some(mean) = mean.get() {
                average.add(mean);
            }
        }
        seen
    }

    /// What the averages ask for, once all are known.
    fn need(&self) -> Option<Need> {
        Some(self.need_of(self.latency()?, self.consume()?, self.produce()?))
    }

    /// What the latest numbers ask for: of too few chunks only where there is nothing else to go by.
    fn rough_need(&self) -> Option<Need> {
        let since = &self.since;
        let latest = |seen: Option<u64>, average: Average| {
            let (first, second) = if since.chunks >= CHUNKS { (seen, average.get()) } else { (average.get(), seen) };
            first.or(second).map(Duration::from_nanos)
        };
        Some(self.need_of(
            latest(since.latency.get(), self.latency)?,
            latest(since.consume.get(), self.consume)?,
            latest(since.produce.get(), self.produce)?,
        ))
    }

    fn need_of(&self, latency: Duration, consume: Duration, produce: Duration) -> Need {
        match self.workers {
            Some(workers) => Need::of_workers(latency, consume, produce, workers),
            None => Need::of_producer(latency, consume, produce),
        }
    }

    // ----- deciding -----

    fn decide(&mut self, sample: &Sample, now: Duration) -> (u64, Cause) {
        let window = sample.window;
        let looked = *self.looked.get_or_insert(now);
        let changed = *self.changed.get_or_insert(now);
        // Memory goes first, and does not wait for averages.
        let chunk_bytes = sample.chunk_bytes.max(self.chunk_bytes.get().unwrap_or(0));
        let bounds = self.bounds.for_chunks_of(chunk_bytes);
        if bounds.clamp(window) != window {
            return (bounds.clamp(window), Cause::Bounds);
        }
        let seen = self.look_if_due(looked, now);
        if let (Some(seen), Some(need)) = (seen, self.need()) {
            return self.by_costs(window, need, bounds, &seen);
        }
        let waits = seen.map_or(self.since.waits, |seen| seen.waits);
        if let Some(doubled) = self.ramp(window, waits, now.saturating_sub(changed)) {
            let doubled = bounds.clamp(doubled);
            return (doubled, if doubled == window { Cause::Steady } else { Cause::Ramp });
        }
        match seen {
            Some(seen) => by_spare(window, bounds, seen.waits),
            None => (window, Cause::TooSoon),
        }
    }

    fn by_costs(&mut self, window: u64, need: Need, bounds: Bounds, seen: &Interval) -> (u64, Cause) {
        // What the consumer holds back is credit that the producer cannot have.
        let held_back = seen.held_back.min(window);
        let target = bounds.clamp(need.messages().saturating_add(held_back));
        self.standing.add(target);
        self.midway = !(window.div_ceil(2)..=window.saturating_mul(2)).contains(&target);
        if need.is_nearly(window - held_back) || !self.standing.calls_for(window) {
            return (window, Cause::Steady);
        }
        if target < window {
            return (target.max(window.div_ceil(2)), Cause::Costs);
        }
        if !seen.waits.starved() {
            return (window, Cause::NotStarved);
        }
        if !seen.waits.half_used(window) {
            return (window, Cause::HalfUsed);
        }
        (target.min(window.saturating_mul(2)), Cause::Costs)
    }

    /// Twice the window, if both sides waited although it was in use, and the costs do not say that this is too much.
    fn ramp(&self, window: u64, waits: Waits, since_change: Duration) -> Option<u64> {
        if !(waits.blocked && waits.idle && waits.half_used(window)) {
            return None;
        }
        // Before one latency has passed, nobody can have seen the last change.
        if since_change < self.pace() {
            return None;
        }
        let doubled = window.saturating_mul(2);
        let too_much = self.rough_need().is_some_and(|need| need.messages() < doubled);
        (!too_much).then_some(doubled)
    }
}

/// Less, by the credit that was never used, where the costs are not known.
fn by_spare(window: u64, bounds: Bounds, waits: Waits) -> (u64, Cause) {
    let spare = waits.least_spare.unwrap_or(0).min(window / 2);
    let less = bounds.clamp(window - spare);
    (less, if less == window { Cause::Steady } else { Cause::Spare })
}

impl WindowPolicy for Adaptive {
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Adjustment {
        self.since.add(sample);
        let (window, cause) = self.decide(sample, now);
        if window != sample.window {
            // What was seen under the old window says nothing of the new one; what things cost does.
            self.changed = Some(now);
            self.since.waits = Waits::default();
            self.standing = Standing::default();
        }
        Adjustment { window, cause }
    }
}
