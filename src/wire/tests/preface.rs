use super::{MAX_FRAME, decoded};
use crate::wire::{Frame, FrameCodec, PREFACE, WireError};
use bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};

#[track_caller]
fn wrong(bytes: &[u8], text: &str) {
    let mut codec = FrameCodec::new(MAX_FRAME);
    let mut bytes = BytesMut::from(bytes);
    for _ in 0..2 {
        let Err(WireError::Preface(violation)) = codec.decode(&mut bytes) else { panic!("refused") };
        assert_eq!(violation.text(), text);
    }
}

#[test]
fn whoever_else_is_there_is_named() {
    wrong(b"G", "preface: byte 0 is 0x47 and not 0x89 (HTTP?)");
    wrong(b"GET / HTTP/1.1\r\n", "preface: byte 0 is 0x47 and not 0x89 (HTTP?)");
    wrong(&[0x16, 3, 1], "preface: byte 0 is 0x16 and not 0x89 (TLS?)");
    wrong(b"\x09CCH", "preface: byte 0 is 0x09 and not 0x89 (was the eighth bit dropped on the way?)");
    wrong(b"\x89CCH\n", "preface: byte 4 is 0x0a and not 0x0d (were line ends changed on the way?)");
    wrong(b"\x89PNG\r\n\x1a\n", "preface: byte 1 is 0x50 and not 0x43");
    wrong(&[0], "preface: byte 0 is 0x00 and not 0x89");
}

#[test]
fn refused_at_the_first_byte_that_differs() {
    for at in 0..PREFACE.len() {
        let mut bytes = PREFACE;
        bytes[at] ^= 0x20;
        let mut codec = FrameCodec::new(MAX_FRAME);
        assert!(codec.decode(&mut BytesMut::from(&bytes[..at])).unwrap().is_none());
        assert_eq!((codec.wanted(), codec.is_mid_frame()), (8 - at, at > 0));
        assert!(codec.decode(&mut BytesMut::from(&bytes[..=at])).is_err());
    }
}

#[test]
fn is_written_before_the_first_frame_and_read_before_it() {
    let mut codec = FrameCodec::new(MAX_FRAME);
    let mut bytes = BytesMut::new();
    codec.encode(Frame::Ping { token: 1 }, &mut bytes).unwrap();
    codec.encode(Frame::Ping { token: 2 }, &mut bytes).unwrap();
    assert_eq!(bytes[..8], PREFACE);
    assert_eq!(bytes.len(), 8 + 2 * 20);
    assert_eq!(decoded(&mut codec, &mut bytes).0, [Frame::Ping { token: 1 }, Frame::Ping { token: 2 }]);
}
