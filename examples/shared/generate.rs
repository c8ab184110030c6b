//! A ledger of our own: the same rows on every machine and in every run.

use std::io::Write;

/// Names beyond ASCII, so that bytes and characters are not the same number.
const PAYEES: [&str; 12] = [
    "Zoë Brontë",
    "Łukasz Żółkiewski",
    "Ngô Thị Hương",
    "Søren Ærø",
    "O'Neill & Sons",
    "Škoda Příbram",
    "Iñaki Núñez",
    "Αθηνά Παππά",
    "Ольга Щукина",
    "山田 太郎",
    "Çiğdem Yıldız",
    "Smith",
];

const PURPOSES: [&str; 8] = [
    "rent",
    "invoice",
    "part delivery, balance to follow",
    "café",
    "salary including the allowance for travel and the correction of last month",
    "🚲 repair",
    "",
    "refund of a payment made twice by mistake; see the letter of the 3rd and the telephone note attached to it",
];

/// An endless source of rows.
#[derive(Debug)]
pub(crate) struct Generator {
    state: u64,
    next: u64,
}

impl Generator {
    pub(crate) const SEED: u64 = 2_026;

    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed, next: 1 }
    }

    /// A row of 40 to some 200 bytes: `0000001,2024-03-17,Søren Ærø,EUR,1204.50,rent`.
    pub(crate) fn row(&mut self) -> Vec<u8> {
        let (year, month, day) = (2000 + self.below(25), 1 + self.below(12), 1 + self.below(28));
        let payee = self.pick(&PAYEES);
        let purpose = self.pick(&PURPOSES);
        let (whole, cents) = (self.below(100_000), self.below(100));
        let mut row = Vec::with_capacity(48 + payee.len() + purpose.len());
        let number = self.next;
        self.next += 1;
        // Writing to memory cannot fail.
        let _ = writeln!(row, "{number:07},{year}-{month:02}-{day:02},{payee},EUR,{whole}.{cents:02},{purpose}");
        row
    }

    fn pick(&mut self, texts: &[&'static str]) -> &'static str {
        let n = self.below(u64::try_from(texts.len()).unwrap_or(1));
        usize::try_from(n).ok().and_then(|n| texts.get(n)).copied().unwrap_or_default()
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random() % bound
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
