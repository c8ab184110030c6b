//! What the numbers say is wrong.

use super::Stats;
use std::fmt;
use std::time::Duration;

/// What limits a channel, as its numbers tell it.
///
/// Two numbers tell most of it: how long senders waited for credit, and how long the consumer had nothing to do. Much of
/// the first and little of the second is a consumer that does not keep up; little of the first and much of the second a
/// producer that does not; much of both a window too small for the way between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Condition {
    /// Neither waits much for the other.
    Healthy,
    /// The consumer is the limit: senders wait, and it works. More workers help, a larger window does not.
    ConsumerBound,
    /// The producer is the limit: the window is mostly empty, and nobody waits for credit.
    ProducerBound,
    /// Senders wait though the consumer could do more: what is on its way takes up the window.
    WindowTooSmall,
    /// Nothing comes home any more, and senders wait.
    ConsumerStalled {
        /// For how long the oldest chunk has been worked on, or, if that is not known, senders have waited.
        oldest: Duration,
    },
    /// The transport takes no more: senders wait though the consumer has granted credit.
    TransportBound,
    /// A part of the window is gone for good: guards were forgotten.
    LeakedCredit {
        /// How much, in the unit that the window counts (bytes if it counts both).
        n: u64,
    },
}

/// A [`Condition`] and the figures it was judged by. Displayed it is one sentence.
///
/// In this order, the first that is true:
///
/// | condition | if |
/// |---|---|
/// | `LeakedCredit` | a quarter of the window or more was forgotten |
/// | `ConsumerStalled` | a sender has waited for 1 s or more without a break, and for ten times as long as work takes |
/// | `TransportBound` | senders waited for 20 % of the time, and for most of that because of the transport |
/// | `WindowTooSmall` | they waited for 20 %, and the consumer was idle for 20 %, or the round trip is half or more of the time a chunk is in flight |
/// | `ConsumerBound` | they waited for 20 % |
/// | `ProducerBound` | they waited for less than 5 %, and the consumer idled for half of the time |
/// | `Healthy` | else |
///
/// # Examples
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// use credit_channel::{Condition, Window, channel};
/// use std::time::Duration;
///
/// let (tx, mut rx) = channel(Window::messages(2))?;
/// let producer = tokio::spawn(async move {
///     for n in 0..100 {
///         tx.send(n).await.unwrap();
///     }
///     tx.end();
/// });
/// while let Some(_chunk) = rx.recv().await? {
///     tokio::time::sleep(Duration::from_millis(5)).await; // the work
/// }
/// let diagnosis = rx.stats().diagnose();
/// assert_eq!(diagnosis.condition, Condition::ConsumerBound);
/// assert!(diagnosis.to_string().starts_with("the consumer is the limit: senders waited for 9"));
/// # producer.await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// What it is.
    pub condition: Condition,
    /// The part of the time in which a sender waited, from 0 to 1.
    pub park_share: f64,
    /// The part of the time in which one waited for the transport's sake.
    pub transport_share: f64,
    /// The part of the time in which the consumer waited with nothing in flight.
    pub idle_share: f64,
    /// The part of the time in which the window was empty.
    pub empty_share: f64,
    /// The part of the time in which all of it was taken.
    pub full_share: f64,
    /// How long a chunk was in flight, on average, as far as that is known from how many there were.
    pub time_in_flight: Option<Duration>,
    /// There and back to the other end of the connection.
    pub round_trip: Option<Duration>,
}

const OFTEN: f64 = 0.20;
const HARDLY: f64 = 0.05;
const MOSTLY: f64 = 0.50;
/// Waiting for less is no stall, however short the work is.
const STALL: Duration = Duration::from_secs(1);
/// Nor is waiting for less than so many times what work takes.
const TIMES_THE_WORK: u32 = 10;

