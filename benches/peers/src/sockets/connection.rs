//! A connected pair of sockets, and one run over it.

use super::{Kind, Peer};
use crate::measure::Sample;
use crate::runtime::Runtime;
use bytes::Bytes;
use std::hint::black_box;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;
use tokio::net;
use tokio_util::either::Either;

pub type Socket = Either<net::TcpStream, net::UnixStream>;

/// What is to be carried.
#[derive(Clone)]
pub struct Transfer {
    pub chunk: Bytes,
    pub chunks: u64,
    pub window: u32,
}

impl Transfer {
    /// The consumer's work: a look at both ends of the chunk.
    pub fn work(&self, chunk: &[u8]) {
        assert_eq!(chunk.len(), self.chunk.len(), "a chunk came whole");
        black_box(chunk[0] ^ chunk[chunk.len() - 1]);
    }
}

/// Carries everything once. The time includes opening the channel, and ends when the last chunk was worked on.
pub fn run_once<P: Peer>(kind: Kind, transfer: Transfer) -> Sample {
    let messages = transfer.chunks;
    let (near, far) = connect(kind);
    let theirs = transfer.clone();
    let (done, wait) = mpsc::channel::<()>();
    let start = Instant::now();
    let producer = thread::spawn(move || {
        Runtime::Current.with_io().block_on(async {
            let socket = attach(kind, near);
            let alive = tokio::spawn(P::produce(socket, theirs)).await.expect("producer panicked");
            let _ = tokio::task::spawn_blocking(move || wait.recv()).await;
            drop(alive);
        });
    });
    let took = Runtime::Current.with_io().block_on(async {
        let socket = attach(kind, far);
        tokio::spawn(P::consume(socket, transfer)).await.expect("consumer panicked");
        start.elapsed()
    });
    drop(done);
    producer.join().expect("the producer's thread ends");
    Sample { messages, took }
}

fn connect(kind: Kind) -> (OwnedFd, OwnedFd) {
    match kind {
        Kind::Tcp => {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let near = TcpStream::connect(listener.local_addr().expect("its address")).expect("a connection");
            let (far, _) = listener.accept().expect("a connection");
            for socket in [&near, &far] {
                socket.set_nodelay(true).expect("TCP_NODELAY");
                socket.set_nonblocking(true).expect("O_NONBLOCK");
                set_congestion_control(socket);
            }
            (near.into(), far.into())
        }
        Kind::Unix => {
            let (near, far) = UnixStream::pair().expect("a pair of sockets");
            for socket in [&near, &far] {
                socket.set_nonblocking(true).expect("O_NONBLOCK");
            }
            (near.into(), far.into())
        }
    }
}

/// Linux's default, whatever this machine's is: BBR paces what it sends, also within the machine, and then it is its
/// guess of the bandwidth that is measured.
#[cfg(target_os = "linux")]
fn set_congestion_control(socket: &TcpStream) {
    let socket = socket2::SockRef::from(socket);
    let set = socket.set_tcp_congestion(b"cubic").or_else(|_| socket.set_tcp_congestion(b"reno"));
    set.expect("reno is always there");
}

#[cfg(not(target_os = "linux"))]
fn set_congestion_control(_: &TcpStream) {}

fn attach(kind: Kind, fd: OwnedFd) -> Socket {
    match kind {
        Kind::Tcp => Either::Left(net::TcpStream::from_std(fd.into()).expect("a socket of this runtime")),
        Kind::Unix => Either::Right(net::UnixStream::from_std(fd.into()).expect("a socket of this runtime")),
    }
}
