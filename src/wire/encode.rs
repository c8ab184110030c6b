//! Frames into bytes.

use super::error::{WireError, unwritable};
use super::frame::{Frame, Hello};
use super::header::{self, CHUNK_HEADER_LEN, DISCARD, HEADER_LEN, HELLO_FIXED, SMALLEST_MAX_FRAME, kind};
use super::text::{MAX_TEXT, cut};
use super::{PREFACE, hello};
use crate::Credit;
use bytes::{BufMut, Bytes, BytesMut};

/// What precedes a chunk's payload of `payload_len` bytes on the wire: its header and its number.
///
/// For writers that hand this and the payload to one vectored write, so that the payload is not copied. The
/// payload must be within what the peer takes: at most its `max_frame` less 8 bytes.
///
/// ```
/// use credit_channel::wire::chunk_header;
///
/// assert_eq!(chunk_header(7, 3), *b"\0\0\0\x0b\x02\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x07");
/// ```
#[must_use]
#[inline]
pub fn chunk_header(seq: u64, payload_len: u32) -> [u8; CHUNK_HEADER_LEN] {
    let [l0, l1, l2, l3] = payload_len.saturating_add(8).to_be_bytes();
    let [s0, s1, s2, s3, s4, s5, s6, s7] = seq.to_be_bytes();
    [l0, l1, l2, l3, kind::CHUNK, 0, 0, 0, 0, 0, 0, 1, s0, s1, s2, s3, s4, s5, s6, s7]
}

/// What the writing side has to keep in mind.
#[derive(Debug)]
pub(super) struct Writing {
    preface_due: bool,
    /// The longest body the peer takes.
    pub(super) peer_max_frame: u32,
}

impl Writing {
    pub(super) fn stream() -> Self {
        Self { preface_due: true, peer_max_frame: SMALLEST_MAX_FRAME }
    }

    pub(super) fn messages() -> Self {
        Self { preface_due: false, peer_max_frame: SMALLEST_MAX_FRAME }
    }

    pub(super) fn encode(&mut self, frame: Frame<Bytes>, dst: &mut BytesMut) -> Result<(), WireError> {
        if self.preface_due {
            dst.put_slice(&PREFACE);
            self.preface_due = false;
        }
        match frame {
            Frame::Hello(hello) => return self.hello(&hello, dst),
            Frame::Chunk { seq, payload } => return self.chunk(seq, &payload, dst),
            Frame::Ignored { kind, length } => return self.grease(kind, length, dst),
            Frame::Credit(grant) => {
                head(dst, kind::CREDIT, 0, 48);
                amount(dst, grant.limit);
                amount(dst, grant.released);
                amount(dst, grant.window);
            }
            Frame::End { count, bytes } => {
                head(dst, kind::END, 0, 16);
                dst.put_u64(count);
                dst.put_u64(bytes);
            }
            Frame::Error { code, detail, count, discard, text } => {
                let text = self.head_with_text(dst, kind::ERROR, if discard { DISCARD } else { 0 }, 16, &text);
                dst.put_u32(code.0);
                dst.put_u32(detail);
                dst.put_u64(count);
                dst.put_slice(text);
            }
            Frame::Cancel { code, detail, text } => {
                let text = self.head_with_text(dst, kind::CANCEL, 0, 8, &text);
                dst.put_u32(code.0);
                dst.put_u32(detail);
                dst.put_slice(text);
            }
            Frame::Ping { token } => {
                head(dst, kind::PING, 0, 8);
                dst.put_u64(token);
            }
            Frame::Pong { token } => {
                head(dst, kind::PONG, 0, 8);
                dst.put_u64(token);
            }
            Frame::Blocked { limit } => {
                head(dst, kind::BLOCKED, 0, 16);
                amount(dst, limit);
            }
            Frame::Drain => head(dst, kind::DRAIN, 0, 0),
            Frame::GoAway { code, text } => {
                let text = self.head_with_text(dst, kind::GOAWAY, 0, 4, &text);
                dst.put_u32(code.0);
                dst.put_slice(text);
            }
        }
        Ok(())
    }

    fn hello(&self, hello: &Hello, dst: &mut BytesMut) -> Result<(), WireError> {
        hello::check(hello).map_err(|violation| unwritable(violation.text()))?;
        head(dst, kind::HELLO, 0, HELLO_FIXED);
        hello::write(hello, dst);
        Ok(())
    }

    fn chunk(&self, seq: u64, payload: &[u8], dst: &mut BytesMut) -> Result<(), WireError> {
        let most = self.peer_max_frame - 8;
        let Some(len) = u32::try_from(payload.len()).ok().filter(|len| *len <= most) else {
            let text = format!("chunk {seq} has {} bytes: the peer takes at most {most}", payload.len());
            return Err(unwritable(text));
        };
        dst.reserve(CHUNK_HEADER_LEN + payload.len());
        dst.put_slice(&chunk_header(seq, len));
        dst.put_slice(payload);
        Ok(())
    }

    /// A frame that says nothing, to see that the peer ignores what it may ignore.
    fn grease(&self, kind: u8, length: u32, dst: &mut BytesMut) -> Result<(), WireError> {
        if !header::is_ignorable(kind) {
            return Err(unwritable(format!("type {kind:#04x} is not one that a peer ignores")));
        }
        if length > self.peer_max_frame {
            return Err(unwritable(format!("{length} bytes: the peer takes at most {}", self.peer_max_frame)));
        }
        head(dst, kind, 0, length);
        dst.put_bytes(0, usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }

    /// The header of a frame whose body ends with a text, and as much of the text as the peer takes.
    fn head_with_text<'a>(&self, dst: &mut BytesMut, kind: u8, flags: u8, fixed: u32, text: &'a str) -> &'a [u8] {
        let limit = u32::from(MAX_TEXT).min(self.peer_max_frame - fixed);
        let text = cut(text, usize::try_from(limit).unwrap_or(usize::MAX));
        head(dst, kind, flags, fixed + u32::try_from(text.len()).unwrap_or(limit));
        text.as_bytes()
    }
}

fn head(dst: &mut BytesMut, kind: u8, flags: u8, length: u32) {
    dst.reserve(HEADER_LEN + usize::try_from(length).unwrap_or(0));
    dst.put_u32(length);
    dst.put_u8(kind);
    dst.put_u8(flags);
    dst.put_u16(0);
    dst.put_u32(header::channel(kind));
}

fn amount(dst: &mut BytesMut, amount: Credit) {
    dst.put_u64(amount.messages());
    dst.put_u64(amount.bytes());
}
