//! Chunks that came together.

use super::header::CHUNK_HEADER_LEN;
use bytes::{Buf, Bytes};
use std::mem;

/// Whole chunks, one right behind the other, as they came.
///
/// They leave the read buffer in one go. A view of what has left it is had for half of what a view of the buffer
/// itself costs, which for small chunks is much of what they cost altogether.
#[derive(Debug, Default)]
pub(crate) struct Run {
    frames: Bytes,
    /// Where the next begins.
    at: usize,
}

impl Run {
    /// Of whole chunks that were judged, and nothing else.
    pub(super) fn new(frames: Bytes) -> Self {
        Self { frames, at: 0 }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The next chunk's number and payload.
    // Always inlined, as all that a chunk goes through: to hand it on through memory costs as much as the step itself.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u64, Bytes)> {
        let head: &[u8; CHUNK_HEADER_LEN] = self.frames.get(self.at..)?.first_chunk()?;
        let [l0, l1, l2, l3, _, _, _, _, _, _, _, _, seq @ ..] = *head;
        let body = usize::try_from(u32::from_be_bytes([l0, l1, l2, l3])).ok()?;
        let begin = self.at + CHUNK_HEADER_LEN;
        let end = begin - 8 + body;
        let payload = if end < self.frames.len() {
            self.at = end;
            self.frames.slice(begin..end)
        } else {
            self.take_last(begin)
        };
        Some((u64::from_be_bytes(seq), payload))
    }

    /// The last takes over what the run has of the buffer.
    fn take_last(&mut self, begin: usize) -> Bytes {
        let mut payload = mem::take(self).frames;
        payload.advance(begin);
        // Not a view of nothing: it would keep the whole buffer alive.
        if payload.is_empty() { Bytes::new() } else { payload }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use crate::wire::{Frame, FrameCodec};
    use bytes::{Bytes, BytesMut};
    use tokio_util::codec::{Decoder, Encoder};

    #[test]
    fn a_run_is_what_would_come_one_by_one() {
        let mut codec = FrameCodec::new(1 << 20);
        let mut all = BytesMut::new();
        let sizes = [5, 0, 64, 300, 0];
        let chunks = (0..).zip(sizes).map(|(seq, size)| Frame::Chunk { seq, payload: vec![7; size].into() });
        for frame in chunks.chain([Frame::Ping { token: 1 }, Frame::Chunk { seq: 5, payload: Bytes::new() }]) {
            codec.encode(frame, &mut all).unwrap();
        }
        for cut in 0..=all.len() {
            let mut codec = FrameCodec::new(1 << 20);
            let mut here = BytesMut::from(&all[..cut]);
            let mut one_by_one = Vec::new();
            while let Some(frame) = codec.decode(&mut here).unwrap() {
                one_by_one.push(frame);
            }
            let (left, begun) = (here, codec.is_mid_frame());

            let mut codec = FrameCodec::new(1 << 20);
            let mut here = BytesMut::from(&all[..cut]);
            let mut in_runs = Vec::new();
            loop {
                let mut run = codec.take_run(&mut here);
                while let Some((seq, payload)) = run.pop() {
                    in_runs.push(Frame::Chunk { seq, payload });
                }
                assert!(run.is_empty(), "nothing is held for what is gone");
                let Some(frame) = codec.decode(&mut here).unwrap() else { break };
                in_runs.push(frame);
            }
            assert_eq!(in_runs, one_by_one);
            assert_eq!((here, codec.is_mid_frame()), (left, begun));
        }
    }
}
