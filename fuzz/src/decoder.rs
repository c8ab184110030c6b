//! The decoder: bytes in pieces, against a reading of PROTOCOL.md that shares nothing with it.
//!
//! | byte | |
//! |---|---|
//! | 0 | bits 0 and 1: the receiver's `max_frame`; bit 2: no preface, it is put before the rest here |
//! | 1 | how the rest is cut |
//! | 2… | what comes |
//!
//! Held to: any cut gives the same frames and the same end, for good. What is accepted, and where it ends, is what the
//! reference says. Nothing is reserved for what was announced, and no more is held than the frame at hand. A frame that
//! was read can be written, says the same when it is read again, and has the bytes it came from. A message is a frame
//! of a stream, and nothing beside it.

use super::input::Input;
use super::reference::{self, End, Reading, Seen};
use bytes::{Bytes, BytesMut};
use credit_channel::wire::{Frame, FrameCodec, HEADER_LEN, LARGEST_MAX_FRAME, PREFACE, WireError, chunk_header};
use tokio_util::codec::{Decoder, Encoder};

/// Feeds a decoder one input.
pub fn decoder(data: &[u8]) {
    let mut input = Input::new(data);
    let setting = input.byte();
    let cuts = input.byte();
    let max_frame = [1_024, 4_096, 65_536, LARGEST_MAX_FRAME][usize::from(setting & 3)];
    let mut stream = if setting & 4 == 0 { Vec::new() } else { PREFACE.to_vec() };
    stream.extend_from_slice(input.rest());

    let whole = feed(&stream, max_frame, |_| usize::MAX);
    let mut state = u32::from(cuts);
    assert_eq!(whole, feed(&stream, max_frame, |_| piece(&mut state, cuts)), "cut by {cuts}");
    assert_eq!(whole, feed(&stream, max_frame, FrameCodec::wanted), "as it is wanted");
    if stream.len() <= 400 {
        assert_eq!(whole, feed(&stream, max_frame, |_| 1), "byte by byte");
    }
    let expected = reference::read(&stream, &PREFACE, size(max_frame));
    assert_same(&expected, &whole);
    for (frame, seen) in whole.frames.iter().zip(&expected.frames) {
        assert_written_back(frame, seen);
    }
    let held: usize = whole.frames.iter().map(payload_len).sum();
    assert!(held <= stream.len(), "{held} bytes of payload out of {}", stream.len());
    message(&stream[stream.len().min(PREFACE.len())..], max_frame);
}

/// What came out.
#[derive(Debug, PartialEq)]
struct Outcome {
    frames: Vec<Frame<Bytes>>,
    end: End,
    /// The answer's code and text.
    error: Option<(u32, String)>,
    wanted: usize,
}

fn feed(stream: &[u8], max_frame: u32, mut next: impl FnMut(&FrameCodec) -> usize) -> Outcome {
    let mut codec = FrameCodec::new(max_frame);
    let (mut frames, mut buffer, mut rest) = (Vec::new(), BytesMut::new(), stream);
    let error = loop {
        let (capacity, before) = (buffer.capacity(), buffer.len());
        let frame = codec.decode(&mut buffer);
        assert!(buffer.capacity() <= capacity && buffer.len() <= before, "a decoder takes, and makes no room");
        match frame {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => {
                let most = HEADER_LEN + size(max_frame);
                assert!(buffer.len() < most && (1..=most).contains(&codec.wanted()), "{codec:?}");
                assert!(codec.is_mid_frame() || buffer.is_empty(), "{codec:?}");
                if rest.is_empty() {
                    break None;
                }
                let (piece, left) = rest.split_at(next(&codec).clamp(1, rest.len()));
                buffer.extend_from_slice(piece);
                rest = left;
            }
            Err(error) => break Some(error),
        }
    };
    let Some(error) = error else {
        let (end, wanted) = (if codec.is_mid_frame() { End::Inside } else { End::Between }, codec.wanted());
        let cut = codec.decode_eof(&mut buffer);
        assert!(matches!((&cut, end), (Ok(None), End::Between) | (Err(WireError::Io(_)), End::Inside)), "{cut:?}");
        return Outcome { frames, end, error: None, wanted };
    };
    let said = told(&error);
    let left = buffer.len();
    assert_eq!(told(&codec.decode(&mut buffer).expect_err("for good")), said);
    assert_eq!(buffer.len(), left, "nothing more is taken");
    assert!(!codec.is_mid_frame());
    let end = if matches!(error, WireError::Preface(_)) { End::Foreign } else { End::Refused };
    Outcome { frames, end, error: Some(said), wanted: 0 }
}

