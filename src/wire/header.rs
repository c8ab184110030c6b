//! The twelve bytes before each body, and what can be said of a frame from them alone.

use super::code::Code;
use super::error::violation;
use super::text::MAX_TEXT;
use crate::Violation;

/// The length of a frame's header, in bytes.
pub const HEADER_LEN: usize = 12;

/// The length of what precedes the payload of a CHUNK: the header and the chunk's number.
pub const CHUNK_HEADER_LEN: usize = HEADER_LEN + 8;

/// The smallest `max_frame` a side may announce: every peer takes bodies of this length.
pub const SMALLEST_MAX_FRAME: u32 = 1024;

/// The largest `max_frame` a side may announce.
pub const LARGEST_MAX_FRAME: u32 = (1 << 24) - 1;

/// The type bytes of the frames.
pub(super) mod kind {
    pub(in crate::wire) const HELLO: u8 = 0x01;
    pub(in crate::wire) const CHUNK: u8 = 0x02;
    pub(in crate::wire) const CREDIT: u8 = 0x03;
    pub(in crate::wire) const END: u8 = 0x04;
    pub(in crate::wire) const ERROR: u8 = 0x05;
    pub(in crate::wire) const CANCEL: u8 = 0x06;
    pub(in crate::wire) const PING: u8 = 0x07;
    pub(in crate::wire) const PONG: u8 = 0x08;
    pub(in crate::wire) const BLOCKED: u8 = 0x09;
    pub(in crate::wire) const DRAIN: u8 = 0x0A;
    pub(in crate::wire) const GOAWAY: u8 = 0x0B;
}

/// ERROR: what was not handed out yet is to be thrown away.
pub(super) const DISCARD: u8 = 0x01;

/// The shortest HELLO that can be judged: its version. Of any other version's HELLO nothing more is known.
const HELLO_VERSION: u32 = 2;
/// HELLO of version 1 without TLVs.
pub(super) const HELLO_FIXED: u32 = 56;
/// HELLO with all its TLVs.
pub(super) const HELLO_MAX: u32 = 1024;

/// The header of a frame whose type, length and channel are those of a legal one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) length: u32,
    pub(super) kind: u8,
    pub(super) flags: u8,
}

/// What all frames of a type have in common.
struct Shape {
    name: &'static str,
    channel: u32,
    /// The legal lengths of the body.
    min: u32,
    max: u32,
}

impl Header {
    /// Reads a header and judges all of the frame that shows in it.
    pub(super) fn read(bytes: &[u8; HEADER_LEN], max_frame: u32) -> Result<Self, Violation> {
        let [l0, l1, l2, l3, kind, flags, _, _, c0, c1, c2, c3] = *bytes;
        let header = Self { length: u32::from_be_bytes([l0, l1, l2, l3]), kind, flags };
        let channel = u32::from_be_bytes([c0, c1, c2, c3]);

        let Some(shape) = shape(kind) else {
            if !header.is_ignorable() {
                return Err(violation(Code::PROTOCOL, format!("type is {kind:#04x}: unknown and not to be ignored")));
            }
            return header.within(max_frame, &format!("a frame of type {kind:#04x}"));
        };
        if channel != shape.channel {
            let text = format!("{}.channel is {channel}: it must be {}", shape.name, shape.channel);
            return Err(violation(Code::PROTOCOL, text));
        }
        if header.length < shape.min || header.length > shape.max {
            let Shape { name, min, max, .. } = shape;
            let length = header.length;
            let text = if min == max {
                format!("{name}.length is {length}: it must be {min}")
            } else if length < min {
                format!("{name}.length is {length}: it must be at least {min}")
            } else {
                format!("{name}.length is {length}: it must be at most {max}")
            };
            return Err(violation(Code::FRAME_SIZE, text));
        }
        header.within(max_frame, shape.name)
    }

    pub(super) fn is_ignorable(self) -> bool {
        is_ignorable(self.kind)
    }

    pub(super) fn body_len(self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }

    fn within(self, max_frame: u32, name: &str) -> Result<Self, Violation> {
        if self.length > max_frame {
            let text = format!("{name}.length is {}: max_frame here is {max_frame}", self.length);
            return Err(violation(Code::FRAME_SIZE, text));
        }
        Ok(self)
    }
}

/// Whether this version does not know the type and may pass over it.
pub(super) fn is_ignorable(kind: u8) -> bool {
    matches!(kind, 0x40..=0x7F)
}

/// The channel that frames of this type carry.
pub(super) fn channel(kind: u8) -> u32 {
    shape(kind).map_or(0, |shape| shape.channel)
}

/// The name of a type, for error texts.
pub(super) fn name(kind: u8) -> &'static str {
    shape(kind).map_or("frame", |shape| shape.name)
}

fn shape(kind: u8) -> Option<Shape> {
    let text = u32::from(MAX_TEXT);
    let (name, channel, min, max) = match kind {
        kind::HELLO => ("HELLO", 0, HELLO_VERSION, HELLO_MAX),
        kind::CHUNK => ("CHUNK", 1, 8, u32::MAX),
        kind::CREDIT => ("CREDIT", 1, 48, 48),
        kind::END => ("END", 1, 16, 16),
        kind::ERROR => ("ERROR", 1, 16, 16 + text),
        kind::CANCEL => ("CANCEL", 1, 8, 8 + text),
        kind::PING => ("PING", 0, 8, 8),
        kind::PONG => ("PONG", 0, 8, 8),
        kind::BLOCKED => ("BLOCKED", 1, 16, 16),
        kind::DRAIN => ("DRAIN", 1, 0, 0),
        kind::GOAWAY => ("GOAWAY", 0, 4, 4 + text),
        _ => return None,
    };
    Some(Shape { name, channel, min, max })
}
