//! Bytes on their way out.

use bytes::{Buf, Bytes, BytesMut};
use std::collections::VecDeque;
use std::io::IoSlice;

/// What waits to be written: small pieces gathered into one buffer, large payloads as they are, so that they
/// are never copied and go out in one vectored write with what is before and behind them.
#[derive(Debug, Default)]
pub(super) struct WriteQueue {
    sealed: VecDeque<Bytes>,
    tail: BytesMut,
    length: usize,
    /// What the buffer for small pieces has room for by now.
    room: usize,
}

impl WriteQueue {
    /// From this size on a payload is not copied: below, copying is cheaper than another piece in the write.
    const LARGE: usize = 8 << 10;
    /// What one small piece and its header take, mostly.
    const SMALL: usize = 256;
    /// What the buffer for small pieces has room for, at first and at last: twice as much each time it is full.
    const TAIL: std::ops::RangeInclusive<usize> = 1 << 10..=64 << 10;

    /// Writes a small piece, a header or a whole frame, behind what is queued.
    pub(super) fn with_tail<R>(&mut self, write: impl FnOnce(&mut BytesMut) -> R) -> R {
        self.make_room();
        let before = self.tail.len();
        let result = write(&mut self.tail);
        self.length += self.tail.len() - before;
        result
    }

    /// A payload and the header before it, behind what is queued.
    #[inline]
    pub(super) fn push(&mut self, header: &[u8], payload: Bytes) {
        self.make_room();
        self.tail.extend_from_slice(header);
        self.length += header.len() + payload.len();
        if payload.len() < Self::LARGE {
            self.tail.extend_from_slice(&payload);
        } else {
            self.sealed.push_back(self.tail.split().freeze());
            self.sealed.push_back(payload);
        }
    }

    /// Room for a small piece. In one go: what is written bit by bit would else grow bit by bit, after every write anew.
    #[inline]
    fn make_room(&mut self) {
        if self.tail.capacity() - self.tail.len() < Self::SMALL {
            self.room = (self.room * 2).clamp(*Self::TAIL.start(), *Self::TAIL.end());
            self.tail.reserve(self.room);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }
}

impl Buf for WriteQueue {
    fn remaining(&self) -> usize {
        self.length
    }

    fn chunk(&self) -> &[u8] {
        self.sealed.front().map_or(&self.tail[..], |first| &first[..])
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let pieces = self.sealed.iter().map(|piece| &piece[..]).chain([&self.tail[..]]);
        let mut used = 0;
        for (slice, piece) in slices.iter_mut().zip(pieces.filter(|piece| !piece.is_empty())) {
            *slice = IoSlice::new(piece);
            used += 1;
        }
        used
    }

    fn advance(&mut self, mut count: usize) {
        self.length -= count;
        while let Some(first) = self.sealed.front_mut() {
            if count < first.len() {
                first.advance(count);
                return;
            }
            count -= first.len();
            self.sealed.pop_front();
        }
        self.tail.advance(count);
    }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::WriteQueue;
    use bytes::{Buf, BufMut, Bytes};

    #[test]
    fn pieces_come_out_in_order_however_they_are_taken() {
        for step in [1, 7, 4096, 20_000, 1 << 20] {
            let mut queue = WriteQueue::default();
            let mut expected = Vec::new();
            for (n, size) in [3_usize, 9000, 0, 8192, 8191, 30_000, 5].into_iter().enumerate() {
                let payload = vec![u8::try_from(n).unwrap(); size];
                queue.with_tail(|tail| tail.put_u8(0xAA));
                expected.extend_from_slice(&[0xAA, 0xBB, 0xCC]);
                expected.extend_from_slice(&payload);
                queue.push(&[0xBB, 0xCC], Bytes::from(payload));
            }
            let mut out = Vec::new();
            while queue.has_remaining() {
                let mut slices = [std::io::IoSlice::new(&[]); 4];
                let used = queue.chunks_vectored(&mut slices);
                let seen: Vec<u8> = slices[..used].iter().flat_map(|slice| slice.to_vec()).take(step).collect();
                out.extend_from_slice(&seen);
                queue.advance(seen.len());
            }
            assert_eq!(out, expected, "step {step}");
            assert_eq!(queue.len(), 0);
        }
    }
}
