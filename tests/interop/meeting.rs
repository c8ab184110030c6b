//! How the two meet: over TCP or a unix socket, and either may be the one that listens.

use crate::peer::Peer;
use bytes::Bytes;
use credit_channel::transport::{Transport, tcp};
use credit_channel::{CreditConsumer, CreditProducer, Disconnect, Window};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    Tcp,
    TcpToThePeer,
    #[cfg(unix)]
    Unix,
    #[cfg(unix)]
    UnixToThePeer,
}

pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// What became of the connection on our side.
pub(crate) type Driving = JoinHandle<Result<(), Disconnect>>;

/// Starts the peer, and connects to it.
pub(crate) async fn meet(link: Link, arguments: &[&str]) -> (Box<dyn Io>, Peer) {
    match link {
        Link::Tcp => {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("an address").to_string();
            let peer = Peer::start(&[arguments, &["--connect", "--tcp", &address]].concat());
            let (socket, _) = listener.accept().await.expect("the peer connects");
            (Box::new(tcp(socket).expect("a TCP socket")), peer)
        }
        Link::TcpToThePeer => {
            let mut peer = Peer::start(&[arguments, &["--listen", "--tcp", "127.0.0.1:0"]].concat());
            let socket = TcpStream::connect(peer.address().await).await.expect("the peer accepts");
            (Box::new(tcp(socket).expect("a TCP socket")), peer)
        }
        #[cfg(unix)]
        Link::Unix => {
            let path = crate::socket_path::SocketPath::new();
            let listener = tokio::net::UnixListener::bind(path.text()).expect("a free path");
            let peer = Peer::start(&[arguments, &["--connect", "--unix", path.text()]].concat());
            let (socket, _) = listener.accept().await.expect("the peer connects");
            (Box::new(socket), peer)
        }
        #[cfg(unix)]
        Link::UnixToThePeer => {
            let path = crate::socket_path::SocketPath::new();
            let mut peer = Peer::start(&[arguments, &["--listen", "--unix", path.text()]].concat());
            let socket = tokio::net::UnixStream::connect(peer.address().await).await.expect("the peer accepts");
            (Box::new(socket), peer)
        }
    }
}

/// Our producer, and the Python consumer at the other end.
pub(crate) async fn producer(
    link: Link,
    transport: Transport,
    arguments: &[&str],
) -> (CreditProducer<Bytes>, Driving, Peer) {
    let (io, peer) = meet(link, &[&["consumer"], arguments].concat()).await;
    let (tx, driver) = transport.producer(io).await.expect("a consumer is at the other end");
    (tx, tokio::spawn(driver), peer)
}

/// Our consumer, and the Python producer at the other end.
pub(crate) async fn consumer(
    link: Link,
    transport: Transport,
    window: Window,
    arguments: &[&str],
) -> (CreditConsumer<Bytes>, Driving, Peer) {
    let (io, peer) = meet(link, &[&["producer"], arguments].concat()).await;
    let (rx, driver) = transport.consumer(io, window).await.expect("a producer is at the other end");
    (rx, tokio::spawn(driver), peer)
}
