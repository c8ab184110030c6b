//! A connection whose frames are counted, over a pair of tokio channels.

use super::carrier::{Open, connect};
use credit_channel::Window;
use credit_channel::transport::{MpscFrames, Transport};
use credit_channel::wire::Frame;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

/// A channel whose producer's frames and consumer's frames are counted.
pub(crate) async fn tapped(window: Window) -> (Open<u64>, Arc<Tap>, Arc<Tap>) {
    let (near, far) = MpscFrames::pair(4);
    let (from_producer, from_consumer) = <(Arc<Tap>, Arc<Tap>)>::default();
    let near = Tapped { frames: near, tap: Arc::clone(&from_producer) };
    let far = Tapped { frames: far, tap: Arc::clone(&from_consumer) };
    let transport = Transport::new();
    let open = connect(transport.frame_producer(near), transport.frame_consumer(far, window)).await;
    (open, from_producer, from_consumer)
}

/// Counts the frames that go out.
struct Tapped<T> {
    frames: MpscFrames<T>,
    tap: Arc<Tap>,
}

/// How many went out of each kind.
#[derive(Debug, Default)]
pub(crate) struct Tap {
    pub(crate) credit: AtomicU64,
    pub(crate) blocked: AtomicU64,
    other: AtomicU64,
}

impl<T> Stream for Tapped<T> {
    type Item = io::Result<Frame<T>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.frames.poll_next_unpin(cx)
    }
}

impl<T: Send + 'static> Sink<Frame<T>> for Tapped<T> {
    type Error = io::Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.frames.poll_ready_unpin(cx)
    }

    fn start_send(mut self: Pin<&mut Self>, frame: Frame<T>) -> io::Result<()> {
        let counter = match frame {
            Frame::Credit(_) => &self.tap.credit,
            Frame::Blocked { .. } => &self.tap.blocked,
            _ => &self.tap.other,
        };
        counter.fetch_add(1, Ordering::SeqCst);
        self.frames.start_send_unpin(frame)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.frames.poll_flush_unpin(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.frames.poll_close_unpin(cx)
    }
}
