use super::{Rng, raw};
use crate::wire::{FrameCodec, LARGEST_MAX_FRAME, PREFACE};
use bytes::BytesMut;
use tokio_util::codec::Decoder;

/// A codec that has read the preface, and takes all that can be announced.
fn generous() -> FrameCodec {
    let mut codec = FrameCodec::new(u32::MAX);
    codec.decode(&mut BytesMut::from(&PREFACE[..])).unwrap();
    codec
}

#[test]
fn nothing_is_reserved_for_what_was_announced() {
    let most = usize::try_from(LARGEST_MAX_FRAME).unwrap();
    for (kind, channel) in [(0x02, 1), (0x40, 0), (0x7F, 7)] {
        let mut codec = generous();
        let mut buffer = BytesMut::with_capacity(64);
        buffer.extend_from_slice(&raw(LARGEST_MAX_FRAME, kind, 0, 0, channel, &[1; 40]));
        let (at, capacity) = (buffer.as_ptr(), buffer.capacity());
        while codec.decode(&mut buffer).unwrap().is_some() {}
        assert!(buffer.capacity() <= capacity, "type {kind:#x}");
        assert!(kind != 0x02 || buffer.as_ptr() == at, "not moved either");
        assert_eq!(codec.wanted(), most - 40);
        assert!(codec.is_mid_frame());
    }
}

#[test]
fn a_thousand_announced_giants_cost_what_was_sent() {
    let mut held = 0;
    let mut peers = Vec::new();
    for _ in 0..1000 {
        let mut codec = generous();
        let mut buffer = BytesMut::new();
        buffer.extend_from_slice(&raw(LARGEST_MAX_FRAME, 0x02, 0, 0, 1, &[0]));
        assert!(codec.decode(&mut buffer).unwrap().is_none());
        held += buffer.capacity();
        peers.push((codec, buffer));
    }
    assert!(held <= 1000 * 64, "{held}");
}

#[test]
fn an_empty_payload_holds_no_buffer() {
    let mut buffer = BytesMut::with_capacity(1 << 16);
    buffer.extend_from_slice(&raw(8, 0x02, 0, 0, 1, &[0; 8]));
    let chunk = generous().decode(&mut buffer).unwrap().expect("a chunk");
    let at = buffer.as_ptr();
    drop(buffer.split());
    buffer.reserve(60_000);
    assert!(at.addr().abs_diff(buffer.as_ptr().addr()) <= 20, "the buffer was taken back and used again");
    drop(chunk);
}

#[test]
fn growing_with_what_has_arrived_takes_a_frame_in_few_steps() {
    // The policy of a reader: at most what is wanted, at most what is there already, at least 64 KiB.
    let mut codec = generous();
    let mut source = raw(LARGEST_MAX_FRAME, 0x02, 0, 0, 1, &[]).to_vec();
    source.resize(12 + usize::try_from(LARGEST_MAX_FRAME).unwrap(), 9);
    let (mut source, mut buffer, mut steps) = (&source[..], BytesMut::new(), 0);
    let mut rng = Rng(1);
    loop {
        if codec.decode(&mut buffer).unwrap().is_some() {
            break;
        }
        let room = codec.wanted().min(buffer.len().max(1 << 16));
        buffer.reserve(room);
        assert!(buffer.capacity() <= 4 * buffer.len().max(1 << 16));
        let (piece, rest) = source.split_at(1 + rng.below(room));
        buffer.extend_from_slice(piece);
        source = rest;
        steps += 1;
    }
    assert!(steps < 100, "{steps}");
}
