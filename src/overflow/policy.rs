//! What becomes of a value that finds no room.

use super::ErrorOrder;
use std::fmt;

/// What becomes of a value that finds no room, and how much room there is.
///
/// The [module](super) has a table of them and says when to use which.
#[must_use]
pub struct Policy<T> {
    pub(super) when_full: WhenFull,
    pub(super) capacity: u64,
    pub(super) max_parked: u64,
    pub(super) fold: Option<Fold<T>>,
}

/// Makes one pending value of the older and the newer one.
pub(super) type Fold<T> = Box<dyn Fn(T, T) -> T + Send + Sync>;

/// The policy as the buffer knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhenFull {
    Wait,
    Reject,
    DropNewest,
    DropOldest,
    DropTail,
    DropAll,
    Fail(ErrorOrder),
    Latest,
    Conflate,
}

impl<T> Policy<T> {
    fn of(when_full: WhenFull, capacity: u64) -> Self {
        Self { when_full, capacity, max_parked: 0, fold: None }
    }

    /// [`send`](super::Offering::send) waits for room, first come, first served. At most `max_parked` may wait: each
    /// further one gets its value back, since a line without a bound is the unbounded buffer once more. An
    /// [`offer`](super::Offering::offer) never waits, and is never let in before those who do.
    pub fn wait(capacity: u64, max_parked: u64) -> Self {
        Self { max_parked, ..Self::of(WhenFull::Wait, capacity) }
    }

    /// The value is given back.
    pub fn reject(capacity: u64) -> Self {
        Self::of(WhenFull::Reject, capacity)
    }

    /// The value itself is dropped: what is buffered stays.
    pub fn drop_newest(capacity: u64) -> Self {
        Self::of(WhenFull::DropNewest, capacity)
    }

    /// The oldest value in the buffer is dropped for it.
    pub fn drop_oldest(capacity: u64) -> Self {
        Self::of(WhenFull::DropOldest, capacity)
    }

    /// The youngest value in the buffer is dropped for it: the oldest stay, and the last place is always the latest
    /// value's.
    pub fn drop_tail(capacity: u64) -> Self {
        Self::of(WhenFull::DropTail, capacity)
    }

    /// All that is buffered is dropped for it.
    pub fn drop_all(capacity: u64) -> Self {
        Self::of(WhenFull::DropAll, capacity)
    }

    /// The channel fails. The value is given back, and the consumer is told after what is buffered, or with
    /// [`ErrorOrder::AtOnce`] instead of it.
    pub fn fail(capacity: u64, order: ErrorOrder) -> Self {
        Self::of(WhenFull::Fail(order), capacity)
    }

    /// One place, for the latest value: the one that is in it is overwritten.
    pub fn latest() -> Self {
        Self::of(WhenFull::Latest, 1)
    }

    /// One place, for one pending value: each new one is folded into it, as `fold(pending, new)`, so that nothing is
    /// lost of what the fold keeps.
    ///
    /// The fold runs in the offer, and under no lock. Where several offers come at once it may put together parts first
    /// and then those, in the order of the offers; so it has to be associative, as sums, maxima and concatenations are.
    pub fn conflate(fold: impl Fn(T, T) -> T + Send + Sync + 'static) -> Self {
        Self { fold: Some(Box::new(fold)), ..Self::of(WhenFull::Conflate, 1) }
    }
}

impl<T> fmt::Debug for Policy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("when_full", &self.when_full)
            .field("capacity", &self.capacity)
            .field("max_parked", &self.max_parked)
            .finish_non_exhaustive()
    }
}
