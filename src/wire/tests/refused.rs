//! Each way to be malformed: the code, and the field that the text names.

use super::{MAX_FRAME, decoded, encoded, hello, raw, started};
use crate::wire::{Code, Frame, Role};
use bytes::BytesMut;

/// That `bytes` are refused, with this code, with a text that begins so.
#[track_caller]
fn refused(mut bytes: BytesMut, code: Code, text: &str) {
    let mut codec = started();
    let (frames, error) = decoded(&mut codec, &mut bytes);
    assert_eq!(frames, []);
    let error = error.expect("refused");
    let violation = error.violation().expect("the peer's fault").clone();
    assert_eq!((Code(violation.code()), violation.text()), (code, text));

    // For good, whatever comes then.
    let mut more = encoded(Frame::Drain);
    assert_eq!(decoded(&mut codec, &mut more).1.unwrap().violation(), Some(&violation));
    assert_eq!(codec.decode_message(more.freeze()).unwrap_err().violation(), Some(&violation));
    assert_eq!((codec.wanted(), codec.is_mid_frame()), (0, false));
}

/// That a header alone is refused.
#[track_caller]
fn header(length: u32, kind: u8, channel: u32, code: Code, text: &str) {
    refused(raw(length, kind, 0, 0, channel, &[]), code, text);
}

#[test]
fn lengths_from_the_header_alone() {
    let size = Code::FRAME_SIZE;
    header(1, 0x01, 0, size, "HELLO.length is 1: it must be at least 2");
    header(1025, 0x01, 0, size, "HELLO.length is 1025: it must be at most 1024");
    header(7, 0x02, 1, size, "CHUNK.length is 7: it must be at least 8");
    header(0, 0x02, 1, size, "CHUNK.length is 0: it must be at least 8");
    header(MAX_FRAME + 1, 0x02, 1, size, "CHUNK.length is 1048577: max_frame here is 1048576");
    header(u32::MAX, 0x02, 1, size, "CHUNK.length is 4294967295: max_frame here is 1048576");
    for wrong in [47, 49] {
        header(wrong, 0x03, 1, size, &format!("CREDIT.length is {wrong}: it must be 48"));
    }
    header(8, 0x04, 1, size, "END.length is 8: it must be 16");
    header(15, 0x05, 1, size, "ERROR.length is 15: it must be at least 16");
    header(4113, 0x05, 1, size, "ERROR.length is 4113: it must be at most 4112");
    header(7, 0x06, 1, size, "CANCEL.length is 7: it must be at least 8");
    header(4105, 0x06, 1, size, "CANCEL.length is 4105: it must be at most 4104");
    header(0, 0x07, 0, size, "PING.length is 0: it must be 8");
    header(9, 0x08, 0, size, "PONG.length is 9: it must be 8");
    header(8, 0x09, 1, size, "BLOCKED.length is 8: it must be 16");
    header(1, 0x0A, 1, size, "DRAIN.length is 1: it must be 0");
    header(3, 0x0B, 0, size, "GOAWAY.length is 3: it must be at least 4");
    header(4101, 0x0B, 0, size, "GOAWAY.length is 4101: it must be at most 4100");
    header(MAX_FRAME + 1, 0x40, 9, size, "a frame of type 0x40.length is 1048577: max_frame here is 1048576");
}

#[test]
fn types_that_are_unknown_and_not_to_be_ignored() {
    for kind in [0x00, 0x0C, 0x3F, 0x80, 0xFF] {
        header(0, kind, 0, Code::PROTOCOL, &format!("type is {kind:#04x}: unknown and not to be ignored"));
    }
}

#[test]
fn channels() {
    let names = ["HELLO", "CHUNK", "CREDIT", "END", "ERROR", "CANCEL", "PING", "PONG", "BLOCKED", "DRAIN", "GOAWAY"];
    for (kind, name) in (1..).zip(names) {
        let right = if matches!(name, "HELLO" | "PING" | "PONG" | "GOAWAY") { 0 } else { 1 };
        for wrong in [1 - right, 2, 1 << 24, u32::MAX] {
            let text = format!("{name}.channel is {wrong}: it must be {right}");
            header(8, kind, wrong, Code::PROTOCOL, &text);
        }
    }
}

