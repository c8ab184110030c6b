//! Numbers for people: with their thousands grouped.

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `n` of a thing, with the plural's `s` unless it is one.
pub(crate) fn count(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{count, grouped};

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 7, 999, 1000, 34_032, 1_000_000, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "34,032", "1,000,000", "18,446,744,073,709,551,615"]);
        assert_eq!([count(0, "row"), count(1, "row"), count(2, "row")], ["0 rows", "1 row", "2 rows"]);
    }
}
