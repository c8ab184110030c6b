//! Frames over a pair of tokio channels.

use crate::wire::Frame;
use futures_core::Stream;
use futures_sink::Sink;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_util::sync::PollSender;

/// Frames to the peer and from it over tokio channels: values of any type, not turned into bytes, between
/// tasks, threads or runtimes that share their memory.
///
/// The channels may be as small as 1; they are no part of the window.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::transport::{MpscFrames, Transport};
/// use credit_channel::Window;
///
/// let (near, far) = MpscFrames::<String>::pair(8);
/// let transport = Transport::new();
/// let producer = transport.frame_producer(near);
/// let consumer = transport.frame_consumer(far, Window::messages(4));
/// let ((tx, tx_driver), (mut rx, rx_driver)) = tokio::try_join!(producer, consumer)?;
/// tokio::spawn(tx_driver);
/// tokio::spawn(rx_driver);
///
/// tx.send("a row".to_owned()).await?;
/// tx.end();
/// assert_eq!(*rx.recv().await?.unwrap(), "a row");
/// assert!(rx.recv().await?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MpscFrames<T> {
    to_peer: PollSender<Frame<T>>,
    from_peer: Receiver<Frame<T>>,
}

impl<T: Send + 'static> MpscFrames<T> {
    /// Frames go out by one channel and come in by the other.
    #[must_use]
    pub fn new(to_peer: Sender<Frame<T>>, from_peer: Receiver<Frame<T>>) -> Self {
        Self { to_peer: PollSender::new(to_peer), from_peer }
    }

    /// Two ends that are connected to each other.
    #[must_use]
    pub fn pair(capacity: usize) -> (Self, Self) {
        let (left_tx, left_rx) = tokio::sync::mpsc::channel(capacity);
        let (right_tx, right_rx) = tokio::sync::mpsc::channel(capacity);
        (Self::new(left_tx, right_rx), Self::new(right_tx, left_rx))
    }
}

impl<T> Stream for MpscFrames<T> {
    type Item = io::Result<Frame<T>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.from_peer.poll_recv(cx).map(|frame| frame.map(Ok))
    }
}

impl<T: Send + 'static> Sink<Frame<T>> for MpscFrames<T> {
    type Error = io::Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(ready!(self.to_peer.poll_reserve(cx)).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn start_send(mut self: Pin<&mut Self>, frame: Frame<T>) -> io::Result<()> {
        self.to_peer.send_item(frame).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.to_peer.close();
        Poll::Ready(Ok(()))
    }
}

impl<T> Unpin for MpscFrames<T> {}
