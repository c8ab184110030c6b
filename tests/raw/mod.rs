//! A peer that speaks bytes: whatever it is told to, legal or not.

// Each test binary takes what it needs.
#![allow(dead_code)]

mod hello;
pub(crate) mod write;

pub(crate) use hello::Fields;

use bytes::{Bytes, BytesMut};
use credit_channel::codec::Codec;
use credit_channel::transport::{ConnectError, Driver, Transport};
use credit_channel::wire::{Code, Frame, FrameCodec, LARGEST_MAX_FRAME};
use credit_channel::{CreditConsumer, CreditProducer, Disconnect, Window};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::codec::Decoder;

/// What carries bytes both ways.
pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Io for S {}

/// What our driver says in the end.
pub(crate) type Driven = JoinHandle<Result<(), Disconnect>>;

/// An end of ours that waits for the peer's hello.
pub(crate) type Opening<End> = JoinHandle<Result<(End, Driver), ConnectError>>;

/// How long an answer is waited for: longer than any timer of ours. Nearly always it is the paused clock's time.
const PATIENCE: Duration = Duration::from_secs(300);

/// The peer.
pub(crate) struct Raw {
    io: Box<dyn Io>,
    codec: FrameCodec,
    incoming: BytesMut,
}

impl Raw {
    pub(crate) fn new(io: impl Io) -> Self {
        Self { io: Box::new(io), codec: FrameCodec::new(LARGEST_MAX_FRAME), incoming: BytesMut::new() }
    }

    /// A raw peer, and the other end of its pipe.
    pub(crate) fn pipe(size: usize) -> (Self, tokio::io::DuplexStream) {
        let (raw, ours) = duplex(size);
        (Self::new(raw), ours)
    }

    // ----- saying -----

    /// Writes bytes, and waits until they are taken.
    pub(crate) async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_say(bytes).await.expect("our side takes it");
    }

    /// Writes bytes, which nobody may be there to take.
    pub(crate) async fn try_say(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        let write = async {
            self.io.write_all(bytes.as_ref()).await?;
            self.io.flush().await
        };
        timeout(PATIENCE, write).await.expect("our side reads on")
    }

    /// The preface, HELLO and, of a consumer, the first CREDIT.
    pub(crate) async fn greet(&mut self, hello: &Fields) {
        let mut bytes = write::preface();
        bytes.extend(hello.frame());
        if hello.role == Fields::CONSUMER {
            bytes.extend(hello.first_credit());
        }
        self.say(bytes).await;
    }

    /// Closes the write side.
    pub(crate) async fn half_close(&mut self) {
        self.io.shutdown().await.expect("it closes");
    }

    // ----- hearing -----

    /// The next frame; `None` once our side has closed.
    pub(crate) async fn hear(&mut self) -> Option<Frame<Bytes>> {
        timeout(PATIENCE, self.read()).await.expect("our side says something or closes")
    }

    async fn read(&mut self) -> Option<Frame<Bytes>> {
        loop {
            if let Some(frame) = self.codec.decode(&mut self.incoming).expect("our side writes legal frames") {
                return Some(frame);
            }
            self.incoming.reserve(4 << 10);
            match self.io.read_buf(&mut self.incoming).await {
                Ok(1..) => {}
                Ok(0) => {
                    assert!(!self.codec.is_mid_frame(), "our side does not stop inside a frame");
                    return None;
                }
                Err(error) => panic!("our side closes, and does not reset: {error}"),
            }
        }
    }

    /// The next frame that is not HELLO, CREDIT, PING or BLOCKED.
    pub(crate) async fn hear_weighty(&mut self) -> Option<Frame<Bytes>> {
        loop {
            match self.hear().await {
                Some(Frame::Hello(_) | Frame::Credit(_) | Frame::Ping { .. } | Frame::Blocked { .. }) => {}
                other => return other,
            }
        }
    }

    /// Our HELLO and, of a consumer, the first CREDIT.
    pub(crate) async fn hear_greeting(&mut self) {
        let Some(Frame::Hello(hello)) = self.hear().await else { panic!("HELLO is first") };
        if hello.role == credit_channel::wire::Role::Consumer {
            let Some(Frame::Credit(_)) = self.hear().await else { panic!("CREDIT is second") };
        }
    }

    /// GOAWAY with this code is the last word, and then our side closes. What GOAWAY says.
    #[track_caller]
    pub(crate) fn hear_goaway(&mut self, code: Code) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        async move {
            match self.hear_weighty().await {
                Some(Frame::GoAway { code: said, text }) => {
                    assert_eq!(said, code, "at {caller}: {text}");
                    assert_eq!(self.hear().await, None, "at {caller}: nothing after GOAWAY");
                    text
                }
                other => panic!("at {caller}: GOAWAY with {code:?} is the answer, and not {other:?}"),
            }
        }
    }

    /// Our side closes, and has said nothing of weight before.
    pub(crate) async fn hear_silent_close(&mut self) {
        assert_eq!(self.hear_weighty().await, None);
    }

    /// Nothing comes for so long.
    pub(crate) async fn hear_nothing_for(&mut self, time: Duration) {
        if let Ok(heard) = timeout(time, self.read()).await {
            panic!("nothing is to be said, and not {heard:?}");
        }
    }
}

