//! What one sample says about the window, in a sentence.

use super::Sample;
use super::formula::{LEAST, Need};
use crate::Window;
use std::fmt;
use std::time::Duration;

/// What to do about the window, going by one sample; nothing if there is nothing to be done.
///
/// It remembers nothing and changes nothing: for a person who looks at the numbers of a running channel. What acts on
/// them by itself is [`Adaptive`](crate::sizing::Adaptive).
///
/// # Examples
///
/// ```
/// use credit_channel::Window;
/// use credit_channel::sizing::{Sample, suggest};
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// let costs = Sample::new(2).latency(ms(1)).consume(ms(14)).produce(ms(2)).chunks(100);
/// let suggestion = suggest(&costs.blocked(true).idle(true).peak_in_flight(2)).expect("2 are too few");
/// assert_eq!(suggestion.window, Window::messages(8));
/// assert_eq!(
///     suggestion.to_string(),
///     "a window of 8 instead of 2: both sides wait, and 1ms of latency and 14ms of work are 8 chunks of 2ms"
/// );
///
/// let suggestion = suggest(&costs.blocked(true).peak_in_flight(2)).expect("the consumer is the limit");
/// assert_eq!(suggestion.window, Window::messages(2));
/// assert_eq!(
///     suggestion.to_string(),
///     "more workers: the producer waits and the consumer never does, so that a larger window than 2 only holds more"
/// );
///
/// assert_eq!(suggest(&costs.peak_in_flight(2)), None, "nobody waits");
/// ```
#[must_use]
pub fn suggest(sample: &Sample) -> Option<Suggestion> {
    let window = sample.window.max(1);
    let costs = Costs::of(sample);
    let (to, reason) = match (sample.blocked, sample.idle) {
        (true, true) => {
            let (to, reason) = match costs {
                Some(costs) => (costs.window(), Reason::TooSmall(costs)),
                None => (window.saturating_mul(2), Reason::BothWait),
            };
            (to > window).then_some((to, reason))?
        }
        (true, false) => (window, Reason::ConsumerBusy),
        // Half of it was never used. What was is what it needs, or what the costs say if that is more.
        (false, _) if window > 2 && sample.chunks > 0 && sample.least_spare >= window.div_ceil(2) => {
            let used = window.saturating_sub(sample.least_spare).max(LEAST);
            let to = costs.map_or(used, |costs| costs.window().max(used));
            (to < window).then_some((to, Reason::Unused { spare: sample.least_spare }))?
        }
        (false, _) => return None,
    };
    Some(Suggestion { window: Window::messages(to), from: window, reason })
}

/// A window, and why; its `Display` is one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The window that would do. The one in force where another would not help.
    pub window: Window,
    from: u64,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    TooSmall(Costs),
    BothWait,
    ConsumerBusy,
    Unused { spare: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Costs {
    latency: Duration,
    consume: Duration,
    produce: Duration,
}

impl Costs {
    fn of(sample: &Sample) -> Option<Self> {
        Some(Self { latency: sample.latency?, consume: sample.consume?, produce: sample.produce? })
    }

    fn window(self) -> u64 {
        Need::of_producer(self.latency, self.consume, self.produce).messages()
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.from;
        let to = self.window.message_limit().unwrap_or(from);
        match self.reason {
            Reason::TooSmall(costs) => {
                let Costs { latency, consume, produce } = costs;
                write!(f, "a window of {to} instead of {from}: both sides wait, and ")?;
                write!(f, "{latency:?} of latency and {consume:?} of work are {to} chunks of {produce:?}")
            }
            Reason::BothWait => {
                write!(
                    f,
                    "a window of {to} instead of {from}: the producer waits for credit while the consumer is idle"
                )
            }
            Reason::ConsumerBusy => {
                write!(f, "more workers: the producer waits and the consumer never does, ")?;
                write!(f, "so that a larger window than {from} only holds more")
            }
            Reason::Unused { spare } => {
                write!(f, "a window of {to} instead of {from}: {spare} were never used")
            }
        }
    }
}
