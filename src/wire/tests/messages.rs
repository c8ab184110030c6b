use super::{MAX_FRAME, encoded, every_frame, raw};
use crate::wire::{Code, Frame, FrameCodec};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

fn codec() -> FrameCodec {
    let mut codec = FrameCodec::for_messages(MAX_FRAME);
    codec.set_peer_max_frame(MAX_FRAME);
    codec
}

#[test]
fn one_frame_each_and_no_preface() {
    let (mut both, mut message) = (codec(), BytesMut::new());
    for frame in every_frame() {
        both.encode(frame.clone(), &mut message).unwrap();
        assert_eq!(message, encoded(frame.clone()));
        assert_eq!(both.decode_message(message.clone().freeze()).unwrap(), frame);
        assert_eq!(both.decode(&mut message).unwrap(), Some(frame));
        assert_eq!(both.decode(&mut message).unwrap(), None);
        assert_eq!((both.wanted(), both.is_mid_frame()), (0, false));
    }
}

#[test]
fn payload_is_a_view_of_the_message() {
    let message = encoded(Frame::Chunk { seq: 0, payload: Bytes::from(vec![1; 64]) }).freeze();
    let Frame::Chunk { payload, .. } = codec().decode_message(message.clone()).unwrap() else { panic!("a chunk") };
    assert_eq!(payload.as_ptr(), message[20..].as_ptr());
}

#[test]
fn length_that_is_not_the_messages() {
    let refused = |message: &[u8], text: &str| {
        let error = codec().decode_message(Bytes::copy_from_slice(message)).unwrap_err();
        let violation = error.violation().unwrap();
        assert_eq!((Code(violation.code()), violation.text()), (Code::FRAME_SIZE, text));
        if !message.is_empty() {
            assert!(codec().decode(&mut BytesMut::from(message)).is_err());
        }
    };
    refused(&[], "a message of 0 bytes: a frame's header has 12");
    refused(&[0; 11], "a message of 11 bytes: a frame's header has 12");
    let ping = encoded(Frame::Ping { token: 1 });
    refused(&ping[..19], "PING.length is 8: the message has 7 bytes after its header");
    refused(&[&ping[..], &[0]].concat(), "PING.length is 8: the message has 9 bytes after its header");
    refused(&[&ping[..], &ping[..]].concat(), "PING.length is 8: the message has 28 bytes after its header");
    let unknown = raw(3, 0x44, 0, 0, 0, &[1, 2]);
    refused(&unknown, "frame.length is 3: the message has 2 bytes after its header");
}
