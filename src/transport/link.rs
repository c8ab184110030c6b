//! What carries frames.

use crate::session::Traffic;
use crate::wire::{Frame, WireError};
use crate::{Credit, Violation};
use std::io;
use std::task::{Context, Poll};

/// A way for frames to the peer and from it, as a driver uses it. Reading and writing never wait for each
/// other.
pub(super) trait Link {
    /// What a chunk carries here.
    type Payload;

    /// The next frame; `None` once the peer has closed its side.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Frame<Self::Payload>>, ReadError>>;

    /// The next chunk's number and payload, if a chunk is next and has come as a whole. Most are had in this way, which
    /// costs less; a link need not offer it.
    #[inline]
    fn next_chunk(&mut self) -> Option<(u64, Self::Payload)> {
        None
    }

    /// Reads some of what comes and throws it away, whatever it is. False once the peer has closed its side.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>>;

    /// No more than this is in flight at once: what is written in one go is to be a part of it.
    fn follow_window(&mut self, _window: Credit) {}

    /// Whether another frame may be queued.
    fn has_room(&self) -> bool;

    /// Queues a frame behind what is queued already.
    fn queue(&mut self, frame: Frame<Self::Payload>);

    /// Queues a chunk: likewise.
    #[inline]
    fn queue_chunk(&mut self, seq: u64, payload: Self::Payload) {
        self.queue(Frame::Chunk { seq, payload });
    }

    /// Writes what is queued. Pending while some of it is not written.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Closes this side, after all that was queued.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Nothing has gone through for a while: memory that was kept for more may go.
    fn rest(&mut self) {}

    /// What went through by now.
    fn traffic(&self) -> Traffic;
}

/// Why no more frames can be read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// What the peer sent is no frame.
    Violation(Violation),
    /// The peer speaks another protocol: there is nothing to answer.
    Foreign(Violation),
    /// The transport failed.
    Io(io::Error),
}

impl From<WireError> for ReadError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Preface(violation) => Self::Foreign(violation),
            WireError::Violation(violation) => Self::Violation(violation),
            WireError::Io(error) => Self::Io(error),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
