//! Whether all that was sent is there.

use crate::numbers::{count, grouped};
use crate::tally::Tally;

/// What is wrong, if all that was sent should have been committed.
pub(crate) fn loss(sent: Tally, committed: Tally) -> Option<String> {
    if sent.rows != committed.rows || sent.bytes != committed.bytes {
        let sent = format!("{} ({} bytes)", count(sent.rows, "row"), grouped(sent.bytes));
        let committed = format!("{} ({} bytes)", grouped(committed.rows), grouped(committed.bytes));
        return Some(format!("rows were lost: {sent} were sent, {committed} were committed"));
    }
    (sent != committed).then(|| "the checksums differ: rows were changed or mixed up".into())
}

#[cfg(test)]
mod tests {
    use super::loss;
    use crate::tally::Tally;

    fn total(rows: &[(u64, &str)]) -> Tally {
        let mut total = Tally::default();
        for (number, row) in rows {
            total += Tally::of(*number, row.as_bytes());
        }
        total
    }

    #[test]
    fn a_loss_is_told_with_both_numbers() {
        let sent = total(&[(1, "a\n"), (2, "b\n")]);
        assert_eq!(loss(sent, sent), None);
        let lost = "rows were lost: 2 rows (4 bytes) were sent, 1 (2 bytes) were committed";
        assert_eq!(loss(sent, total(&[(2, "b\n")])).as_deref(), Some(lost));
        let mixed_up = "the checksums differ: rows were changed or mixed up";
        assert_eq!(loss(sent, total(&[(1, "b\n"), (2, "a\n")])).as_deref(), Some(mixed_up));
    }
}
