use super::{MAX_FRAME, Rng, encoded, every_frame};
use crate::wire::{Frame, FrameCodec, PREFACE};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::Decoder;

fn stream() -> Vec<u8> {
    let mut bytes = PREFACE.to_vec();
    for frame in every_frame() {
        bytes.extend_from_slice(&encoded(frame));
    }
    bytes
}

/// Feeds `bytes` in pieces; the pieces' lengths come from `next`.
fn feed(bytes: &[u8], mut next: impl FnMut(&FrameCodec) -> usize) -> Vec<Frame<Bytes>> {
    let mut codec = FrameCodec::new(MAX_FRAME);
    let (mut frames, mut buffer, mut rest) = (Vec::new(), BytesMut::new(), bytes);
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(next(&codec).clamp(1, rest.len()));
        buffer.extend_from_slice(piece);
        rest = left;
        while let Some(frame) = codec.decode(&mut buffer).expect("legal") {
            frames.push(frame);
        }
    }
    assert!(!codec.is_mid_frame() && buffer.is_empty());
    assert!(codec.decode_eof(&mut buffer).expect("a clean end").is_none());
    frames
}

#[test]
fn one_byte_at_a_time() {
    assert_eq!(feed(&stream(), |_| 1), every_frame());
}

#[test]
fn exactly_what_is_wanted_each_time() {
    assert_eq!(feed(&stream(), FrameCodec::wanted), every_frame());
}

#[test]
fn split_anywhere_in_two() {
    let bytes = stream();
    for at in 1..bytes.len() {
        let mut first = Some(at);
        assert_eq!(feed(&bytes, |_| first.take().unwrap_or(usize::MAX)).len(), every_frame().len(), "at {at}");
    }
}

#[test]
fn random_splits() {
    let bytes = stream();
    for seed in 0..200 {
        let mut rng = Rng(seed);
        let longest = 1 + rng.below(6000);
        assert_eq!(feed(&bytes, |_| rng.below(longest)), every_frame(), "seed {seed}");
    }
}

#[test]
fn ends_inside_a_frame_at_every_byte_but_those_between_frames() {
    let bytes = stream();
    let mut between = vec![0, PREFACE.len()];
    for frame in every_frame() {
        between.push(between.last().unwrap() + encoded(frame).len());
    }
    for at in 0..bytes.len() {
        let mut codec = FrameCodec::new(MAX_FRAME);
        let mut buffer = BytesMut::from(&bytes[..at]);
        let end = loop {
            match codec.decode_eof(&mut buffer) {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        assert_eq!(end.is_none(), between.contains(&at), "at {at}: {end:?}");
        assert_eq!(codec.is_mid_frame(), end.is_some());
    }
}

#[test]
fn what_may_be_ignored_is_said_at_once_and_never_held() {
    let bytes = encoded(Frame::Ignored { kind: 0x55, length: 100_000 });
    let mut codec = super::started();
    let mut buffer = BytesMut::from(&bytes[..12]);
    let ignored = Frame::Ignored { kind: 0x55, length: 100_000 };
    assert_eq!(codec.decode(&mut buffer).unwrap(), Some(ignored));
    for (done, piece) in bytes[12..].chunks(1000).enumerate() {
        assert!(codec.decode(&mut buffer).unwrap().is_none());
        assert!(codec.is_mid_frame());
        assert_eq!(codec.wanted(), 100_000 - done * 1000);
        buffer.extend_from_slice(piece);
        assert!(codec.decode(&mut buffer).unwrap().is_none());
        assert!(buffer.is_empty());
    }
    assert!(!codec.is_mid_frame());
}
