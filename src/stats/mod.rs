//! The numbers of one channel.

mod depth;
mod diagnosis;
mod work;

pub use depth::DepthTimes;
pub(crate) use depth::{Level, level};
pub use diagnosis::{Condition, Diagnosis};
pub use work::WorkTimes;
pub(crate) use work::slot;

use crate::{Credit, Window};
use std::time::Duration;

/// The numbers of one channel at one moment, in one process the same from both ends.
///
/// Counters only grow; the others are as of the call. At rest `credit + depth + reserved` is the window,
/// and when all work is done `depth` is zero.
///
/// Over a connection each end has its own: the producer's depth counts what is on its way in either direction, its
/// credit no more than what sends may run ahead of the transport, and a consumer knows nothing of parks.
///
/// How to read them: [`depth`](Self::depth) pinned at the window says that the consumer is the limit,
/// near zero that the producer is. [`park_time`](Self::park_time) near zero says that the window is large
/// enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Stats {
    /// The window in force.
    pub window: Window,
    /// What could be sent now without waiting.
    pub credit: Credit,
    /// Cost in flight: sent and not yet released.
    pub depth: Credit,
    /// The most that was ever in flight, per unit.
    pub peak_depth: Credit,
    /// Credit held by permits and by served senders that have not sent yet.
    pub reserved: Credit,
    /// Chunks sent.
    pub sent: u64,
    /// Cost released: its work is done, or the chunk was discarded.
    pub released: Credit,
    /// Credit that [`forget`](crate::CreditGuard::forget) took out of the window for good.
    pub forgotten: Credit,
    /// Senders waiting for credit now.
    pub waiting: u64,
    /// Times that a sender had to wait for credit; at the consumer's end of a connection, that
    /// the producer had used up its credit.
    pub parks: u64,
    /// Time during which at least one sender was waiting, the present wait included.
    ///
    /// A wait ends when the credit is there, not when its task runs again: a consumer that keeps the thread
    /// busy which the producer needs makes it wait for that, and not for credit. Where waits are shorter than
    /// 2 µs, one after the other, only one in 64 is measured and stands for those that follow.
    pub park_time: Duration,
    /// For how long a sender has been waiting now, one or the other without a break.
    pub parked_for: Option<Duration>,
    /// The part of [`park_time`](Self::park_time) in which credit was there, and sends could run no further ahead of a
    /// transport that did not take what was sent.
    pub transport_park_time: Duration,
    /// Time in which nothing was in flight and the receiving end waited for something to come, the present wait
    /// included. Short waits are measured as those of senders are.
    pub idle_time: Duration,
    /// For how long the depth was at which part of the window.
    pub depth_times: DepthTimes,
    /// How long the consumer works on a chunk: from when it receives it until its guard is dropped.
    pub work: WorkTimes,
    /// For how long the oldest chunk whose work is timed has been worked on.
    pub oldest_work: Option<Duration>,
    /// There and back to the other end of the connection, if there is one and it was measured.
    pub round_trip: Option<Duration>,
    /// Whether the other end is across a connection.
    pub over_connection: bool,
    /// Producer handles alive.
    pub producers: u64,
    /// Since the channel was opened.
    pub elapsed: Duration,
}

impl Stats {
    /// What happened since an earlier look at the same channel: counters and times are what was added, the rest is as of
    /// now. [`diagnose`](Self::diagnose) it to know how things are, and not how they were since the channel was opened.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            sent: self.sent.saturating_sub(earlier.sent),
            released: self.released.minus(earlier.released),
            forgotten: self.forgotten.minus(earlier.forgotten),
            parks: self.parks.saturating_sub(earlier.parks),
            park_time: self.park_time.saturating_sub(earlier.park_time),
            transport_park_time: self.transport_park_time.saturating_sub(earlier.transport_park_time),
            idle_time: self.idle_time.saturating_sub(earlier.idle_time),
            depth_times: self.depth_times.since(&earlier.depth_times),
            work: self.work.since(&earlier.work),
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
            ..*self
        }
    }
}
