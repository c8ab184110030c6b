//! One channel over whatever can carry it: in one process, and over each kind of transport.

use super::{Census, Counted, FLAVOURS, WATCHDOG, runtime, until, within};
use bytes::{Bytes, BytesMut};
use credit_channel::codec::{Bincode, Codec, Raw};
use credit_channel::transport::{ConnectError, Driver, MpscFrames, Transport, tcp};
use credit_channel::{Builder, CreditConsumer, CreditProducer, Disconnect, Stats, Window};
use std::convert::Infallible;
use std::panic::resume_unwind;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::messages::Messages;

/// What is between the producer and the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Nothing.
    InProcess,
    /// Frames with values as they are, over a pair of tokio channels.
    Mpsc,
    /// Frames as messages of their own.
    Messages,
    /// A pipe in memory, of so many bytes.
    Duplex(usize),
    /// A TCP connection.
    Tcp,
    /// A unix socket.
    #[cfg(unix)]
    Unix,
}

/// All of them; one of the pipes is too small for any frame.
pub(crate) const CARRIERS: &[Carrier] = &[
    Carrier::InProcess,
    Carrier::Mpsc,
    Carrier::Messages,
    Carrier::Duplex(24),
    Carrier::Duplex(64 << 10),
    Carrier::Tcp,
    #[cfg(unix)]
    Carrier::Unix,
];

// ----- running -----

/// Runs the test over every carrier, on a runtime of each kind.
pub(crate) fn everywhere<F, Fut>(test: F)
where
    F: Fn(Carrier) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    over(|_| true, WATCHDOG, test);
}

/// As [`everywhere`], where values are turned into bytes or weighed as such: not over [`Carrier::Mpsc`].
pub(crate) fn wherever_bytes_count<F, Fut>(test: F)
where
    F: Fn(Carrier) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    over(|carrier| carrier != Carrier::Mpsc, WATCHDOG, test);
}

/// As [`everywhere`], where there is a connection that can be lost.
pub(crate) fn over_every_connection<F, Fut>(test: F)
where
    F: Fn(Carrier) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    over(|carrier| carrier != Carrier::InProcess, WATCHDOG, test);
}

/// Runs the test over those carriers, each run with this patience.
pub(crate) fn over<F, Fut>(wanted: fn(Carrier) -> bool, limit: Duration, test: F)
where
    F: Fn(Carrier) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    for &carrier in CARRIERS.iter().filter(|carrier| wanted(**carrier)) {
        for flavour in FLAVOURS {
            let future = test(carrier);
            within(limit, format!("the test over {carrier:?} on {flavour:?}"), move || {
                // Spawned, so that it runs under tokio's cooperative budget as the tasks of a service do.
                let runtime = runtime(flavour);
                let done = runtime.block_on(runtime.spawn(future));
                done.unwrap_or_else(|failed| {
                    eprintln!("this was over {carrier:?} on {flavour:?}");
                    resume_unwind(failed.into_panic())
                });
            });
        }
    }
}

// ----- opening -----

/// Both ends, and what drives the connection between them.
pub(crate) struct Open<T> {
    pub(crate) tx: CreditProducer<T>,
    pub(crate) rx: CreditConsumer<T>,
    pub(crate) line: Line,
}

impl Carrier {
    /// Opens a channel; what drives it is left to itself.
    pub(crate) async fn open<T: Payload>(self, window: Window) -> (CreditProducer<T>, CreditConsumer<T>) {
        let Open { tx, rx, .. } = self.open_line(window).await;
        (tx, rx)
    }

    /// Opens a channel, and keeps hold of the connection.
    pub(crate) async fn open_line<T: Payload>(self, window: Window) -> Open<T> {
        self.open_with(T::codec(), window).await
    }

    /// Opens a channel whose values weigh what they count for in their census.
    pub(crate) async fn open_counted(self, census: &Census, window: Window) -> Open<Counted> {
        self.open_with(Counting(census.clone()), window).await
    }

    /// Opens a channel for values that this codec writes; in one process they weigh what it would write.
    pub(crate) async fn open_with<T, C>(self, codec: C, window: Window) -> Open<T>
    where
        T: Send + 'static,
        C: Codec<T>,
    {
        match self {
            Self::InProcess => {
                let weigh = move |value: &T| codec.measure(value).expect("a test value can be written");
                let (tx, rx) = Builder::new(window).weigh_with(weigh).open().expect("a window");
                Open { tx, rx, line: Line(None) }
            }
            Self::Mpsc => {
                let (near, far) = MpscFrames::pair(1);
                let transport = Transport::new();
                connect(transport.frame_producer(near), transport.frame_consumer(far, window)).await
            }
            Self::Messages => {
                let (near, far) = Messages::pair(4);
                let transport = Transport::new().codec(codec);
                connect(transport.message_producer(near), transport.message_consumer(far, window)).await
            }
            Self::Duplex(size) => {
                let (near, far) = duplex(size);
                stream(codec, near, far, window).await
            }
            Self::Tcp => {
                let (near, far) = tcp_pair().await;
                stream(codec, near, far, window).await
            }
            #[cfg(unix)]
            Self::Unix => {
                let (near, far) = tokio::net::UnixStream::pair().expect("a pair of sockets");
                stream(codec, near, far, window).await
            }
        }
    }
}

