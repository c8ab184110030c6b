//! A peer that says what it is told to, frame by frame.

use bytes::{Bytes, BytesMut};
use credit_channel::Credit;
use credit_channel::wire::{Frame, FrameCodec, Grant, Hello, Role, Units, Version};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::{Decoder, Encoder};

pub(crate) struct Raw {
    pub(crate) io: TcpStream,
    codec: FrameCodec,
    incoming: BytesMut,
}

/// What a peer of this role says first; as a consumer it has a window of 4 messages.
pub(crate) fn hello(role: Role) -> Hello {
    Hello {
        version: Version::CURRENT,
        role,
        units: Units { messages: true, bytes: role == Role::Producer },
        features: 0,
        max_frame: 1 << 20,
        idle_timeout: Duration::from_secs(30),
        ping_interval: Duration::ZERO,
        window: if role == Role::Consumer { Credit::new(4, 0) } else { Credit::ZERO },
        session: [0x52; 16],
    }
}

/// So many messages may have been sent, and of so many the work is done.
pub(crate) fn credit(limit: u64, released: u64) -> Frame<Bytes> {
    let [limit, released, window] = [limit, released, 4].map(|messages| Credit::new(messages, 0));
    Frame::Credit(Grant { limit, released, window })
}

pub(crate) fn chunk(seq: u64, payload: &'static str) -> Frame<Bytes> {
    Frame::Chunk { seq, payload: Bytes::from_static(payload.as_bytes()) }
}

/// A raw peer, and the connection's other end.
pub(crate) async fn raw() -> (Raw, TcpStream) {
    let (near, far) = tcp_streams().await;
    (Raw { io: near, codec: FrameCodec::new(1 << 20), incoming: BytesMut::new() }, far)
}

pub(crate) async fn tcp_streams() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (near, far) = (near.expect("it connects"), far.expect("it accepts").0);
    near.set_nodelay(true).expect("a socket");
    far.set_nodelay(true).expect("a socket");
    (near, far)
}

/// Frames as bytes, from the preface on.
pub(crate) fn bytes_of(frames: impl IntoIterator<Item = Frame<Bytes>>) -> BytesMut {
    let mut bytes = BytesMut::new();
    let mut codec = FrameCodec::new(1 << 20);
    codec.set_peer_max_frame(1 << 20);
    for frame in frames {
        codec.encode(frame, &mut bytes).expect("a legal frame");
    }
    bytes
}

impl Raw {
    /// Writes frames in one go.
    pub(crate) async fn say(&mut self, frames: impl IntoIterator<Item = Frame<Bytes>>) -> io::Result<()> {
        let mut bytes = BytesMut::new();
        for frame in frames {
            self.codec.encode(frame, &mut bytes).expect("a legal frame");
        }
        self.io.write_all(&bytes).await
    }

    /// The next frame that is not HELLO; `None` at the end of the stream.
    pub(crate) async fn hear(&mut self) -> Option<Frame<Bytes>> {
        loop {
            match self.codec.decode(&mut self.incoming).expect("our side speaks the protocol") {
                Some(Frame::Hello(_)) => {}
                Some(frame) => return Some(frame),
                None if self.io.read_buf(&mut self.incoming).await.is_ok_and(|read| read > 0) => {}
                None => return None,
            }
        }
    }
}
