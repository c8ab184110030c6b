//! How values are put back in order.

use super::buffer::Limits;
use crate::WindowError;
use crate::stages::ErrorOrder;
use std::fmt;
use std::time::Duration;

/// Says how many bytes a value is.
pub(super) type Weigh<T> = Box<dyn Fn(&T) -> usize + Send + Sync>;

/// How [`Stage::reorder`](crate::stages::Stage::reorder) puts values back in order: how much it holds, and what becomes
/// of a gap.
///
/// # How much it may hold
///
/// What is held is credit that the producer lacks. If all of the window is held, the missing value cannot be sent: the
/// stage waits for the producer, and the producer for the stage. So **hold no more than the window**: with `max_held`
/// at most the messages of the window, the stage is full before the credit is out, and gives the gap up as below. (In a
/// window of bytes: `max_bytes` and the largest chunk together at most the window. If the order was lost over several
/// stages, it is the smallest window on the way that counts.) Where that cannot be said,
/// [`give_up_after`](Self::give_up_after) ends the wait.
///
/// Several producers of one channel should have the credit before they take a number (`let permit =
/// tx.reserve().await?`, then the number, then `permit.send(…)`). Then what is missing can always be sent, and no more
/// than the window are ever numbered and not passed on: with `max_held` of the window it is never full.
///
/// # When a gap is given up
///
/// * **At once, when it is full.** The missing value can only come from what is before this stage, and that is asked
///   for no more while there is no room for what else may come: waiting would be for ever.
/// * **At the end** of what is before it: nothing more comes.
/// * After a time, or at a distance, if told so.
///
/// A gap that is given up is an error, [`StageError::Gap`](crate::stages::StageError::Gap), which cancels what is
/// before the stage; or it is skipped ([`skip_gaps`](Self::skip_gaps)).
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{ReorderConfig, Stage, from_stream};
///
/// let came = [0_u64, 2, 1, 1, 4, 5, 7]; // 1 came twice, 3 and 6 are lost
/// let config = ReorderConfig::new(16).skip_gaps();
/// let mut rows = from_stream(futures_util::stream::iter(came)).reorder(config, |row| *row)?;
/// let meter = rows.meter();
/// for expected in [0, 1, 2, 4, 5, 7] {
///     assert_eq!(*rows.recv().await?.unwrap(), expected);
/// }
/// assert!(rows.recv().await?.is_none());
/// let stats = meter.stats();
/// assert_eq!((stats.skipped, stats.old, stats.peak_held), (2, 1, 3));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ReorderConfig<T> {
    pub(super) limits: Limits,
    pub(super) weigh: Option<Weigh<T>>,
    pub(super) first: u64,
    pub(super) skips: bool,
    pub(super) error_order: ErrorOrder,
}

impl<T> ReorderConfig<T> {
    /// Holds at most `max_held` values, of any size; begins with number 0; a gap is an error.
    pub fn new(max_held: u64) -> Self {
        let limits = Limits { max_held, max_bytes: u64::MAX, after: None, beyond: None };
        Self { limits, weigh: None, first: 0, skips: false, error_order: ErrorOrder::InOrder }
    }

    /// Also limits the bytes held, as `weigh` says of each value ([`Weigh::weight_bytes`](crate::Weigh::weight_bytes)
    /// for types that have it). It is full when this is reached: as a value's weight is known once it has come, the last
    /// may be beyond it.
    pub fn and_bytes(mut self, max_bytes: u64, weigh: impl Fn(&T) -> usize + Send + Sync + 'static) -> Self {
        self.limits.max_bytes = max_bytes;
        self.weigh = Some(Box::new(weigh));
        self
    }

    /// The number to begin with. Those below it are old.
    pub fn starting_at(self, first: u64) -> Self {
        Self { first, ..self }
    }

    /// A gap that is given up is skipped, and those after it are passed on. What comes of it later is old: it is
    /// dropped, and counted.
    ///
    /// One value with a number that is far too high is then believed, in the end, and everything after it is old. Where
    /// numbers may be wrong, leave gaps an error.
    pub fn skip_gaps(self) -> Self {
        Self { skips: true, ..self }
    }

    /// No value is held for longer than this: then what is missing before it is given up, once nothing more is at
    /// hand; what has come already is looked at first.
    ///
    /// # Panics
    ///
    /// The stage, when it waits outside of a tokio runtime with timers.
    pub fn give_up_after(mut self, time: Duration) -> Self {
        self.limits.after = Some(time);
        self
    }

    /// A missing value is given up as soon as one comes whose number is more than this beyond it.
    pub fn give_up_beyond(mut self, distance: u64) -> Self {
        self.limits.beyond = Some(distance);
        self
    }

    /// Whether an error of what is before it waits for what is held. By default it does, as far as that can be passed
    /// on: behind a gap it can only where gaps are skipped.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    pub(super) fn check(self) -> Result<Self, WindowError> {
        if self.limits.max_held == 0 || self.limits.max_bytes == 0 {
            return Err(WindowError::Zero);
        }
        Ok(self)
    }
}

impl<T> fmt::Debug for ReorderConfig<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, weigh: _, first, skips, error_order } = self;
        f.debug_struct("ReorderConfig")
            .field("limits", limits)
            .field("first", first)
            .field("skips", skips)
            .field("error_order", error_order)
            .finish_non_exhaustive()
    }
}
