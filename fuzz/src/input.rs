//! Decisions, read from the bytes of an input.

/// Reads decisions off an input, one byte or a few at a time. At its end every decision is 0.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// 0 to n − 1.
    pub(crate) fn below(&mut self, n: u8) -> u8 {
        self.byte() % n
    }

    pub(crate) fn yes(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub(crate) fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    /// A number as an attacker likes them.
    pub(crate) fn odd(&mut self) -> u64 {
        let near = u64::from(self.byte());
        match near >> 5 {
            0 => near,
            1 => u64::MAX - near % 3,
            2 => (1 << 63) - 1 + near % 3,
            3 => (1 << 62) - 1 + near % 3,
            4 => (1 << 32) - 1 + near % 3,
            5 => 1 << (near % 32 * 2),
            _ => self.word(),
        }
    }

    /// The right number, mostly.
    pub(crate) fn near(&mut self, right: u64) -> u64 {
        match self.byte() {
            0xFF => right.wrapping_add(1),
            0xFE => right.wrapping_sub(1),
            0xF8..=0xFD => self.odd(),
            _ => right,
        }
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// As many bytes as the next byte says, if there are so many.
    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let len = usize::from(self.byte()).min(self.0.len());
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }
}
