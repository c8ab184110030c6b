//! Demand translated, as arithmetic alone.

use std::{error, fmt};

/// What a stage with a buffer may ask for, and when.
///
/// Two amounts are kept apart: what it **holds** (it came, and has not left), and what it is **owed** (asked for, and
/// not come). Together they never exceed the capacity, so that all that is owed may come at once and has a place. More
/// is asked for by what has **left**, not by what has come: as long as nobody takes anything, nothing is asked for. And
/// it is asked for in one go once as much as the low-water mark could be, so that a page is asked for and not 48 times a
/// row.
///
/// By hand, for a capacity of 64 and a mark of 48: at first 64 are asked for. They come: 64 held, 0 owed. When 47 have
/// left, 17 are held and 47 could be asked for: not yet. When the 48th leaves, 16 are held, 48 are asked for, and
/// 16 + 48 = 64. So on for ever: 64, 48, 48, …
///
/// # Invariants
///
/// 1. Held and owed together never exceed the capacity.
/// 2. After a call of [`ask`](Self::ask), less than the low-water mark could still be asked for.
///
/// # Examples
///
/// ```
/// use credit_channel::stages::Demand;
///
/// let mut demand = Demand::new(64, 48)?;
/// assert_eq!(demand.ask(), Some(64));
/// demand.arrived(64)?;
/// demand.left(47);
/// assert_eq!(demand.ask(), None);
/// demand.left(1);
/// assert_eq!((demand.held(), demand.ask(), demand.owed()), (16, Some(48), 48));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    capacity: u64,
    low_water: u64,
    held: u64,
    owed: u64,
}

/// The low-water mark that suits a capacity: three quarters of it have to leave before more is asked for, as
/// `capacity - max(1, capacity / 4)`, and at least 1.
///
/// A quarter stays to work on while the next page is on its way. From a capacity of 4 on that is so; below, nothing
/// would stay for `capacity / 4 = 0`, and each page would be waited for with empty hands: hence the `max(1, …)` of the
/// two.
///
/// | capacity | 1 | 2 | 3 | 4 | 5 | 8 | 64 |
/// |---|---|---|---|---|---|---|---|
/// | mark | 1 | 1 | 2 | 3 | 4 | 6 | 48 |
#[must_use]
pub fn low_water_mark(capacity: u64) -> u64 {
    capacity.saturating_sub((capacity / 4).max(1)).max(1)
}

impl Demand {
    /// For a stage that holds at most `capacity`, and asks for more once `low_water` could be asked for.
    ///
    /// # Errors
    ///
    /// [`DemandError::NoCapacity`] for a capacity of 0; [`DemandError::LowWater`] for a mark of 0, which would ask for
    /// nothing, or one beyond the capacity, which would never be reached.
    pub fn new(capacity: u64, low_water: u64) -> Result<Self, DemandError> {
        if capacity == 0 {
            return Err(DemandError::NoCapacity);
        }
        if !(1..=capacity).contains(&low_water) {
            return Err(DemandError::LowWater { low_water, capacity });
        }
        Ok(Self { capacity, low_water, held: 0, owed: 0 })
    }

    /// What is to be asked for now, all of it; nothing as long as it is below the low-water mark.
    #[must_use = "it counts as asked for"]
    pub fn ask(&mut self) -> Option<u64> {
        let free = self.free();
        if free < self.low_water {
            return None;
        }
        self.owed += free;
        self.assert_invariants();
        Some(free)
    }

    /// So many came.
    ///
    /// # Errors
    ///
    /// [`DemandError::Unasked`] if fewer were owed; then nothing is booked.
    pub fn arrived(&mut self, n: u64) -> Result<(), DemandError> {
        if n > self.owed {
            return Err(DemandError::Unasked { owed: self.owed, came: n });
        }
        self.owed -= n;
        self.held += n;
        self.assert_invariants();
        Ok(())
    }

    /// Nothing more comes of what is owed: the page was shorter.
    pub fn settled(&mut self) {
        self.owed = 0;
        self.assert_invariants();
    }

    /// So many of those held have left for good. More than are held cannot.
    pub fn left(&mut self, n: u64) {
        debug_assert!(n <= self.held, "{n} left of {} held", self.held);
        self.held = self.held.saturating_sub(n);
        self.assert_invariants();
    }

    /// What came and has not left.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// What was asked for and has not come.
    #[must_use]
    pub fn owed(&self) -> u64 {
        self.owed
    }

    /// What it holds at most.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// What could be asked for.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.capacity - self.held - self.owed
    }

    fn assert_invariants(&self) {
        debug_assert!(self.held + self.owed <= self.capacity, "1: held and owed exceed the capacity: {self:?}");
    }
}

/// Why a stage's demand cannot be that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DemandError {
    /// A stage that holds nothing can ask for nothing.
    NoCapacity,
    /// The low-water mark is 0 or beyond the capacity.
    LowWater {
        /// The mark asked for.
        low_water: u64,
        /// The capacity.
        capacity: u64,
    },
    /// More came than was asked for.
    Unasked {
        /// What was owed.
        owed: u64,
        /// What came.
        came: u64,
    },
}

impl fmt::Display for DemandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCapacity => f.write_str("a capacity of 0 can ask for nothing"),
            Self::LowWater { low_water, capacity } => {
                write!(
                    f,
                    "a low-water mark of {low_water} does not suit a capacity of {capacity}: it has to be 1 to {capacity}"
                )
            }
            Self::Unasked { owed, came } => write!(f, "{came} came where {owed} were asked for"),
        }
    }
}

impl error::Error for DemandError {}
