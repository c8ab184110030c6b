//! A figure over the rounds: its median, and how far it spreads.

use std::fmt;

#[derive(Clone, Copy)]
pub struct Spread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Spread {
    /// Of at least one value.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Self { median, low: values[0], high: values[values.len() - 1] }
    }
}

/// As a ratio: `1.52 (1.38..1.66)`.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, low, high } = self;
        f.pad(&format!("{median:.2} ({low:.2}..{high:.2})"))
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_is_the_middle_or_between_the_two() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]).to_string(), "2.00 (1.00..3.00)");
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).to_string(), "2.50 (1.00..4.00)");
    }
}
