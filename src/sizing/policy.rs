//! What decides on the window, and what it says.

use super::Sample;
use crate::Window;
use std::fmt;
use std::time::Duration;

/// Decides, sample after sample, how large the window should be.
///
/// It is pure: all that it knows is in the samples, and the time is an argument. The same calls give the same answers
/// on every machine and under a paused clock.
///
/// # Examples
///
/// One of your own, which gives a tenth more whenever both sides had to wait:
///
/// ```
/// use credit_channel::sizing::{Adjustment, Cause, Sample, WindowPolicy};
/// use std::time::Duration;
///
/// struct Tenth;
///
/// impl WindowPolicy for Tenth {
///     fn adjust(&mut self, sample: &Sample, _now: Duration) -> Adjustment {
///         if sample.blocked && sample.idle {
///             let window = sample.window.saturating_add(sample.window.div_ceil(10));
///             return Adjustment { window, cause: Cause::Other("both sides waited") };
///         }
///         Adjustment { window: sample.window, cause: Cause::Steady }
///     }
/// }
///
/// let mut policy: Box<dyn WindowPolicy> = Box::new(Tenth);
/// let adjustment = policy.adjust(&Sample::new(40).blocked(true).idle(true), Duration::ZERO);
/// assert_eq!(adjustment.window, 44);
/// ```
pub trait WindowPolicy: Send {
    /// Takes in what was seen since the last call, and says what the window should be from now on.
    ///
    /// `now` is the time since any fixed moment, on a clock that does not go back. It may be called as often as one
    /// likes: per returned credit, or on a timer.
    #[must_use = "nothing changes unless the window is set to it"]
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Adjustment;
}

impl<P: WindowPolicy + ?Sized> WindowPolicy for Box<P> {
    fn adjust(&mut self, sample: &Sample, now: Duration) -> Adjustment {
        (**self).adjust(sample, now)
    }
}

/// What the window should be, and why: worth a line in a log or a metric when [`changes`](Self::changes) says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// The window from now on, in messages.
    pub window: u64,
    /// Why it is that.
    pub cause: Cause,
}

impl Adjustment {
    /// Whether this is another window than that of the sample.
    ///
    /// # Examples
    ///
    /// ```
    /// use credit_channel::sizing::{Fixed, Sample, WindowPolicy};
    /// use std::time::Duration;
    ///
    /// assert!(!Fixed(4).adjust(&Sample::new(4), Duration::ZERO).changes(&Sample::new(4)));
    /// assert!(Fixed(4).adjust(&Sample::new(9), Duration::ZERO).changes(&Sample::new(9)));
    /// ```
    #[must_use]
    pub const fn changes(&self, sample: &Sample) -> bool {
        self.window != sample.window
    }
}

/// Why a window became what it is, or stayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// Changed: the policy is a fixed window.
    Fixed,
    /// Changed at once: it was below the least, above the most, or too large for the byte budget.
    Bounds,
    /// Doubled: the producer was blocked while the consumer was idle, and the costs seen so far do not speak against
    /// it.
    Ramp,
    /// Changed towards what latency and costs ask for.
    Costs,
    /// Shrunk by credit that was never used, where the costs are not known.
    Spare,
    /// Kept: too little was seen since the last decision.
    TooSoon,
    /// Kept: it is what it should be, or so near that a change would only follow noise.
    Steady,
    /// Kept, although the costs ask for more: nobody had to wait.
    NotStarved,
    /// Kept, although the costs ask for more: less than half of it was ever in flight.
    HalfUsed,
    /// Changed or kept by a policy of another crate, in its words.
    Other(&'static str),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fixed => "the window is fixed",
            Self::Bounds => "the window was out of bounds",
            Self::Ramp => "the producer was blocked while the consumer was idle",
            Self::Costs => "latency and costs ask for it",
            Self::Spare => "credit was never used",
            Self::TooSoon => "too little was seen since the last decision",
            Self::Steady => "the window is what it should be",
            Self::NotStarved => "nobody had to wait",
            Self::HalfUsed => "less than half of the window was in flight",
            Self::Other(cause) => cause,
        })
    }
}

/// Always the same window, in messages; 0 is taken as 1, and more than [`Window::MAX`] as that.
///
/// # Examples
///
/// ```
/// use credit_channel::sizing::{Cause, Fixed, Sample, WindowPolicy};
/// use std::time::Duration;
///
/// let mut policy = Fixed(4);
/// assert_eq!(policy.adjust(&Sample::new(4), Duration::ZERO).cause, Cause::Steady);
/// assert_eq!(policy.adjust(&Sample::new(9), Duration::ZERO).window, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed(pub u64);

impl WindowPolicy for Fixed {
    fn adjust(&mut self, sample: &Sample, _now: Duration) -> Adjustment {
        let window = self.0.clamp(1, Window::MAX);
        Adjustment { window, cause: if window == sample.window { Cause::Steady } else { Cause::Fixed } }
    }
}
