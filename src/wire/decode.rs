//! Bytes into frames.

use super::code::Code;
use super::error::{WireError, violation};
use super::fields::Fields;
use super::frame::{Frame, Grant};
use super::header::{self, CHUNK_HEADER_LEN, DISCARD, HEADER_LEN, Header, kind};
use super::run::Run;
use super::{PREFACE, hello, text};
use crate::Violation;
use bytes::{Buf, Bytes, BytesMut};
use std::io;

/// Where in the stream the reading side is.
#[derive(Debug)]
pub(super) struct Reading {
    max_frame: u32,
    state: State,
    /// As of when the bytes last ran out: how many more what was begun needs.
    wanted: usize,
    /// As of then: whether anything was begun.
    begun: bool,
}

/// What comes next.
///
/// ```text
///  Preface ──▶ Header ──▶ Body ──▶ Header …      Message: a whole frame each time
///                 └─────▶ Skip ──▶ Header …      any of them ──▶ Failed, for good
/// ```
#[derive(Debug)]
enum State {
    Preface,
    Header,
    /// A frame whose header was judged. The header stays in the buffer until the body is whole.
    Body(Header),
    /// So many bytes of a frame that is passed over.
    Skip(usize),
    Message,
    Failed(Refusal),
}

/// Why nothing more is taken.
#[derive(Clone, Debug)]
enum Refusal {
    Preface(Violation),
    Rule(Violation),
}

impl Reading {
    pub(super) fn stream(max_frame: u32) -> Self {
        Self { max_frame, state: State::Preface, wanted: PREFACE.len(), begun: false }
    }

    pub(super) fn messages(max_frame: u32) -> Self {
        Self { max_frame, state: State::Message, wanted: 0, begun: false }
    }

    pub(super) fn wanted(&self) -> usize {
        self.wanted
    }

    pub(super) fn is_mid_frame(&self) -> bool {
        self.begun
    }

    #[inline]
    pub(super) fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Frame<Bytes>>, WireError> {
        // Nearly every frame is a CHUNK, and nearly every CHUNK is there as a whole.
        if matches!(self.state, State::Header) {
            if let Some(len) = whole_chunk(src, self.max_frame) {
                self.begun = false;
                let chunk = Run::new(src.split_to(len).freeze()).pop();
                return Ok(chunk.map(|(seq, payload)| Frame::Chunk { seq, payload }));
            }
        }
        self.step(src).map_err(|refusal| self.fail(refusal))
    }

    /// Takes the chunks that are there as a whole, up to the first frame that is none.
    pub(super) fn take_run(&mut self, src: &mut BytesMut) -> Run {
        let mut len = 0;
        if matches!(self.state, State::Header) {
            while let Some(more) = src.get(len..).and_then(|rest| whole_chunk(rest, self.max_frame)) {
                len += more;
            }
        }
        if len == 0 {
            return Run::default();
        }
        self.begun = false;
        Run::new(src.split_to(len).freeze())
    }

    pub(super) fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Frame<Bytes>>, WireError> {
        let frame = self.decode(src)?;
        if frame.is_none() && self.begun {
            let text = match &self.state {
                State::Preface => "the stream ended inside the preface",
                State::Header => "the stream ended inside a frame's header",
                _ => "the stream ended inside a frame",
            };
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text).into());
        }
        Ok(frame)
    }

    pub(super) fn decode_message(&mut self, message: Bytes) -> Result<Frame<Bytes>, WireError> {
        if let State::Failed(refusal) = &self.state {
            return Err(refusal.clone().into());
        }
        whole_message(message, self.max_frame).map_err(|violation| self.fail(Refusal::Rule(violation)))
    }

    /// The slow path: whatever is not a chunk that is there as a whole.
    fn step(&mut self, src: &mut BytesMut) -> Result<Option<Frame<Bytes>>, Refusal> {
        loop {
            match &mut self.state {
                State::Preface => {
                    check_preface(src)?;
                    if src.len() < PREFACE.len() {
                        return Ok(self.wait(PREFACE.len() - src.len(), !src.is_empty()));
                    }
                    src.advance(PREFACE.len());
                    self.state = State::Header;
                }
                State::Header => {
                    let Some(bytes) = src.first_chunk() else {
                        return Ok(self.wait(HEADER_LEN - src.len(), !src.is_empty()));
                    };
                    let header = Header::read(bytes, self.max_frame)?;
                    if header.is_ignorable() {
                        src.advance(HEADER_LEN);
                        self.state = State::Skip(header.body_len());
                        return Ok(Some(Frame::Ignored { kind: header.kind, length: header.length }));
                    }
                    self.state = State::Body(header);
                }
                State::Body(header) => {
                    let (header, len) = (*header, HEADER_LEN + header.body_len());
                    if src.len() < len {
                        return Ok(self.wait(len - src.len(), true));
                    }
                    self.state = State::Header;
                    self.begun = false;
                    return Ok(Some(read_frame(header, src.split_to(len).freeze())?));
                }
                State::Skip(left) => {
                    let here = src.len().min(*left);
                    src.advance(here);
                    *left -= here;
                    let left = *left;
                    if left > 0 {
                        return Ok(self.wait(left, true));
                    }
                    self.state = State::Header;
                }
                State::Message if src.is_empty() => return Ok(None),
                State::Message => return Ok(Some(whole_message(src.split().freeze(), self.max_frame)?)),
                State::Failed(refusal) => return Err(refusal.clone()),
            }
        }
    }

    fn wait(&mut self, wanted: usize, begun: bool) -> Option<Frame<Bytes>> {
        self.wanted = wanted;
        self.begun = begun;
        None
    }

    fn fail(&mut self, refusal: Refusal) -> WireError {
        self.state = State::Failed(refusal.clone());
        self.wait(0, false);
        refusal.into()
    }
}

