//! What was read off a connection, as frames.

use bytes::{Bytes, BytesMut};
use credit_channel::wire::{Frame, FrameCodec, PREFACE};
use tokio_util::codec::Decoder;

/// The whole frames at the front of what was read, each with where it ends.
pub(crate) fn frames(tape: &[u8]) -> Vec<(u64, Frame<Bytes>)> {
    let mut codec = FrameCodec::new(1 << 20);
    let mut bytes = BytesMut::from(tape);
    let mut frames = Vec::new();
    while let Some(frame) = codec.decode(&mut bytes).expect("this side speaks the protocol") {
        let end = tape.len() - bytes.len();
        debug_assert!(end > PREFACE.len());
        frames.push((u64::try_from(end).expect("a length"), frame));
    }
    frames
}

/// Whether the peer introduced itself.
pub(crate) fn said_hello(frames: &[(u64, Frame<Bytes>)]) -> bool {
    matches!(frames.first(), Some((_, Frame::Hello(_))))
}

/// Where END ends, if it is there.
pub(crate) fn end_of_end(frames: &[(u64, Frame<Bytes>)]) -> Option<u64> {
    frames.iter().find_map(|(end, frame)| matches!(frame, Frame::End { .. }).then_some(*end))
}

pub(crate) fn chunks(frames: &[(u64, Frame<Bytes>)]) -> u64 {
    let chunks = frames.iter().filter(|(_, frame)| matches!(frame, Frame::Chunk { .. }));
    u64::try_from(chunks.count()).expect("few")
}

/// Of how many chunks the work was said to be done.
pub(crate) fn released(frames: &[(u64, Frame<Bytes>)]) -> u64 {
    let last = frames.iter().rev().find_map(|(_, frame)| match frame {
        Frame::Credit(grant) => Some(grant.released.messages()),
        _ => None,
    });
    last.unwrap_or(0)
}
