use super::{Rng, encoded, every_frame};
use crate::wire::{Frame, FrameCodec, PREFACE};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

const MAX_FRAME: u32 = 2048;

/// Frames, then damaged; or noise from the first byte on.
fn input(rng: &mut Rng, frames: &[BytesMut]) -> BytesMut {
    let mut bytes = BytesMut::from(&PREFACE[..]);
    if rng.below(8) == 0 {
        bytes.extend((0..rng.below(100)).map(|_| rng.byte()));
        return bytes;
    }
    for _ in 0..1 + rng.below(4) {
        bytes.extend_from_slice(&frames[rng.below(frames.len())]);
    }
    for _ in 0..rng.below(6) {
        // Damage where it tells: mostly in the first frame's header and first fields.
        let within = if rng.below(2) == 0 { bytes.len().min(70) } else { bytes.len() };
        let at = 8 + rng.below(within - 8);
        match rng.below(4) {
            0 => bytes[at] = rng.byte(),
            1 => bytes[at] ^= 1 << rng.below(8),
            2 => bytes[at] = [0, 1, 2, 0x7F, 0x80, 0xFF][rng.below(6)],
            _ => bytes.truncate(at.max(9)),
        }
    }
    bytes
}

/// How much a frame holds of what came.
fn held(frame: &Frame<Bytes>) -> usize {
    match frame {
        Frame::Chunk { payload, .. } => payload.len() + 8,
        Frame::Error { text, .. } | Frame::Cancel { text, .. } | Frame::GoAway { text, .. } => text.len(),
        _ => 0,
    }
}

#[test]
fn no_input_makes_it_panic_or_hold_more_than_it_should() {
    let max_frame = usize::try_from(MAX_FRAME).unwrap();
    let frames: Vec<_> = every_frame().into_iter().map(encoded).filter(|bytes| bytes.len() <= max_frame).collect();
    let (mut whole, mut refused, mut short) = (0, 0, 0);
    for seed in 0..200_000 {
        let mut rng = Rng(seed);
        let source = input(&mut rng, &frames);
        let mut source = &source[..];
        let mut codec = FrameCodec::new(MAX_FRAME);
        let mut buffer = BytesMut::new();
        let error = loop {
            match codec.decode(&mut buffer) {
                Ok(Some(frame)) => {
                    assert!(held(&frame) <= max_frame.max(4096), "seed {seed}: {frame:?}");
                    again(&frame);
                    whole += 1;
                }
                Ok(None) if source.is_empty() => break None,
                Ok(None) => {
                    assert!(buffer.len() < 12 + max_frame, "seed {seed}");
                    assert!((1..=12 + max_frame).contains(&codec.wanted()), "seed {seed}");
                    let (piece, rest) = source.split_at(1 + rng.below(source.len()));
                    buffer.extend_from_slice(piece);
                    source = rest;
                }
                Err(error) => break Some(error),
            }
        };
        match error {
            Some(error) => {
                let violation = error.violation().expect("the peer's fault");
                assert!(violation.text().len() < 200);
                assert!(codec.decode(&mut buffer).is_err(), "seed {seed}: for good");
                refused += 1;
            }
            None => short += u32::from(codec.is_mid_frame()),
        }
    }
    // Each way out was taken often.
    assert!(whole > 100_000 && refused > 20_000 && short > 20_000, "{whole} {refused} {short}");
}

/// What was read can be written, and says the same.
fn again(frame: &Frame<Bytes>) {
    let (mut codec, mut bytes) = (FrameCodec::for_messages(MAX_FRAME), BytesMut::new());
    codec.set_peer_max_frame(1 << 20);
    codec.encode(frame.clone(), &mut bytes).expect("a legal frame");
    let mut codec = FrameCodec::for_messages(1 << 20);
    assert_eq!(codec.decode(&mut bytes).expect("a legal frame").as_ref(), Some(frame));
}