/// A HELLO of a consumer with so many bytes of its body changed.
#[track_caller]
fn changed(at: usize, new: &[u8], code: Code, text: &str) {
    let mut bytes = encoded(Frame::Hello(hello(Role::Consumer)));
    bytes[12 + at..12 + at + new.len()].copy_from_slice(new);
    refused(bytes, code, text);
}

#[test]
fn fields_of_hello() {
    let rule = Code::PROTOCOL;
    changed(2, &[0], rule, "HELLO.role is 0: it must be 1 (producer) or 2 (consumer)");
    changed(2, &[3], rule, "HELLO.role is 3: it must be 1 (producer) or 2 (consumer)");
    changed(3, &[0], rule, "HELLO.units is 0: it must be 1 (messages), 2 (bytes) or 3 (both)");
    changed(3, &[0xFC], rule, "HELLO.units is 0: it must be 1 (messages), 2 (bytes) or 3 (both)");
    for wrong in [0, 1023, 1 << 24, u32::MAX] {
        let text = format!("HELLO.max_frame is {wrong}: it must be 1024 to 16777215");
        changed(8, &wrong.to_be_bytes(), rule, &text);
    }
    for wrong in [1, 99, 86_400_001, u32::MAX] {
        let text = format!("HELLO.idle_ms is {wrong}: it must be 0, or 100 to 86400000");
        changed(12, &wrong.to_be_bytes(), rule, &text);
    }
    for wrong in [60_001, u32::MAX] {
        changed(16, &wrong.to_be_bytes(), rule, &format!("HELLO.ping_ms is {wrong}: it must be at most 60000"));
    }
    for wrong in [0, (1 << 62) + 1, u64::MAX] {
        let text = format!("HELLO.window_messages is {wrong}: it must be 1 to 2^62");
        changed(24, &wrong.to_be_bytes(), rule, &text);
        let text = format!("HELLO.window_bytes is {wrong}: it must be 1 to 2^62");
        changed(32, &wrong.to_be_bytes(), rule, &text);
    }
}

#[test]
fn versions() {
    for major in [0, 2, 255] {
        let text = format!("HELLO.major is {major}: only version 1 is spoken here");
        changed(0, &[major], Code::VERSION, &text);
        // Nothing else of such a HELLO is looked at: not even that it is shorter than ours.
        refused(raw(2, 1, 0, 0, 0, &[major, 0]), Code::VERSION, &text);
        refused(raw(9, 1, 0, 0, 0, &[major, 9, 9, 9, 9, 9, 9, 9, 9]), Code::VERSION, &text);
    }
    refused(raw(2, 1, 0, 0, 0, &[1, 0]), Code::FRAME_SIZE, "HELLO.length is 2: it must be at least 56");
    let text = "HELLO.length is 55: it must be at least 56";
    refused(raw(55, 1, 0, 0, 0, &[&[1][..], &[0; 54]].concat()), Code::FRAME_SIZE, text);
}

#[test]
fn tlvs_of_hello() {
    let mut body = encoded(Frame::Hello(hello(Role::Producer)));
    let body = body.split_off(12);
    let tlv = |tlvs: &[u8], code, text: &str| {
        let body = [&body[..], tlvs].concat();
        refused(raw(u32::try_from(body.len()).unwrap(), 1, 0, 0, 0, &body), code, text);
    };
    let cut = "HELLO.tlv: its type and length run over the body's end";
    tlv(&[0], Code::FRAME_SIZE, cut);
    tlv(&[0, 1, 0], Code::FRAME_SIZE, cut);
    tlv(&[0, 1, 0, 1], Code::FRAME_SIZE, "HELLO.tlv.length is 1 for type 0x0001: it runs over the body's end");
    tlv(&[0, 0, 0, 0, 9], Code::FRAME_SIZE, cut);
    tlv(
        &[0x7F, 0xFF, 0xFF, 0xFF, 1],
        Code::FRAME_SIZE,
        "HELLO.tlv.length is 65535 for type 0x7fff: it runs over the body's end",
    );
    for kind in [0x8000_u16, 0xFFFF] {
        let [high, low] = kind.to_be_bytes();
        let text = format!("HELLO.tlv.type is {kind:#06x}: unknown and not to be ignored");
        tlv(&[0, 0, 0, 0, high, low, 0, 0], Code::PROTOCOL, &text);
    }
}
