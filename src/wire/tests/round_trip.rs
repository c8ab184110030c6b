use super::{decoded, encoded, every_frame, hello, raw, started};
use crate::Credit;
use crate::wire::{Frame, Role, Units, Version, chunk_header};
use bytes::{Bytes, BytesMut};
use std::time::Duration;
use tokio_util::codec::Decoder;

#[test]
fn every_frame_comes_back_as_it_was() {
    for frame in every_frame() {
        let mut bytes = encoded(frame.clone());
        let (frames, error) = decoded(&mut started(), &mut bytes);
        assert_eq!(frames, [frame]);
        assert!(error.is_none() && bytes.is_empty());
    }
}

#[test]
fn all_of_them_in_one_buffer() {
    let mut bytes = BytesMut::new();
    for frame in every_frame() {
        bytes.unsplit(encoded(frame));
    }
    assert_eq!(decoded(&mut started(), &mut bytes).0, every_frame());
}

#[test]
fn hello_at_the_ends_of_its_bounds() {
    let least = |role| {
        let mut hello = hello(role);
        hello.version = Version { major: 1, minor: 255 };
        hello.max_frame = 1024;
        hello.idle_timeout = Duration::from_millis(100);
        hello.ping_interval = Duration::ZERO;
        hello
    };
    let mut most = hello(Role::Consumer);
    most.features = u32::MAX;
    most.max_frame = (1 << 24) - 1;
    most.idle_timeout = Duration::from_millis(86_400_000);
    most.ping_interval = Duration::from_millis(60_000);
    most.window = Credit::new(1 << 62, 1 << 62);
    let mut never = least(Role::Producer);
    never.idle_timeout = Duration::ZERO;
    let mut smallest = least(Role::Consumer);
    smallest.window = Credit::new(1, 1);
    for hello in [least(Role::Producer), smallest, most, never] {
        let (frames, error) = decoded(&mut started(), &mut encoded(Frame::Hello(hello.clone())));
        assert_eq!(frames, [Frame::Hello(hello)], "{error:?}");
    }
}

#[test]
fn window_is_zero_in_what_it_does_not_count_and_for_a_producer() {
    for (units, window) in [((true, false), Credit::new(64, 0)), ((false, true), Credit::new(0, 1 << 20))] {
        let mut one = hello(Role::Consumer);
        one.units = Units { messages: units.0, bytes: units.1 };
        // All sixteen bytes of the window, in a frame that does not count both.
        let mut bytes = encoded(Frame::Hello(hello(Role::Consumer)));
        bytes[15] = u8::from(units.0) | u8::from(units.1) << 1;
        one.window = window;
        assert_eq!(decoded(&mut started(), &mut bytes).0, [Frame::Hello(one.clone())]);

        one.window = Credit::new(64, 1 << 20);
        let (frames, _) = decoded(&mut started(), &mut encoded(Frame::Hello(one.clone())));
        assert_eq!(frames, [Frame::Hello(crate::wire::Hello { window, ..one })]);
    }
    let mut bytes = encoded(Frame::Hello(hello(Role::Consumer)));
    bytes[14] = 1;
    assert_eq!(decoded(&mut started(), &mut bytes).0, [Frame::Hello(hello(Role::Producer))]);
}

#[test]
fn tlvs_that_may_be_ignored_are() {
    let mut body = encoded(Frame::Hello(hello(Role::Producer)));
    let body = body.split_off(12);
    for tlvs in [&[0, 0, 0, 0][..], &[0x7F, 0xFF, 0, 2, 9, 9, 0, 1, 0, 0], &[&[0, 7, 3, 0xC4][..], &[1; 964]].concat()]
    {
        let body = [&body[..], tlvs].concat();
        let mut bytes = raw(u32::try_from(body.len()).unwrap(), 1, 0, 0, 0, &body);
        assert_eq!(decoded(&mut started(), &mut bytes).0, [Frame::Hello(hello(Role::Producer))]);
    }
}

#[test]
fn undefined_flags_and_reserved_fields_are_ignored() {
    for frame in every_frame() {
        let mut bytes = encoded(frame.clone());
        bytes[5] |= 0xFE; // all but DISCARD
        bytes[6] = 0xAB;
        bytes[7] = 0xCD;
        if let Frame::Hello(_) = frame {
            bytes[15] |= 0xFC; // units
            bytes[32..36].fill(0xFF);
        }
        assert_eq!(decoded(&mut started(), &mut bytes).0, [frame]);
    }
}

#[test]
fn chunk_header_is_what_the_encoder_writes() {
    for (seq, len) in [(0, 0), (7, 64), (u64::MAX, 70_000)] {
        let payload = Bytes::from(vec![1; len]);
        let bytes = encoded(Frame::Chunk { seq, payload: payload.clone() });
        let parts = [&chunk_header(seq, u32::try_from(len).unwrap())[..], &payload].concat();
        assert_eq!(bytes, parts);
    }
    assert_eq!(chunk_header(0, u32::MAX)[..4], [0xFF; 4]);
}

#[test]
fn payload_is_a_view_of_the_buffer() {
    let mut bytes = encoded(Frame::Chunk { seq: 0, payload: Bytes::from(vec![1; 4000]) });
    let at = bytes[20..].as_ptr();
    let Some(Frame::Chunk { payload, .. }) = started().decode(&mut bytes).unwrap() else { panic!("a chunk") };
    assert_eq!(payload.as_ptr(), at);
}

#[test]
fn text_that_is_no_utf_8_is_replaced() {
    let mut bytes = raw(9, 0x0B, 0, 0, 0, &[0, 0, 0, 1, b'a', 0xFF, b'b', 0xC3, 0x28]);
    let (frames, _) = decoded(&mut started(), &mut bytes);
    assert_eq!(frames, [Frame::GoAway { code: super::Code::PROTOCOL, text: "a\u{FFFD}b\u{FFFD}(".into() }]);
}

#[test]
fn text_stays_bounded_where_replacing_makes_it_longer() {
    let mut bytes = raw(4100, 0x0B, 0, 0, 0, &[&[0; 4][..], &[0xFF; 4096]].concat());
    let (frames, _) = decoded(&mut started(), &mut bytes);
    let [Frame::GoAway { text, .. }] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(text.len(), 4095, "whole replacement characters of three bytes");
}
