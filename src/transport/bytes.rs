//! Frames over a stream of bytes.

use super::batch::Batch;
use super::link::{Link, ReadError};
use super::spares::Spares;
use super::write_queue::WriteQueue;
use crate::Credit;
use crate::session::Traffic;
use crate::wire::{CHUNK_HEADER_LEN, Frame, FrameCodec, Run, chunk_header};
use ::bytes::{Buf, Bytes, BytesMut};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{io, mem};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::{Decoder, Encoder};
use tokio_util::io::{poll_read_buf, poll_write_buf};

/// A stream of bytes that carries frames.
pub(super) struct ByteLink<S> {
    io: S,
    codec: FrameCodec,
    incoming: BytesMut,
    /// Chunks that came before what is in there.
    run: Run,
    /// What `incoming` was made for.
    size: usize,
    spares: Spares,
    /// The largest chunk's frame that has come complete: from a peer that sends such frames, room for the next may
    /// be had at once.
    largest: usize,
    outgoing: WriteQueue,
    batch: Batch,
    /// Written, and not flushed by the stream.
    dirty: bool,
    read: u64,
    written: u64,
}

/// One read asks for at least this many bytes, once as many have come: until then, for as many as have.
const READ_AHEAD: usize = 64 << 10;
/// The first read asks for this many: a peer that has said nothing yet is not worth more.
const FIRST_READ: usize = 4 << 10;

/// A payload keeps the buffer that it came in; where buffers do not come home, one that is so many times smaller than
/// its buffer does not.
const SMALL: usize = 8;

impl<S: AsyncRead + AsyncWrite + Unpin> ByteLink<S> {
    pub(super) fn new(io: S, max_frame: u32) -> Self {
        Self {
            io,
            codec: FrameCodec::new(max_frame),
            incoming: BytesMut::new(),
            run: Run::default(),
            size: 0,
            spares: Spares::default(),
            largest: 0,
            outgoing: WriteQueue::default(),
            batch: Batch::default(),
            dirty: false,
            read: 0,
            written: 0,
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.make_room();
        let read = ready!(poll_read_buf(Pin::new(&mut self.io), cx, &mut self.incoming))?;
        self.read += u64::try_from(read).unwrap_or(u64::MAX);
        Poll::Ready(Ok(read))
    }

    /// Room for what comes next. It grows with what has arrived, never with what was merely announced.
    fn make_room(&mut self) {
        if self.incoming.len() < self.incoming.capacity() {
            return;
        }
        let ahead = usize::try_from(self.read).unwrap_or(READ_AHEAD).clamp(FIRST_READ, READ_AHEAD);
        let trusted = ahead.max(self.largest).max(self.incoming.len());
        // Between frames a whole one of the largest, so that it need not be copied when the rest of it comes. What was
        // begun counts in, so that buffers are of one size and one can be used in place of another.
        let wanted = if self.codec.is_mid_frame() { self.codec.wanted().min(trusted) } else { trusted };
        let size = (self.incoming.len() + wanted).max(ahead);
        let mut roomy = self.spares.take(size);
        roomy.extend_from_slice(&self.incoming);
        let full = mem::replace(&mut self.incoming, roomy);
        self.spares.keep(full, mem::replace(&mut self.size, size));
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Link for ByteLink<S> {
    type Payload = Bytes;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Frame<Bytes>>, ReadError>> {
        loop {
            if let Some((seq, payload)) = self.next_chunk() {
                return Poll::Ready(Ok(Some(Frame::Chunk { seq, payload })));
            }
            match self.codec.decode(&mut self.incoming) {
                Ok(Some(frame)) => {
                    if let Frame::Hello(hello) = &frame {
                        self.codec.set_peer_max_frame(hello.max_frame);
                    }
                    return Poll::Ready(Ok(Some(frame)));
                }
                Ok(None) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
            if ready!(self.poll_read(cx)).map_err(ReadError::Io)? == 0 {
                return Poll::Ready(Ok(None));
            }
        }
    }

    #[inline(always)]
    fn next_chunk(&mut self) -> Option<(u64, Bytes)> {
        if self.run.is_empty() {
            self.run = self.codec.take_run(&mut self.incoming);
        }
        let (seq, payload) = self.run.pop()?;
        self.largest = self.largest.max(CHUNK_HEADER_LEN + payload.len());
        if self.spares.is_crowded() && payload.len() < self.size / SMALL {
            return Some((seq, Bytes::copy_from_slice(&payload)));
        }
        Some((seq, payload))
    }

    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        self.run.clear();
        self.incoming.clear();
        self.poll_read(cx).map_ok(|read| read > 0)
    }

    fn follow_window(&mut self, window: Credit) {
        self.batch.follow_window(window);
    }

    fn has_room(&self) -> bool {
        self.batch.has_room(self.outgoing.len())
    }

    fn queue(&mut self, frame: Frame<Bytes>) {
        match frame {
            Frame::Chunk { seq, payload } => self.queue_chunk(seq, payload),
            control => {
                let encoded = self.outgoing.with_tail(|tail| self.codec.encode(control, tail));
                debug_assert!(encoded.is_ok(), "a control frame can always be written: {encoded:?}");
            }
        }
    }

    #[inline]
    fn queue_chunk(&mut self, seq: u64, payload: Bytes) {
        // The weigher refuses what does not fit the peer's `max_frame`, and so a u32.
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        self.outgoing.push(&chunk_header(seq, length), payload);
        self.batch.chunks += 1;
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.outgoing.has_remaining() {
            let written = ready!(poll_write_buf(Pin::new(&mut self.io), cx, &mut self.outgoing))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += u64::try_from(written).unwrap_or(u64::MAX);
            self.dirty = true;
        }
        self.batch.chunks = 0;
        if self.dirty {
            ready!(Pin::new(&mut self.io).poll_flush(cx))?;
            self.dirty = false;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_flush(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn rest(&mut self) {
        self.spares.clear();
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            read: self.read,
            written: self.written,
            frame_begun: self.codec.is_mid_frame(),
            writes_pending: self.outgoing.has_remaining() || self.dirty,
        }
    }
}
