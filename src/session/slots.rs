//! What waits to be said: one slot for each kind of frame, whose newest content counts.
//!
//! However many frames a peer asks an answer to, and however long it does not read, this is all that is
//! kept for it (yamux kept a queue: CVE-2024-32984).

use super::reasons::{Words, bounded};
use crate::wire::{Code, Frame, Grant, Hello};
use crate::{Credit, Violation};

/// The slots, in the order in which they are emptied.
#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) hello: Option<Hello>,
    pub(super) goaway: Option<Violation>,
    pub(super) pong: Option<u64>,
    pub(super) cancel: Option<Words>,
    pub(super) credit: Option<Grant>,
    pub(super) drain: Option<()>,
    pub(super) ping: Option<u64>,
    pub(super) blocked: Option<Credit>,
    /// Behind the chunks: whoever fills it has sent them all.
    pub(super) terminal: Option<Terminal>,
}

/// The producer's last word.
#[derive(Debug)]
pub(super) enum Terminal {
    End { count: u64, bytes: u64 },
    Error { words: Words, count: u64, discard: bool },
}

impl Slots {
    /// The next frame to write. Until the peer's HELLO is there a producer says nothing but its own.
    pub(super) fn pop<T>(&mut self, introduced: bool) -> Option<Frame<T>> {
        if let Some(hello) = self.hello.take() {
            return Some(Frame::Hello(hello));
        }
        if let Some(violation) = self.goaway.take() {
            let text = bounded(violation.text().to_owned());
            return Some(Frame::GoAway { code: Code(violation.code()), text });
        }
        if let Some(token) = self.pong.take() {
            return Some(Frame::Pong { token });
        }
        if let Some(Words { code, detail, text }) = self.cancel.take() {
            return Some(Frame::Cancel { code, detail, text });
        }
        if let Some(grant) = self.credit.take() {
            return Some(Frame::Credit(grant));
        }
        if let Some(()) = self.drain.take() {
            return Some(Frame::Drain);
        }
        if let Some(token) = self.ping.take() {
            return Some(Frame::Ping { token });
        }
        if !introduced {
            return None;
        }
        if let Some(limit) = self.blocked.take() {
            return Some(Frame::Blocked { limit });
        }
        self.terminal.take().map(Terminal::into_frame)
    }

    /// Nothing is to be said any more.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Nothing is to be said any more but why. HELLO stays: it is the first frame of each side, always.
    pub(super) fn keep_goaway(&mut self, violation: Violation) {
        *self = Self { hello: self.hello.take(), goaway: Some(violation), ..Self::default() };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hello.is_none() && self.goaway.is_none() && self.only_last_words()
    }

    /// Whether nothing waits but HELLO and GOAWAY.
    pub(super) fn only_last_words(&self) -> bool {
        self.pong.is_none()
            && self.cancel.is_none()
            && self.credit.is_none()
            && self.drain.is_none()
            && self.ping.is_none()
            && self.blocked.is_none()
            && self.terminal.is_none()
    }
}

impl Terminal {
    fn into_frame<T>(self) -> Frame<T> {
        match self {
            Self::End { count, bytes } => Frame::End { count, bytes },
            Self::Error { words: Words { code, detail, text }, count, discard } => {
                Frame::Error { code, detail, count, discard, text }
            }
        }
    }
}
