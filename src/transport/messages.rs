//! Frames over a transport of messages.

use super::link::ReadError;
use crate::wire::{Frame, FrameCodec};
use ::bytes::{Bytes, BytesMut};
use futures_core::Stream;
use futures_sink::Sink;
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio_util::codec::Encoder;

/// Turns each message of a transport that keeps them apart (a WebSocket, a seqpacket socket) into a frame.
pub(super) struct MessageFrames<S> {
    messages: S,
    codec: FrameCodec,
}

impl<S> MessageFrames<S> {
    pub(super) fn new(messages: S, max_frame: u32) -> Self {
        Self { messages, codec: FrameCodec::for_messages(max_frame) }
    }
}

impl<S, M, E> Stream for MessageFrames<S>
where
    S: Stream<Item = Result<M, E>> + Unpin,
    M: Into<Bytes>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    type Item = Result<Frame<Bytes>, ReadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(message) = ready!(Pin::new(&mut self.messages).poll_next(cx)) else { return Poll::Ready(None) };
        let message = message.map_err(failed)?.into();
        let frame = self.codec.decode_message(message)?;
        if let Frame::Hello(hello) = &frame {
            self.codec.set_peer_max_frame(hello.max_frame);
        }
        Poll::Ready(Some(Ok(frame)))
    }
}

impl<S, E> Sink<Frame<Bytes>> for MessageFrames<S>
where
    S: Sink<Bytes, Error = E> + Unpin,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    type Error = ReadError;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), ReadError>> {
        Pin::new(&mut self.messages).poll_ready(cx).map_err(failed)
    }

    fn start_send(mut self: Pin<&mut Self>, frame: Frame<Bytes>) -> Result<(), ReadError> {
        let mut message = BytesMut::new();
        self.codec.encode(frame, &mut message)?;
        Pin::new(&mut self.messages).start_send(message.freeze()).map_err(failed)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), ReadError>> {
        Pin::new(&mut self.messages).poll_flush(cx).map_err(failed)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), ReadError>> {
        Pin::new(&mut self.messages).poll_close(cx).map_err(failed)
    }
}

fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> ReadError {
    ReadError::Io(io::Error::other(error))
}
