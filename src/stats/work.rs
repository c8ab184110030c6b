//! How long the work on a chunk takes.

use std::time::Duration;

/// How long the work on a chunk took, as far as it was timed.
///
/// Where work takes 100 µs or more every chunk is timed; where it takes less, ever fewer, down to one in 1,024, since
/// reading the clock for each would cost as much as such work does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WorkTimes {
    /// Chunks whose work was timed.
    pub timed: u64,
    /// What it took, all together.
    pub total: Duration,
    /// How many took less than 1 µs, 4 µs, 16 µs, and so on, each four times the one before; the last counts all that
    /// took longer.
    pub histogram: [u64; Self::SLOTS],
}

impl WorkTimes {
    /// Slots of the histogram: up to 1 µs, …, 4.2 s, and beyond.
    pub const SLOTS: usize = 13;

    /// The mean of what was timed.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let nanos = self.total.as_nanos().checked_div(u128::from(self.timed))?;
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    /// The upper end of a slot of the histogram; the last has none.
    #[must_use]
    pub fn upper_end(slot: usize) -> Option<Duration> {
        let shift = u32::try_from(slot).ok()?.checked_mul(2)?;
        (slot + 1 < Self::SLOTS).then(|| Duration::from_micros(1 << shift))
    }

    /// What was added since an earlier look.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut histogram = self.histogram;
        for (count, before) in histogram.iter_mut().zip(earlier.histogram) {
            *count = count.saturating_sub(before);
        }
        let timed = self.timed.saturating_sub(earlier.timed);
        Self { timed, total: self.total.saturating_sub(earlier.total), histogram }
    }
}

/// In which slot of the histogram so many nanoseconds are.
pub(crate) fn slot(nanos: u64) -> usize {
    // Each slot is two bits wide, from 1 µs on.
    let bits = u64::BITS - (nanos / 1000).leading_zeros();
    usize::try_from(bits.div_ceil(2)).map_or(0, |slot| slot.min(WorkTimes::SLOTS - 1))
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::{WorkTimes, slot};
    use std::time::Duration;

    #[test]
    fn slots_and_their_ends() {
        for slot_number in 0..WorkTimes::SLOTS - 1 {
            let end = WorkTimes::upper_end(slot_number).expect("an end");
            let nanos = u64::try_from(end.as_nanos()).unwrap();
            assert_eq!(slot(nanos - 1), slot_number, "just below {end:?}");
            assert_eq!(slot(nanos), slot_number + 1, "{end:?}");
        }
        assert_eq!(WorkTimes::upper_end(WorkTimes::SLOTS - 1), None);
        assert_eq!((slot(0), slot(u64::MAX)), (0, WorkTimes::SLOTS - 1));
        assert_eq!(WorkTimes::upper_end(3), Some(Duration::from_micros(64)));
    }

    #[test]
    fn no_mean_of_nothing() {
        assert_eq!(WorkTimes::default().mean(), None);
        let work = WorkTimes { timed: 4, total: Duration::from_millis(10), ..WorkTimes::default() };
        assert_eq!(work.mean(), Some(Duration::from_micros(2500)));
    }
}
