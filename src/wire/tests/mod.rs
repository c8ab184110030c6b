mod document;
mod growth;
mod messages;
mod preface;
mod refused;
mod round_trip;
mod seeded;
mod splits;
mod writing;

use super::{Code, Frame, FrameCodec, Grant, Hello, Role, Units, Version, WireError};
use crate::Credit;
use bytes::{Bytes, BytesMut};
use std::time::Duration;
use tokio_util::codec::{Decoder, Encoder};

const MAX_FRAME: u32 = 1 << 20;

/// splitmix64: the same bytes on every machine.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n).expect("small")).expect("small")
    }

    fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }
}

fn hello(role: Role) -> Hello {
    Hello {
        version: Version::CURRENT,
        role,
        units: Units { messages: true, bytes: true },
        features: 0,
        max_frame: MAX_FRAME,
        idle_timeout: Duration::from_secs(30),
        ping_interval: Duration::from_secs(1),
        window: if role == Role::Consumer { Credit::new(64, 1 << 20) } else { Credit::ZERO },
        session: *b"0123456789abcdef",
    }
}

/// Every kind of frame, and the ends of what its fields can hold.
fn every_frame() -> Vec<Frame<Bytes>> {
    let most = Credit::new(u64::MAX, u64::MAX);
    let longest = "ä".repeat(2048);
    vec![
        Frame::Hello(hello(Role::Producer)),
        Frame::Hello(hello(Role::Consumer)),
        Frame::Chunk { seq: 0, payload: Bytes::new() },
        Frame::Chunk { seq: u64::MAX, payload: Bytes::from_static(b"x") },
        Frame::Chunk { seq: 3, payload: Bytes::from(vec![7; 5000]) },
        Frame::Credit(Grant::default()),
        Frame::Credit(Grant { limit: most, released: Credit::new(1, 2), window: Credit::new(3, 4) }),
        Frame::Credit(Grant { limit: Credit::new(5, 6), released: most, window: most }),
        Frame::End { count: 0, bytes: 0 },
        Frame::End { count: u64::MAX, bytes: u64::MAX - 1 },
        Frame::Error { code: Code::FAILED, detail: 74, count: 9, discard: false, text: "disk gone".into() },
        Frame::Error { code: Code(u32::MAX), detail: u32::MAX, count: u64::MAX, discard: true, text: longest.clone() },
        Frame::Cancel { code: Code::NONE, detail: 0, text: String::new() },
        Frame::Cancel { code: Code::APPLICATION, detail: u32::MAX, text: longest.clone() },
        Frame::Ping { token: 0 },
        Frame::Ping { token: u64::MAX },
        Frame::Pong { token: 0x0102_0304_0506_0708 },
        Frame::Blocked { limit: Credit::ZERO },
        Frame::Blocked { limit: most },
        Frame::Drain,
        Frame::GoAway { code: Code::SHUTDOWN, text: "später".into() },
        Frame::GoAway { code: Code(27), text: longest },
        Frame::Ignored { kind: 0x40, length: 0 },
        Frame::Ignored { kind: 0x7F, length: 3000 },
    ]
}

/// A codec that is past the preface, both ways.
fn started() -> FrameCodec {
    let mut codec = FrameCodec::new(MAX_FRAME);
    codec.set_peer_max_frame(MAX_FRAME);
    let mut preface = BytesMut::new();
    codec.encode(Frame::Drain, &mut preface).expect("written");
    assert_eq!(codec.decode(&mut preface).expect("legal"), Some(Frame::Drain));
    codec
}

fn encoded(frame: Frame<Bytes>) -> BytesMut {
    let mut bytes = BytesMut::new();
    started().encode(frame, &mut bytes).expect("written");
    bytes
}

/// A frame by its parts, legal or not.
fn raw(length: u32, kind: u8, flags: u8, reserved: u16, channel: u32, body: &[u8]) -> BytesMut {
    let mut bytes = BytesMut::new();
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&reserved.to_be_bytes());
    bytes.extend_from_slice(&channel.to_be_bytes());
    bytes.extend_from_slice(body);
    bytes
}

/// All frames of `bytes`, and the error after them.
fn decoded(codec: &mut FrameCodec, bytes: &mut BytesMut) -> (Vec<Frame<Bytes>>, Option<WireError>) {
    let mut frames = Vec::new();
    loop {
        match codec.decode(bytes) {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => return (frames, None),
            Err(error) => return (frames, Some(error)),
        }
    }
}
