//! What both ends count, each for itself: rows, bytes, and a checksum of them.

use crate::numbers::{count, grouped};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::ops::AddAssign;

/// Rows counted at one end. Two ends that counted the same rows are equal, in whatever order they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Rows.
    pub(crate) rows: u64,
    /// Their bytes as they came, line ends included.
    pub(crate) bytes: u64,
    /// The sum of the rows' hashes.
    pub(crate) checksum: u64,
}

impl Tally {
    /// The tally of the one row with this number, the first being 1.
    pub(crate) fn of(number: u64, row: &[u8]) -> Self {
        Self { rows: 1, bytes: u64::try_from(row.len()).unwrap_or(u64::MAX), checksum: hash(number, row) }
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, bytes, checksum } = *self;
        write!(f, "{}, {} bytes, checksum {checksum:016x}", count(rows, "row"), grouped(bytes))
    }
}

impl AddAssign for Tally {
    /// A wrapping sum of hashes does not depend on the order, so that parallel commits can be compared too.
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

/// FNV-1a over the row's number and its bytes.
///
/// The number is in it so that two rows that changed places are found: they would not change a sum of hashes
/// of their bytes alone.
fn hash(number: u64, row: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let number = number.to_le_bytes();
    number.iter().chain(row).fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn total(rows: &[(u64, &str)]) -> Tally {
        let mut total = Tally::default();
        for (number, row) in rows {
            total += Tally::of(*number, row.as_bytes());
        }
        total
    }

    #[test]
    fn the_order_of_commits_does_not_matter() {
        assert_eq!(total(&[(1, "a\n"), (2, "b\n"), (3, "c")]), total(&[(3, "c"), (1, "a\n"), (2, "b\n")]));
    }

    #[test]
    fn every_kind_of_damage_shows() {
        let good = total(&[(1, "a\n"), (2, "b\n")]);
        assert_eq!(good, total(&[(1, "a\n"), (2, "b\n")]));
        assert_ne!(good, total(&[(1, "b\n"), (2, "a\n")]), "two rows changed places");
        assert_ne!(good, total(&[(1, "a\n"), (2, "b\r\n")]), "a line end was changed");
        assert_ne!(good, total(&[(1, "a\n"), (2, "b")]), "the last line end was lost");
        assert_ne!(good, total(&[(1, "a\n"), (1, "a\n")]), "one row twice instead of the other");
        assert_ne!(good, total(&[(1, "a\n")]), "a row is missing");
    }
}
