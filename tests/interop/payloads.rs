//! What the chunks carry. The counterpart of `python/payloads.py`: the lengths are known to both ends, the bytes only
//! to who sends them, and a checksum says whether both saw the same.

use bytes::Bytes;

/// Below this many bytes, unless a test says otherwise; the peer's default as well.
pub(crate) const SIZES: u64 = 512;

/// The length of chunk `seq`'s payload.
pub(crate) fn length_of(seq: u64, sizes: u64) -> u64 {
    seq * 7919 % sizes
}

/// Payloads whose bytes nobody could guess from those before.
pub(crate) fn payloads(count: u64, sizes: u64) -> impl Iterator<Item = Bytes> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..count).map(move |seq| {
        let next = |_| {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_be_bytes()[0]
        };
        (0..length_of(seq, sizes)).map(next).collect()
    })
}

/// A CRC-32 (zlib's) over every payload and its length, in order.
pub(crate) struct Checksum(u32);

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(!0)
    }

    pub(crate) fn add(&mut self, payload: &[u8]) {
        let length = u32::try_from(payload.len()).expect("a payload of a test is short");
        for byte in length.to_be_bytes().iter().chain(payload) {
            self.0 ^= u32::from(*byte);
            for _ in 0..8 {
                self.0 = (self.0 >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(self.0 & 1));
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("{:08x}", !self.0)
    }
}

#[test]
fn the_checksum_is_the_usual_crc_32() {
    // The check value of CRC-32/ISO-HDLC for "123456789", with its length in front taken out again.
    let mut crc = Checksum::new();
    crc.add(b"");
    assert_eq!(crc.text(), "2144df1c", "of four zero bytes");
}
