//! Seeded numbers, and what is made of them.

use crate::lone::Payload;
use credit_channel::Window;
use credit_channel::wire::Code;

/// splitmix64: the same sequences on every machine.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A number as an attacker likes them.
    pub(super) fn odd(&mut self) -> u64 {
        match self.below(8) {
            0 => u64::MAX - self.below(2),
            1 => (1 << 63) - 1 + self.below(3),
            2 => (1 << 62) - 1 + self.below(3),
            3 => self.below(u64::MAX),
            _ => self.below(12),
        }
    }

    /// The right number, mostly.
    pub(super) fn near(&mut self, right: u64) -> u64 {
        match self.below(40) {
            0 => right.wrapping_sub(1),
            1 => right.wrapping_add(1),
            2 => self.odd(),
            _ => right,
        }
    }

    pub(super) fn window(&mut self) -> Window {
        let (messages, bytes) = (1 + self.below(6), 1 + self.below(60));
        match self.below(3) {
            0 => Window::messages(messages),
            1 => Window::bytes(bytes),
            _ => Window::messages(messages).and_bytes(bytes),
        }
    }

    pub(super) fn payload(&mut self) -> Payload {
        vec![7; usize::try_from(self.below(20)).expect("small")]
    }

    pub(super) fn code(&mut self) -> Code {
        Code(u32::try_from(self.below(30)).expect("small"))
    }

    pub(super) fn text(&mut self) -> String {
        "ü".repeat(if self.one_in(50) { 4_000 } else { 3 })
    }
}
