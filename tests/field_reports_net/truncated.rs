//! The end of the stream inside a header, or inside a payload, is not the end of the channel.

use crate::raw::{bytes_of, chunk, hello, tcp_streams};
use crate::support::{LONG_WATCHDOG, on_both_runtimes_within};
use bytes::{Bytes, BytesMut};
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::wire::{Frame, FrameCodec, Role};
use credit_channel::{Disconnect, RecvError, Window};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_util::codec::Decoder;

/// How a peer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    Fin,
    Rst,
    #[cfg(unix)]
    Unix,
}

trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Io for S {}

/// Our end of a connection whose other end said this, and went.
async fn left_behind(goes: Goes, said: &[u8]) -> Box<dyn Io> {
    #[cfg(unix)]
    if goes == Goes::Unix {
        let (mut peer, ours) = tokio::net::UnixStream::pair().unwrap();
        peer.write_all(said).await.unwrap();
        return Box::new(ours);
    }
    let (mut peer, ours) = tcp_streams().await;
    peer.write_all(said).await.unwrap();
    if goes == Goes::Rst {
        // A stream that is closed without lingering is reset.
        #[allow(deprecated, reason = "it blocks where there is a time to linger, and here is none")]
        peer.set_linger(Some(Duration::ZERO)).unwrap();
    }
    Box::new(ours)
}

fn cut_off(reason: &Disconnect) -> bool {
    matches!(reason, Disconnect::Eof | Disconnect::Io(_))
}

/// vmux-ai/vmux#385, BurntSushi/rust-snappy#42, microsoft/thrifty#368: EOF inside a header counted as a clean end, or was
/// looped over for ever.
#[test]
fn report_53_stream_that_ends_at_any_byte_is_truncated() {
    on_both_runtimes_within(LONG_WATCHDOG, || cut_at_every_byte(Goes::Fin));
    on_both_runtimes_within(LONG_WATCHDOG, || cut_at_every_byte(Goes::Rst));
    #[cfg(unix)]
    on_both_runtimes_within(LONG_WATCHDOG, || cut_at_every_byte(Goes::Unix));
}

async fn cut_at_every_byte(goes: Goes) {
    let script = bytes_of([Frame::Hello(hello(Role::Producer)), chunk(0, "hello"), chunk(1, ""), chunk(2, "credit")]);
    for after in 0..=script.len() {
        let said = &script[..after];
        let whole = whole_frames(said);
        let ours = left_behind(goes, said).await;
        let start = Instant::now();
        match Transport::new().consumer::<Bytes>(ours, Window::messages(4)).await {
            Err(ConnectError::Lost(reason)) => {
                assert!(cut_off(&reason), "{reason:?}");
                // What was reset may have been lost before it was read.
                assert!(whole == 0 || goes == Goes::Rst, "cut after {after}");
            }
            Err(other) => panic!("{other:?}"),
            Ok((mut rx, driver)) => {
                assert!(whole > 0, "cut after {after}");
                let driving = tokio::spawn(driver);
                let mut received = 0;
                let error = loop {
                    match rx.recv().await {
                        Ok(Some(chunk)) => {
                            assert_eq!(chunk.seq(), received);
                            received += 1;
                        }
                        Ok(None) => panic!("no clean end: cut after {after}"),
                        Err(error) => break error,
                    }
                };
                let RecvError::Truncated { received: told, reason } = error else { panic!("{error:?}") };
                assert!(cut_off(&reason), "{reason:?}");
                assert_eq!(told, received);
                assert!(received == whole - 1 || (goes == Goes::Rst && received < whole), "cut after {after}");
                assert_eq!(driving.await.unwrap(), Err(reason));
            }
        }
        // Nothing is waited for. (A second, where the report says 100 ms: this machine has other work too.)
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
}

fn whole_frames(said: &[u8]) -> u64 {
    let mut codec = FrameCodec::new(1 << 20);
    let mut bytes = BytesMut::from(said);
    let mut whole = 0;
    while let Ok(Some(_)) = codec.decode(&mut bytes) {
        whole += 1;
    }
    whole
}
