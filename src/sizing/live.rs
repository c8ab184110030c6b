//! Samples from a channel's numbers.

use super::{Sample, Suggestion, suggest};
use crate::Stats;
use crate::ledger::most_held;
use std::time::Duration;

impl Sample {
    /// What a channel's numbers say of the time since an earlier look, in messages.
    ///
    /// Of a consumer that is across a connection it is what this end can know: what the producer takes per chunk is
    /// known only while it is never blocked, and the latency once it was ([`Stats::round_trip`]). In one process all of
    /// it is known, and there is no latency.
    #[must_use]
    pub fn between(earlier: &Stats, now: &Stats) -> Self {
        let lately = now.since(earlier);
        let window = now.window.message_limit().unwrap_or(1);
        let done = lately.released.messages();
        let (work, idle) = (lately.work.mean(), lately.idle_time > Duration::ZERO);
        let latency = if now.over_connection { now.round_trip } else { Some(Duration::ZERO) };
        // The producer's own numbers, or those of a consumer that has to guess.
        let guess = now.over_connection && now.park_time.is_zero();
        let in_flight = in_flight(&lately, window, latency.unwrap_or_default());
        let cycle = latency.unwrap_or_default().saturating_add(work.unwrap_or_default());
        // Of a few chunks nothing can be said by the law of averages.
        let few = latency.is_none() || done < FEW;
        let used_up = guess && in_flight == window && (few || uses_up(&lately, cycle, window));
        let blocked = lately.parks > 0 || now.parked_for.is_some() || says_little(window) && used_up;
        let producing = per_chunk(lately.elapsed.saturating_sub(lately.park_time), lately.sent);
        // A producer that waits again and again could do with less than it seems to take: how much less is found out by
        // giving it more.
        let again = lately.parks.saturating_mul(window) >= done / 2;
        let held_up = guess && blocked && if says_little(window) { used_up } else { again };
        // One that is near the end of its credit may be held up unheard: it is given a little more, until it is not.
        let held_back = if now.over_connection { most_held(window) } else { 0 };
        let near = guess && under_way(&lately, cycle).saturating_add(held_back) >= window - window / 8;
        let produce = match producing {
            Some(time) if held_up => idle.then_some(time / 2),
            Some(time) if near => Some(time * 7 / 8),
            other => other,
        };
        let peak = if blocked { window } else { in_flight };
        Self {
            latency,
            consume: work,
            produce,
            chunks: done,
            blocked,
            idle,
            peak_in_flight: peak,
            least_spare: window.saturating_sub(peak),
            held_back,
            chunk_bytes: lately.released.bytes().checked_div(done).unwrap_or(0),
            ..Self::new(window)
        }
    }
}

/// Fewer chunks than this are too few for an average.
const FEW: u64 = 8;

/// Whether a producer across a connection does not say that it is blocked, since nothing would come of it: no credit is
/// held back from it in a window so small.
fn says_little(window: u64) -> bool {
    most_held(window) == 0
}

impl Stats {
    /// The window that suits what these numbers say, and why, in a sentence; nothing if they say too little. Of what
    /// [`since`](Self::since) gives, for that time.
    #[must_use]
    pub fn suggest(&self) -> Option<Suggestion> {
        let nothing = Self { elapsed: Duration::ZERO, ..self.since(self) };
        suggest(&Sample::between(&nothing, self))
    }
}

/// The most that seems to have been in flight: what is here, and by Little's law what is on the way.
fn in_flight(lately: &Stats, window: u64, latency: Duration) -> u64 {
    let times = &lately.depth_times;
    if times.full > Duration::ZERO {
        return window;
    }
    let quarter = times.quarters.iter().rposition(|time| *time > Duration::ZERO);
    let quarters = quarter.and_then(|quarter| u128::try_from(quarter + 1).ok()).unwrap_or(0);
    let here = (u128::from(window) * quarters).div_ceil(4);
    u64::try_from(here).unwrap_or(u64::MAX).saturating_add(under_way(lately, latency)).min(window)
}

/// Whether a window that is away for so long with each chunk allows hardly more than came: seven eighths of it are used,
/// by Little's law.
fn uses_up(lately: &Stats, cycle: Duration, window: u64) -> bool {
    let used = u128::from(lately.released.messages()).saturating_mul(cycle.as_nanos());
    used.saturating_mul(8) >= (u128::from(window) * 7).saturating_mul(lately.elapsed.as_nanos())
}

/// How many are in something that takes so long, by Little's law.
fn under_way(lately: &Stats, time: Duration) -> u64 {
    let nanos = u128::from(lately.released.messages()).saturating_mul(time.as_nanos());
    nanos.checked_div(lately.elapsed.as_nanos()).map_or(0, |n| u64::try_from(n).unwrap_or(u64::MAX))
}

fn per_chunk(time: Duration, chunks: u64) -> Option<Duration> {
    let nanos = time.as_nanos().checked_div(u128::from(chunks))?;
    Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}