async fn tcp_pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
    (tcp(near.expect("it connects")).expect("a socket"), tcp(far.expect("it accepts").0).expect("a socket"))
}

async fn stream<T, C, S>(codec: C, near: S, far: S, window: Window) -> Open<T>
where
    T: Send + 'static,
    C: Codec<T>,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let transport = Transport::new().codec(codec);
    connect(transport.producer(near), transport.consumer(far, window)).await
}

/// Opens both ends, has them driven, and waits for the first CREDIT, so that the window is open as it is in one process.
pub(crate) async fn connect<T>(
    producer: impl Future<Output = Result<(CreditProducer<T>, Driver), ConnectError>>,
    consumer: impl Future<Output = Result<(CreditConsumer<T>, Driver), ConnectError>>,
) -> Open<T> {
    let ((tx, near), (rx, far)) = tokio::try_join!(producer, consumer).expect("the two ends greet each other");
    let line = Line(Some(Drivers { producer: tokio::spawn(near), consumer: tokio::spawn(far) }));
    until(|| is_home(tx.stats())).await;
    Open { tx, rx, line }
}

/// Whether every credit is back at the producer.
pub(crate) fn is_home(stats: Stats) -> bool {
    let (credit, window) = (stats.credit, stats.window);
    let full = |credit, limit: Option<u64>| credit == limit.unwrap_or(0);
    full(credit.messages(), window.message_limit()) && full(credit.bytes(), window.byte_limit())
}

/// Waits until every credit is back at the producer.
pub(crate) async fn is_back<T>(tx: &CreditProducer<T>) {
    until(|| is_home(tx.stats())).await;
    super::assert_balanced(tx.stats(), true);
}

// ----- the connection -----

/// The tasks that drive a connection; none in one process.
pub(crate) struct Line(Option<Drivers>);

pub(crate) struct Drivers {
    pub(crate) producer: JoinHandle<Result<(), Disconnect>>,
    pub(crate) consumer: JoinHandle<Result<(), Disconnect>>,
}

impl Line {
    /// Waits until both ends have parted, knowing all about each other.
    pub(crate) async fn over(self) {
        if let Some(Drivers { producer, consumer }) = self.0 {
            assert_eq!(producer.await.expect("the producer's driver"), Ok(()));
            assert_eq!(consumer.await.expect("the consumer's driver"), Ok(()));
        }
    }

    pub(crate) fn drivers(self) -> Drivers {
        self.0.expect("only in one process there are none")
    }
}

// ----- payloads -----

/// A type with a codec that the tests use for it.
pub(crate) trait Payload: Send + Sized + 'static {
    type Codec: Codec<Self>;
    fn codec() -> Self::Codec;
}

macro_rules! by_bincode {
    ($($payload:ty),+) => {$(
        impl Payload for $payload {
            type Codec = Bincode;
            fn codec() -> Bincode {
                Bincode
            }
        }
    )+};
}

by_bincode!(u64, String, (usize, u64));

impl Payload for Bytes {
    type Codec = Raw;
    fn codec() -> Raw {
        Raw
    }
}

impl Payload for Vec<u8> {
    type Codec = Octets;
    fn codec() -> Octets {
        Octets
    }
}

/// Vectors of bytes as they are, so that they weigh what they are long.
pub(crate) struct Octets;

impl Codec<Vec<u8>> for Octets {
    type Error = Infallible;

    fn measure(&self, value: &Vec<u8>) -> Result<usize, Infallible> {
        Ok(value.len())
    }

    fn encode(&self, value: Vec<u8>, _: &mut BytesMut) -> Result<Bytes, Infallible> {
        Ok(value.into())
    }

    fn decode(&self, payload: Bytes) -> Result<Vec<u8>, Infallible> {
        Ok(payload.into())
    }
}

/// What was counted at the producer is counted at the consumer, and not while it is bytes.
pub(crate) struct Counting(pub(crate) Census);

impl Codec<Counted> for Counting {
    type Error = Infallible;

    fn measure(&self, value: &Counted) -> Result<usize, Infallible> {
        Ok(credit_channel::Weigh::weight_bytes(value))
    }

    fn encode(&self, value: Counted, _: &mut BytesMut) -> Result<Bytes, Infallible> {
        Ok(vec![0; credit_channel::Weigh::weight_bytes(&value)].into())
    }

    fn decode(&self, payload: Bytes) -> Result<Counted, Infallible> {
        Ok(self.0.weighing(u64::try_from(payload.len()).expect("a length")))
    }
}
