//! Frames over whatever carries values: a `Stream` and a `Sink` of frames.

use super::link::{Link, ReadError};
use crate::session::Traffic;
use crate::wire::Frame;
use futures_core::Stream;
use futures_sink::Sink;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A stream and sink of frames that carries a channel.
pub(super) struct FrameLink<S, P> {
    frames: S,
    outgoing: VecDeque<Frame<P>>,
    dirty: bool,
    read: u64,
    written: u64,
}

/// Chunks are queued up to this many: the most that control frames wait behind.
const ROOM: usize = 16;

impl<S, P> FrameLink<S, P> {
    pub(super) fn new(frames: S) -> Self {
        Self { frames, outgoing: VecDeque::new(), dirty: false, read: 0, written: 0 }
    }
}

impl<S, P, E> FrameLink<S, P>
where
    S: Sink<Frame<P>, Error = E> + Unpin,
    E: Into<ReadError>,
{
    fn poll_send_all(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), E>> {
        while !self.outgoing.is_empty() {
            ready!(Pin::new(&mut self.frames).poll_ready(cx))?;
            if let Some(frame) = self.outgoing.pop_front() {
                Pin::new(&mut self.frames).start_send(frame)?;
                self.written += 1;
                self.dirty = true;
            }
        }
        if self.dirty {
            ready!(Pin::new(&mut self.frames).poll_flush(cx))?;
            self.dirty = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S, P, E> Link for FrameLink<S, P>
where
    S: Stream<Item = Result<Frame<P>, E>> + Sink<Frame<P>, Error = E> + Unpin,
    E: Into<ReadError>,
{
    type Payload = P;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Frame<P>>, ReadError>> {
        let next = ready!(Pin::new(&mut self.frames).poll_next(cx));
        self.read += 1;
        Poll::Ready(next.transpose().map_err(Into::into))
    }

    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let next = ready!(Pin::new(&mut self.frames).poll_next(cx));
        self.read += 1;
        Poll::Ready(Ok(next.is_some()))
    }

    fn has_room(&self) -> bool {
        self.outgoing.len() < ROOM
    }

    fn queue(&mut self, frame: Frame<P>) {
        self.outgoing.push_back(frame);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_send_all(cx).map_err(into_io)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send_all(cx)).map_err(into_io)?;
        Pin::new(&mut self.frames).poll_close(cx).map_err(into_io)
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            read: self.read,
            written: self.written,
            frame_begun: false,
            writes_pending: !self.outgoing.is_empty() || self.dirty,
        }
    }
}

fn into_io(error: impl Into<ReadError>) -> io::Error {
    match error.into() {
        ReadError::Io(error) => error,
        ReadError::Violation(violation) | ReadError::Foreign(violation) => io::Error::other(violation.to_string()),
    }
}