impl Stats {
    /// What limits this channel: since it was opened, or, of what [`since`](Self::since) gives, in that time.
    ///
    /// In one process the numbers of either end say all. Over a connection each end knows its own part: judge by both
    /// with [`diagnose_with`](Self::diagnose_with) where both are at hand; the producer's alone tell a window that is
    /// too small from a slow consumer by the round trip.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        self.diagnose_with(self)
    }

    /// The same, of a producer's numbers and those of the consumer at the other end of the connection.
    #[must_use]
    pub fn diagnose_with(&self, consumer: &Self) -> Diagnosis {
        let share =
            |part: Duration, whole: Duration| if whole.is_zero() { 0.0 } else { part.div_duration_f64(whole).min(1.0) };
        let mut diagnosis = Diagnosis {
            condition: Condition::Healthy,
            park_share: share(self.park_time, self.elapsed),
            transport_share: share(self.transport_park_time, self.elapsed),
            idle_share: share(consumer.idle_time, consumer.elapsed),
            empty_share: self.depth_times.share_empty(),
            full_share: self.depth_times.share_full(),
            time_in_flight: self.time_in_flight(),
            round_trip: self.round_trip,
        };
        diagnosis.condition = self.judge(consumer, &diagnosis);
        diagnosis
    }

    fn judge(&self, consumer: &Self, figures: &Diagnosis) -> Condition {
        let unit = |credit: crate::Credit| if credit.bytes() > 0 { credit.bytes() } else { credit.messages() };
        let leaked = unit(consumer.forgotten);
        if leaked > 0 && u128::from(leaked) * 4 >= u128::from(unit(self.window.as_credit())) {
            return Condition::LeakedCredit { n: leaked };
        }
        let long = consumer.work.mean().map_or(STALL, |work| (work * TIMES_THE_WORK).max(STALL));
        if self.parked_for.is_some_and(|parked| parked >= long) {
            let oldest = consumer.oldest_work.max(self.parked_for).unwrap_or_default();
            return Condition::ConsumerStalled { oldest };
        }
        if figures.park_share >= OFTEN {
            if figures.transport_share >= MOSTLY * figures.park_share {
                return Condition::TransportBound;
            }
            let far = match (figures.round_trip, figures.time_in_flight) {
                (Some(round_trip), Some(in_flight)) => round_trip >= in_flight / 2,
                _ => false,
            };
            return if far || figures.idle_share >= OFTEN {
                Condition::WindowTooSmall
            } else {
                Condition::ConsumerBound
            };
        }
        if figures.park_share < HARDLY && figures.idle_share >= MOSTLY && self.sent > 0 {
            return Condition::ProducerBound;
        }
        Condition::Healthy
    }

    /// By Little's law, from how full the window was and how much came home.
    fn time_in_flight(&self) -> Option<Duration> {
        let (window, released) = (self.window.as_credit(), self.released);
        let (window, released) = if window.messages() > 0 {
            (window.messages(), released.messages())
        } else {
            (window.bytes(), released.bytes())
        };
        let full = u64::try_from(self.depth_times.full.as_nanos()).ok()?;
        let nanos = u128::from(full) * u128::from(window);
        // Only where it is mostly full is the depth known well enough.
        if self.depth_times.share_full() < MOSTLY {
            return None;
        }
        Some(Duration::from_nanos(u64::try_from(nanos.checked_div(u128::from(released))?).ok()?))
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let (park, idle) = (percent(self.park_share), percent(self.idle_share));
        match self.condition {
            Condition::Healthy => {
                write!(f, "healthy: senders waited for {park} of the time, the consumer idled for {idle}")
            }
            Condition::ConsumerBound => write!(
                f,
                "the consumer is the limit: senders waited for {park} of the time while it worked; more workers help, a \
                 larger window does not"
            ),
            Condition::ProducerBound => write!(
                f,
                "the producer is the limit: the consumer idled for {idle} of the time and nobody waited for credit"
            ),
            Condition::WindowTooSmall => {
                write!(
                    f,
                    "the window is too small: senders waited for {park} of the time, and the consumer idled for {idle}"
                )?;
                match (self.round_trip, self.time_in_flight) {
                    (Some(there_and_back), Some(in_flight)) => {
                        write!(f, " (of {in_flight:.1?} in flight {there_and_back:.1?} were the way there and back)")
                    }
                    _ => Ok(()),
                }
            }
            Condition::ConsumerStalled { oldest } => {
                write!(
                    f,
                    "the consumer has stalled: nothing came home while senders waited, the oldest work is {oldest:.1?} old"
                )
            }
            Condition::TransportBound => write!(
                f,
                "the transport is the limit: senders waited for {park} of the time, for {} because it took no more",
                percent(self.transport_share)
            ),
            Condition::LeakedCredit { n } => {
                write!(f, "{n} of the window are gone for good: guards were forgotten and never give their credit back")
            }
        }
    }
}
