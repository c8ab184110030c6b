//! The pair over a connection: TCP, unix sockets, pipes, TLS, anything `AsyncRead + AsyncWrite`, and transports
//! of messages or of frames.
//!
//! [`Transport`] says how; each end of the channel is opened on a connection that exists already, and comes with
//! a [`Driver`]. The types are the same as in one process, and so is what they promise, with the window end to
//! end: what waits at the producer, what is in the socket, what waits at the consumer and what is being
//! worked on are at most the window together.
//!
//! ```text
//!   send ─▶ queue ─▶ driver ─▶ CHUNK … wire … ─▶ driver ─▶ queue ─▶ recv ─▶ Chunk { value, guard }
//!    ▲                                                                         │ work
//!    └── credit ◀── driver ◀── CREDIT … wire … ◀── driver ◀── released ◀── drop(guard)
//! ```
//!
//! Small chunks are gathered as long as more come, up to a sixth of the window or 60 KiB, whichever is less: what is
//! written is worked on while the next is gathered. Large ones are written as they are.
//!
//! What goes over the wire is specified in PROTOCOL.md; [`session`](crate::session) is the protocol as a state
//! machine and [`wire`](crate::wire) its bytes. Here are the only sockets and timers.
//!
//! # Examples
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use bytes::Bytes;
//! use credit_channel::{Window, transport::{Transport, tcp}};
//! use tokio::net::{TcpListener, TcpStream};
//!
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! let address = listener.local_addr()?;
//!
//! tokio::spawn(async move {
//!     let (socket, _) = listener.accept().await.unwrap();
//!     let (tx, driver) = Transport::new().producer::<Bytes>(tcp(socket).unwrap()).await.unwrap();
//!     tokio::spawn(driver);
//!     for page in ["first page", "second page"] {
//!         tx.send(Bytes::from(page)).await.unwrap();
//!     }
//!     tx.end();
//! });
//!
//! let socket = tcp(TcpStream::connect(address).await?)?;
//! let (mut rx, driver) = Transport::new().consumer::<Bytes>(socket, Window::messages(4)).await?;
//! tokio::spawn(driver);
//! let mut pages = 0;
//! while let Some(page) = rx.recv().await? {
//!     assert!(page.ends_with(b"page"));
//!     pages += 1; // the work; the credit travels back when `page` is dropped
//! }
//! assert_eq!(pages, 2);
//! # Ok(())
//! # }
//! ```

mod batch;
mod bytes;
mod config;
mod consuming;
mod driver;
mod frames;
mod link;
mod messages;
mod mpsc;
mod open;
mod pipes;
mod producing;
mod pump;
mod sockets;
mod spares;
#[cfg_attr(any(not(feature = "tracing"), credit_channel_loom), path = "no_story.rs")]
mod story;
mod wrap;
mod write_queue;

pub use config::Transport;
pub use driver::{ConnectionMeter, Driver};
pub use mpsc::MpscFrames;
pub use open::ConnectError;
pub use pipes::{Pipes, pipes};
#[cfg(unix)]
pub use sockets::stdio;
pub use sockets::tcp;
