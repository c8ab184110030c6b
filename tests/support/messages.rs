//! A transport that keeps messages apart, as a WebSocket does.

use bytes::Bytes;
use futures_util::{Sink, Stream};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::{Receiver, channel};
use tokio_util::sync::PollSender;

pub(crate) struct Messages {
    to_peer: PollSender<Bytes>,
    from_peer: Receiver<Bytes>,
}

impl Messages {
    pub(crate) fn pair(capacity: usize) -> (Self, Self) {
        let (left, from_left) = channel(capacity);
        let (right, from_right) = channel(capacity);
        let end = |to_peer, from_peer| Self { to_peer: PollSender::new(to_peer), from_peer };
        (end(left, from_right), end(right, from_left))
    }
}

fn broken<E>(_: E) -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

impl Stream for Messages {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.from_peer.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Bytes> for Messages {
    type Error = io::Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(ready!(self.to_peer.poll_reserve(cx)).map_err(broken))
    }

    fn start_send(mut self: Pin<&mut Self>, message: Bytes) -> io::Result<()> {
        self.to_peer.send_item(message).map_err(broken)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.to_peer.close();
        Poll::Ready(Ok(()))
    }
}