fn told(error: &WireError) -> (u32, String) {
    let violation = error.violation().expect("the peer's fault");
    assert!(violation.text().len() < 200, "{violation}");
    (violation.code(), violation.text().to_owned())
}

/// A cut that depends on the byte alone: a few sizes, or a walk through many.
fn piece(state: &mut u32, cuts: u8) -> usize {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    usize::from(cuts & 0x3F) + usize::try_from((*state >> 16) % (1 + u32::from(cuts))).expect("small")
}

fn assert_same(expected: &Reading<'_>, outcome: &Outcome) {
    assert_eq!(expected.end, outcome.end, "{expected:?} {outcome:?}");
    assert_eq!(expected.frames.len(), outcome.frames.len(), "{expected:?} {outcome:?}");
}

/// What was read can be written, and says the same.
fn assert_written_back(frame: &Frame<Bytes>, seen: &Seen<'_>) {
    if matches!(frame, Frame::Ignored { length, .. } if *length > 65_536) {
        return;
    }
    let mut written = BytesMut::new();
    writer().encode(frame.clone(), &mut written).expect("what was legal to read is legal to write");
    let again = FrameCodec::for_messages(LARGEST_MAX_FRAME).decode_message(written.clone().freeze());
    assert_eq!(again.expect("what was written is legal"), *frame);
    assert_eq!(written[4], seen.kind);
    match frame {
        // Its reserved fields, the windows that are not counted and the TLVs are not kept.
        Frame::Hello(hello) => assert_eq!(written[HEADER_LEN + 40..], seen.body[40..56], "{hello:?}"),
        Frame::Ignored { length, .. } => assert_eq!(size(*length), seen.length),
        Frame::Error { text, .. } | Frame::Cancel { text, .. } | Frame::GoAway { text, .. } => {
            let fixed = written.len() - HEADER_LEN - text.len();
            assert_eq!(written[HEADER_LEN..HEADER_LEN + fixed], seen.body[..fixed]);
            let lossy = String::from_utf8_lossy(&seen.body[fixed..]);
            assert!(text.len() <= 4_096 && lossy.starts_with(&text[..]), "{frame:?}");
            assert!(lossy.len() <= 4_096 + 3 || text.len() > 4_096 - 4, "{frame:?}");
            assert!(lossy.len() > 4_096 || lossy.len() == text.len(), "{frame:?}");
        }
        Frame::Chunk { seq, payload } => {
            assert_eq!(written[..HEADER_LEN + 8], chunk_header(*seq, u32::try_from(payload.len()).expect("small")));
            assert_eq!(written[HEADER_LEN..], *seen.body);
        }
        _ => assert_eq!(written[HEADER_LEN..], *seen.body, "{frame:?}"),
    }
}

/// The same bytes as one message.
fn message(bytes: &[u8], max_frame: u32) {
    let one = FrameCodec::for_messages(max_frame).decode_message(Bytes::copy_from_slice(bytes));
    let expected = reference::read(bytes, &[], size(max_frame));
    let whole = expected.end == End::Between && expected.frames.len() == 1;
    assert_eq!(one.is_ok(), whole, "{expected:?} {one:?}");

    let mut codec = FrameCodec::for_messages(max_frame);
    let mut buffer = BytesMut::from(bytes);
    match codec.decode(&mut buffer) {
        Ok(None) => assert!(bytes.is_empty()),
        Ok(Some(frame)) => assert!(buffer.is_empty() && one.is_ok_and(|one| one == frame)),
        Err(error) => {
            assert_eq!(told(&error), told(&one.expect_err("the same bytes")));
            assert!(codec.decode_message(Bytes::from_static(&[0; 12])).is_err(), "for good");
        }
    }
}

fn writer() -> FrameCodec {
    let mut codec = FrameCodec::for_messages(LARGEST_MAX_FRAME);
    codec.set_peer_max_frame(LARGEST_MAX_FRAME);
    codec
}

fn payload_len(frame: &Frame<Bytes>) -> usize {
    if let Frame::Chunk { payload, .. } = frame { payload.len() } else { 0 }
}

fn size(length: u32) -> usize {
    usize::try_from(length).expect("32 bits")
}
