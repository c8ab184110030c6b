//! Opening an end of a channel on a connection.

use super::bytes::ByteLink;
use super::consuming::Consuming;
use super::frames::FrameLink;
use super::link::Link;
use super::messages::MessageFrames;
use super::producing::Producing;
use super::pump::{Pump, Side};
use super::story::told;
use super::wrap::{Coded, Plain, Wrap};
use super::{Driver, Transport};
use crate::channel::{Inlet, Outlet, Weigher};
use crate::codec::Codec;
use crate::session::{Event, Session};
use crate::wire::{Frame, Hello};
use crate::{Credit, CreditConsumer, CreditProducer, Disconnect, Window, WindowError};
use ::bytes::Bytes;
use futures_core::Stream;
use futures_sink::Sink;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;
use std::{error, fmt, io};
use tokio::io::{AsyncRead, AsyncWrite};

/// A chunk's frame is longer than its payload by its number.
const SEQ_BYTES: u64 = 8;

impl<C> Transport<C> {
    // ----- streams of bytes -----

    /// Opens the producer's end on a stream of bytes: waits until the consumer at the other end has said hello,
    /// and returns the producer and what drives the connection.
    ///
    /// It does not matter which side connected and which accepted.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the stream.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Lost`] if the other end is no consumer of this protocol and version, or says nothing in
    /// time.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with its time driver enabled, as tokio's timers do.
    pub async fn producer<T>(
        &self,
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(CreditProducer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
    {
        self.open_coded_producer(ByteLink::new(io, self.settings.max_frame)).await
    }

    /// Opens the consumer's end on a stream of bytes, under this window: waits until the producer at the other
    /// end has said hello, and returns the consumer and what drives the connection.
    ///
    /// A window of bytes also limits the messages, to one for each 64 bytes of it and at least 16, so that
    /// tiny chunks cost no more memory than large ones.
    ///
    /// # Cancel safety
    ///
    /// As [`producer`](Self::producer).
    ///
    /// # Errors
    ///
    /// [`ConnectError::Window`] for a window of 0, else as [`producer`](Self::producer).
    ///
    /// # Panics
    ///
    /// As [`producer`](Self::producer).
    pub async fn consumer<T>(
        &self,
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        window: Window,
    ) -> Result<(CreditConsumer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
    {
        self.open_coded_consumer(ByteLink::new(io, self.settings.max_frame), window).await
    }

    // ----- streams of messages -----

    /// As [`producer`](Self::producer), on a transport that keeps messages apart, such as a WebSocket: every
    /// message is one frame. Anything that is a `Stream` and a `Sink` of `Bytes` will do.
    ///
    /// # Errors
    ///
    /// As [`producer`](Self::producer).
    pub async fn message_producer<T, S, M, E>(&self, messages: S) -> Result<(CreditProducer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
        S: Stream<Item = Result<M, E>> + Sink<Bytes, Error = E> + Unpin + Send + 'static,
        M: Into<Bytes> + 'static,
        E: Into<Box<dyn error::Error + Send + Sync>> + 'static,
    {
        self.open_coded_producer(FrameLink::new(MessageFrames::new(messages, self.settings.max_frame))).await
    }

    /// As [`consumer`](Self::consumer), on a transport that keeps messages apart.
    ///
    /// # Errors
    ///
    /// As [`consumer`](Self::consumer).
    pub async fn message_consumer<T, S, M, E>(
        &self,
        messages: S,
        window: Window,
    ) -> Result<(CreditConsumer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
        S: Stream<Item = Result<M, E>> + Sink<Bytes, Error = E> + Unpin + Send + 'static,
        M: Into<Bytes> + 'static,
        E: Into<Box<dyn error::Error + Send + Sync>> + 'static,
    {
        self.open_coded_consumer(FrameLink::new(MessageFrames::new(messages, self.settings.max_frame)), window).await
    }

    // ----- streams of frames -----

    /// As [`producer`](Self::producer), with frames that carry values as they are: over
    /// [`MpscFrames`](super::MpscFrames), or anything that is a `Stream` and a `Sink` of [`Frame`]s.
    ///
    /// # Errors
    ///
    /// As [`producer`](Self::producer); a consumer whose window counts bytes is refused, since nothing says
    /// what a value weighs.
    pub async fn frame_producer<T>(
        &self,
        frames: impl Stream<Item = io::Result<Frame<T>>> + Sink<Frame<T>, Error = io::Error> + Unpin + Send + 'static,
    ) -> Result<(CreditProducer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
    {
        let weightless = |_: &Hello, _: &Plain<T>| -> Weigher<T> { Box::new(|_| Ok(0)) };
        let session = Session::unweighed_producer(self.settings.clone(), session_id(), now());
        open_producer(FrameLink::new(frames), session, Plain::new(), weightless, self.ahead).await
    }

    /// As [`consumer`](Self::consumer), with frames that carry values as they are, under a window of messages.
    ///
    /// # Errors
    ///
    /// As [`consumer`](Self::consumer); a window that counts bytes is [`WindowError::Unweighed`].
    pub async fn frame_consumer<T>(
        &self,
        frames: impl Stream<Item = io::Result<Frame<T>>> + Sink<Frame<T>, Error = io::Error> + Unpin + Send + 'static,
        window: Window,
    ) -> Result<(CreditConsumer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
    {
        if window.byte_limit().is_some() {
            return Err(WindowError::Unweighed.into());
        }
        self.open_consumer(FrameLink::new(frames), Plain::new(), window).await
    }

    // ----- inside -----

    async fn open_coded_producer<T, L>(&self, link: L) -> Result<(CreditProducer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
        L: Link<Payload = Bytes> + Send + 'static,
    {
        let weigher = |hello: &Hello, coded: &Coded<C>| coded.weigher(u64::from(hello.max_frame) - SEQ_BYTES);
        let session = Session::producer(self.settings.clone(), session_id(), <Coded<C> as Wrap<T>>::length, now());
        open_producer(link, session, Coded::new(Arc::clone(&self.codec)), weigher, self.ahead).await
    }

    async fn open_coded_consumer<T, L>(
        &self,
        link: L,
        window: Window,
    ) -> Result<(CreditConsumer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        C: Codec<T>,
        L: Link<Payload = Bytes> + Send + 'static,
    {
        self.open_consumer(link, Coded::new(Arc::clone(&self.codec)), window).await
    }

    async fn open_consumer<T, L, W>(
        &self,
        link: L,
        wrap: W,
        window: Window,
    ) -> Result<(CreditConsumer<T>, Driver), ConnectError>
    where
        T: Send + 'static,
        L: Link + Send + 'static,
        L::Payload: Send,
        W: Wrap<T, Payload = L::Payload> + Send + 'static,
    {
        let window = window.check()?.with_bookkeeping();
        let session = Session::consumer(self.settings.clone(), session_id(), W::length, window, now());
        let (mut pump, _hello) = greet(link, session).await?;
        let (rx, inlet) = Inlet::open(window);
        let meter = pump.meter();
        let run = async move {
            let mut side = Consuming::new(inlet, wrap);
            pump.run(&mut side).await
        };
        Ok((rx, Driver::new(told("consumer", run), meter)))
    }
}

async fn open_producer<T, L, W>(
    link: L,
    session: Session<L::Payload>,
    wrap: W,
    weigher: impl FnOnce(&Hello, &W) -> Weigher<T>,
    ahead: Window,
) -> Result<(CreditProducer<T>, Driver), ConnectError>
where
    T: Send + 'static,
    L: Link + Send + 'static,
    L::Payload: Send,
    W: Wrap<T, Payload = L::Payload> + Send + 'static,
{
    let (mut pump, hello) = greet(link, session).await?;
    let window = Window::of(
        hello.units.messages.then_some(hello.window.messages()),
        hello.units.bytes.then_some(hello.window.bytes()),
    );
    let most = Window::MAX;
    let ahead = Credit::new(
        ahead.message_limit().unwrap_or(most),
        // One chunk always may, however large.
        ahead.byte_limit().unwrap_or(most).max(hello.max_frame.into()),
    );
    let (tx, outlet) = Outlet::open(window, ahead, weigher(&hello, &wrap));
    let meter = pump.meter();
    let run = async move {
        let mut side = Producing::new(outlet, wrap);
        pump.run(&mut side).await
    };
    Ok((tx, Driver::new(told("producer", run), meter)))
}

/// Shakes hands.
async fn greet<L: Link>(link: L, session: Session<L::Payload>) -> Result<(Pump<L>, Hello), Disconnect> {
    /// What there is before there is a channel.
    #[derive(Default)]
    struct Greeting(Option<Hello>);

    impl<L: Link> Side<L> for Greeting {
        fn on_event(&mut self, event: Event<L::Payload>, _: &mut Session<L::Payload>) {
            if let Event::Opened(hello) = event {
                self.0 = Some(hello);
            }
        }

        fn is_waiting(&self) -> bool {
            self.0.is_none()
        }
    }

    let mut pump = Pump::new(link, session);
    let mut greeting = Greeting::default();
    pump.run(&mut greeting).await?;
    match greeting.0 {
        Some(hello) => Ok((pump, hello)),
        None => Err(Disconnect::Eof),
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// A name that no other session is likely to have. std's hasher draws its keys from the system.
fn session_id() -> [u8; 16] {
    let half = || RandomState::new().hash_one(0_u8).to_be_bytes();
    let mut id = [0; 16];
    id[..8].copy_from_slice(&half());
    id[8..].copy_from_slice(&half());
    id
}

/// Why an end of a channel could not be opened on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectError {
    /// The consumer's window is none.
    Window(WindowError),
    /// The connection did not come to a channel.
    Lost(Disconnect),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window(error) => error.fmt(f),
            Self::Lost(reason) => write!(f, "no channel on this connection: {reason}"),
        }
    }
}

impl error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Window(error) => Some(error),
            Self::Lost(reason) => Some(reason),
        }
    }
}

impl From<WindowError> for ConnectError {
    fn from(error: WindowError) -> Self {
        Self::Window(error)
    }
}

impl From<Disconnect> for ConnectError {
    fn from(reason: Disconnect) -> Self {
        Self::Lost(reason)
    }
}
