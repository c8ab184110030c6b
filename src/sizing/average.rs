//! Means and moving averages, in integers: the same on every machine.

/// A mean of weighted values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: u128,
    weight: u64,
}

impl Mean {
    pub(super) fn add(&mut self, value: u64, weight: u64) {
        self.sum = self.sum.saturating_add(u128::from(value) * u128::from(weight));
        self.weight = self.weight.saturating_add(weight);
    }

    pub(super) fn get(self) -> Option<u64> {
        let mean = self.sum.checked_div(u128::from(self.weight))?;
        Some(u64::try_from(mean).unwrap_or(u64::MAX))
    }
}

/// An exponentially weighted average, each new value a fifth of it, that jumps when the level has changed. The first
/// five values count alike, so that the very first is not worth more than all that follow.
///
/// Smoothing alone would need ten values to follow a step of ten. Two values in a row that are off by more than a
/// quarter, on the same side, are no noise but a new level: the average is the second of them at once. One that is
/// alone is smoothed in like any other, once the next has shown that it was alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Average {
    /// In units of 1/1024: else the rounding of each step would add up to some nanoseconds, which is much where a chunk
    /// takes a hundred.
    value: Option<u128>,
    /// The weight of what it is made of, in values: up to [`MEMORY`] less one.
    behind: u128,
    odd: Option<u64>,
}

/// A new value is one in so many.
const MEMORY: u128 = 5;

const SCALE: u128 = 1024;

impl Average {
    pub(super) fn add(&mut self, value: u64) {
        let side = self.side(value);
        if let Some(odd) = self.odd.take() {
            if side != Side::Near && side == self.side(odd) {
                (self.value, self.behind) = (None, 0);
            } else {
                self.blend(odd);
            }
        }
        if self.side(value) == Side::Near {
            self.blend(value);
        } else {
            self.odd = Some(value);
        }
    }

    fn blend(&mut self, value: u64) {
        let value = u128::from(value) * SCALE;
        let sum = self.value.unwrap_or(0) * self.behind + value;
        self.value = Some(sum / (self.behind + 1));
        self.behind = (self.behind + 1).min(MEMORY - 1);
    }

    /// Where a value lies, seen from the average.
    fn side(&self, value: u64) -> Side {
        let Some(average) = self.value else { return Side::Near };
        let value = u128::from(value) * SCALE;
        let quarter = average / 4;
        if value < average - quarter {
            Side::Below
        } else if value > average + quarter {
            Side::Above
        } else {
            Side::Near
        }
    }

    pub(super) fn get(self) -> Option<u64> {
        let value = (self.value? + SCALE / 2) / SCALE;
        Some(u64::try_from(value).unwrap_or(u64::MAX))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Below,
    Near,
    Above,
}

#[cfg(test)]
mod tests {
    use super::{Average, Mean};

    fn average(values: &[u64]) -> Option<u64> {
        let mut average = Average::default();
        values.iter().for_each(|&value| average.add(value));
        average.get()
    }

    #[test]
    fn a_step_is_followed_at_the_second_value() {
        assert_eq!(average(&[]), None);
        assert_eq!(average(&[100, 1000]), Some(100), "one value is no step yet");
        assert_eq!(average(&[100, 1000, 1000]), Some(1000));
        assert_eq!(average(&[1000, 100, 100]), Some(100));
        assert_eq!(average(&[0, 7, 7]), Some(7));
    }

    #[test]
    fn one_that_was_alone_counts_a_fifth() {
        let level = [100; 5];
        assert_eq!(average(&[&level[..], &[1000]].concat()), Some(100), "it may be the first of a new level");
        assert_eq!(average(&[&level[..], &[1000, 100]].concat()), Some(280), "and now the 100 is odd in its turn");
        assert_eq!(average(&[&level[..], &[1000, 10]].concat()), Some(280));
        assert_eq!(average(&[&level[..], &[120]].concat()), Some(104));
    }

    #[test]
    fn the_first_few_count_alike() {
        assert_eq!(average(&[100, 120]), Some(110));
        assert_eq!(average(&[100, 120, 110, 90]), Some(105));
        assert_eq!(average(&[100, 900, 900, 700]), Some(800), "after a step too");
    }

    #[test]
    fn small_values_are_reached_to_the_unit() {
        let mut average = Average::default();
        average.add(12);
        (0..40).for_each(|_| average.add(15));
        assert_eq!(average.get(), Some(15));
    }

    #[test]
    fn nothing_overflows() {
        assert_eq!(average(&[u64::MAX; 5]), Some(u64::MAX));
        let mut mean = Mean::default();
        assert_eq!(mean.get(), None);
        (0..3).for_each(|_| mean.add(u64::MAX, u64::MAX));
        assert_eq!(mean.get(), Some(u64::MAX), "or what is left of it");
    }
}