/// How long the chunk at the front of `src` is, with its header, if it is a legal one and all of it is there.
#[inline]
fn whole_chunk(src: &[u8], max_frame: u32) -> Option<usize> {
    let head: &[u8; CHUNK_HEADER_LEN] = src.first_chunk()?;
    let [l0, l1, l2, l3, kind, _, _, _, 0, 0, 0, 1, ..] = *head else { return None };
    let length = u32::from_be_bytes([l0, l1, l2, l3]);
    if kind != kind::CHUNK || length > max_frame {
        return None;
    }
    let payload = usize::try_from(length).ok()?.checked_sub(8)?;
    (src.len() - CHUNK_HEADER_LEN >= payload).then_some(CHUNK_HEADER_LEN + payload)
}

/// A message that must be exactly one frame.
fn whole_message(message: Bytes, max_frame: u32) -> Result<Frame<Bytes>, Violation> {
    let Some(bytes) = message.first_chunk() else {
        let text = format!("a message of {} bytes: a frame's header has {HEADER_LEN}", message.len());
        return Err(violation(Code::FRAME_SIZE, text));
    };
    let header = Header::read(bytes, max_frame)?;
    let body = message.len() - HEADER_LEN;
    if header.body_len() != body {
        let (name, length) = (header::name(header.kind), header.length);
        let text = format!("{name}.length is {length}: the message has {body} bytes after its header");
        return Err(violation(Code::FRAME_SIZE, text));
    }
    if header.is_ignorable() {
        return Ok(Frame::Ignored { kind: header.kind, length: header.length });
    }
    read_frame(header, message)
}

/// Reads a frame whose header was judged and whose body is whole.
fn read_frame(header: Header, mut frame: Bytes) -> Result<Frame<Bytes>, Violation> {
    frame.advance(HEADER_LEN);
    let mut fields = Fields::new(header::name(header.kind), &frame);
    Ok(match header.kind {
        kind::HELLO => Frame::Hello(hello::read(&frame)?),
        kind::CHUNK => {
            let seq = fields.u64()?;
            frame.advance(8);
            Frame::Chunk { seq, payload: if frame.is_empty() { Bytes::new() } else { frame } }
        }
        kind::CREDIT => {
            Frame::Credit(Grant { limit: fields.credit()?, released: fields.credit()?, window: fields.credit()? })
        }
        kind::END => Frame::End { count: fields.u64()?, bytes: fields.u64()? },
        kind::ERROR => Frame::Error {
            code: Code(fields.u32()?),
            detail: fields.u32()?,
            count: fields.u64()?,
            discard: header.flags & DISCARD != 0,
            text: text::read(fields.rest()),
        },
        kind::CANCEL => {
            Frame::Cancel { code: Code(fields.u32()?), detail: fields.u32()?, text: text::read(fields.rest()) }
        }
        kind::PING => Frame::Ping { token: fields.u64()? },
        kind::PONG => Frame::Pong { token: fields.u64()? },
        kind::BLOCKED => Frame::Blocked { limit: fields.credit()? },
        kind::DRAIN => Frame::Drain,
        kind::GOAWAY => Frame::GoAway { code: Code(fields.u32()?), text: text::read(fields.rest()) },
        // Its header would not have been let through.
        other => return Err(violation(Code::PROTOCOL, format!("type {other:#04x} is unknown"))),
    })
}

/// Whether what is there begins as the preface does, up to the first byte that differs.
fn check_preface(src: &[u8]) -> Result<(), Refusal> {
    let Some(at) = src.iter().zip(PREFACE).position(|(byte, expected)| *byte != expected) else { return Ok(()) };
    let found = src.get(at).copied().unwrap_or_default();
    let guess = match (at, found) {
        (0, 0x16) => " (TLS?)",
        (0, b'A'..=b'Z') => " (HTTP?)",
        (0, 0x09) => " (was the eighth bit dropped on the way?)",
        (4.., _) => " (were line ends changed on the way?)",
        _ => "",
    };
    let expected = PREFACE.get(at).copied().unwrap_or_default();
    let text = format!("preface: byte {at} is {found:#04x} and not {expected:#04x}{guess}");
    Err(Refusal::Preface(violation(Code::PROTOCOL, text)))
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Rule(violation)
    }
}

impl From<Refusal> for WireError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Preface(violation) => Self::Preface(violation),
            Refusal::Rule(violation) => Self::Violation(violation),
        }
    }
}
