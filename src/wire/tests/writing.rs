use super::{decoded, hello, started};
use crate::Credit;
use crate::wire::{Code, Frame, FrameCodec, LARGEST_MAX_FRAME, Role, Units, WireError};
use bytes::{Bytes, BytesMut};
use std::io::ErrorKind;
use std::time::Duration;
use tokio_util::codec::Encoder;

/// The text of a GOAWAY after it went through `codec`.
fn through(codec: &mut FrameCodec, text: &str) -> String {
    let mut bytes = BytesMut::new();
    codec.encode(Frame::GoAway { code: Code::NONE, text: text.into() }, &mut bytes).unwrap();
    let (mut frames, error) = decoded(&mut started(), &mut bytes);
    let Some(Frame::GoAway { text, .. }) = frames.pop() else { panic!("{error:?}") };
    text
}

#[test]
fn text_is_cut_between_two_characters() {
    let mut codec = started();
    assert_eq!(through(&mut codec, &"a".repeat(4097)), "a".repeat(4096));
    assert_eq!(through(&mut codec, &"ä".repeat(3000)), "ä".repeat(2048));
    assert_eq!(through(&mut codec, &format!("a{}", "ä".repeat(3000))), format!("a{}", "ä".repeat(2047)));
    assert_eq!(through(&mut codec, &format!("abc{}", "😀".repeat(2000))), format!("abc{}", "😀".repeat(1023)));
}

#[test]
fn text_is_cut_to_what_the_peer_takes() {
    let mut codec = FrameCodec::for_messages(0);
    assert_eq!(through(&mut codec, &"a".repeat(4096)).len(), 1020, "before the peer has said");
    codec.set_peer_max_frame(2000);
    assert_eq!(through(&mut codec, &"a".repeat(4096)).len(), 1996);
    codec.set_peer_max_frame(0);
    assert_eq!(through(&mut codec, &"a".repeat(4096)).len(), 1020, "every peer takes that");
}

#[track_caller]
fn not_written(codec: &mut FrameCodec, frame: Frame<Bytes>, text: &str) {
    let mut bytes = BytesMut::new();
    let error = codec.encode(frame, &mut bytes).expect_err("not written");
    assert!(bytes.is_empty());
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, WireError::Io(error) if error.kind() == ErrorKind::InvalidInput));
}

#[test]
fn chunk_that_the_peer_does_not_take_is_not_written() {
    let mut codec = FrameCodec::for_messages(0);
    let chunk = |len| Frame::Chunk { seq: 5, payload: Bytes::from(vec![0; len]) };
    not_written(&mut codec, chunk(1017), "chunk 5 has 1017 bytes: the peer takes at most 1016");
    codec.encode(chunk(1016), &mut BytesMut::new()).unwrap();
    codec.set_peer_max_frame(u32::MAX);
    let most = usize::try_from(LARGEST_MAX_FRAME).unwrap() - 8;
    not_written(&mut codec, chunk(most + 1), "chunk 5 has 16777208 bytes: the peer takes at most 16777207");
    codec.encode(chunk(most), &mut BytesMut::new()).unwrap();
}

#[test]
fn grease_is_of_a_type_that_is_ignored() {
    let mut codec = FrameCodec::for_messages(0);
    for kind in [0, 1, 0x3F, 0x80] {
        let text = format!("type {kind:#04x} is not one that a peer ignores");
        not_written(&mut codec, Frame::Ignored { kind, length: 0 }, &text);
    }
    let text = "1025 bytes: the peer takes at most 1024";
    not_written(&mut codec, Frame::Ignored { kind: 0x4A, length: 1025 }, text);
}

#[test]
fn hello_that_no_peer_takes_is_not_written() {
    let mut codec = FrameCodec::for_messages(0);
    let mut with = |change: fn(&mut super::Hello), text: &str| {
        let mut hello = hello(Role::Consumer);
        change(&mut hello);
        not_written(&mut codec, Frame::Hello(hello), text);
    };
    with(|h| h.max_frame = 0, "HELLO.max_frame is 0: it must be 1024 to 16777215");
    with(|h| h.idle_timeout = Duration::from_nanos(1), "HELLO.idle_ms is 1: it must be 0, or 100 to 86400000");
    with(|h| h.ping_interval = Duration::MAX, "HELLO.ping_ms is 18446744073709551615: it must be at most 60000");
    with(|h| h.window = Credit::new(0, 1), "HELLO.window_messages is 0: it must be 1 to 2^62");
    with(
        |h| h.units = Units { messages: false, bytes: false },
        "HELLO.units is 0: it must be 1 (messages), 2 (bytes) or 3 (both)",
    );
}

#[test]
fn times_are_rounded_up_to_milliseconds() {
    let mut sent = hello(Role::Producer);
    sent.idle_timeout = Duration::from_micros(99_001);
    sent.ping_interval = Duration::from_nanos(1);
    let (frames, _) = decoded(&mut started(), &mut super::encoded(Frame::Hello(sent)));
    let [Frame::Hello(hello)] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(hello.idle_timeout, Duration::from_millis(100));
    assert_eq!(hello.ping_interval, Duration::from_millis(1));
}