// ----- against us -----

/// Our producer, whose consumer is the raw peer: both have said hello.
pub(crate) async fn against_producer(transport: Transport, hello: Fields) -> (Raw, CreditProducer<Bytes>, Driven) {
    let (raw, ours) = Raw::pipe(64 << 10);
    producer_over(transport, raw, ours, hello).await
}

pub(crate) async fn producer_over<T, C>(
    transport: Transport<C>,
    mut raw: Raw,
    ours: impl Io,
    hello: Fields,
) -> (Raw, CreditProducer<T>, Driven)
where
    T: Send + 'static,
    C: Codec<T>,
{
    let opening = tokio::spawn(async move { transport.producer::<T>(ours).await });
    raw.greet(&hello).await;
    let (tx, driver) = opening.await.expect("no panic").expect("the two say hello");
    let driven = tokio::spawn(driver);
    raw.hear_greeting().await;
    (raw, tx, driven)
}

/// Our consumer, whose producer is the raw peer: both have said hello.
pub(crate) async fn against_consumer(transport: Transport, window: Window) -> (Raw, CreditConsumer<Bytes>, Driven) {
    against_consumer_of(transport, window).await
}

pub(crate) async fn against_consumer_of<T, C>(
    transport: Transport<C>,
    window: Window,
) -> (Raw, CreditConsumer<T>, Driven)
where
    T: Send + 'static,
    C: Codec<T>,
{
    let (raw, ours) = Raw::pipe(64 << 10);
    consumer_over(transport, raw, ours, window).await
}

pub(crate) async fn consumer_over<T, C>(
    transport: Transport<C>,
    mut raw: Raw,
    ours: impl Io,
    window: Window,
) -> (Raw, CreditConsumer<T>, Driven)
where
    T: Send + 'static,
    C: Codec<T>,
{
    let opening = tokio::spawn(async move { transport.consumer::<T>(ours, window).await });
    raw.greet(&Fields::producer()).await;
    let (rx, driver) = opening.await.expect("no panic").expect("the two say hello");
    let driven = tokio::spawn(driver);
    raw.hear_greeting().await;
    (raw, rx, driven)
}

/// Our producer before anything was said.
pub(crate) fn opening_producer(transport: Transport) -> (Raw, Opening<CreditProducer<Bytes>>) {
    let (raw, ours) = Raw::pipe(64 << 10);
    (raw, tokio::spawn(async move { transport.producer(ours).await }))
}

/// Our consumer, with a window of 4 messages, before anything was said.
pub(crate) fn opening_consumer(transport: Transport) -> (Raw, Opening<CreditConsumer<Bytes>>) {
    let (raw, ours) = Raw::pipe(64 << 10);
    (raw, tokio::spawn(async move { transport.consumer(ours, Window::messages(4)).await }))
}
