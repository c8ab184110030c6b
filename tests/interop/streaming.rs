//! 10,000 chunks each way, over every kind of link, with a checksum at both ends.

use crate::meeting::{Link, consumer, producer};
use crate::payloads::{Checksum, SIZES, payloads};
use crate::peer::interop;
use credit_channel::Window;
use credit_channel::transport::Transport;

const CHUNKS: u64 = 10_000;

async fn to_python(link: Link) {
    let arguments = ["--window-messages", "64", "--window-bytes", "20000", "--grease"];
    let (tx, driving, peer) = producer(link, Transport::new(), &arguments).await;
    let mut checksum = Checksum::new();
    for payload in payloads(CHUNKS, SIZES) {
        checksum.add(&payload);
        tx.send(payload).await.expect("the peer takes it");
    }
    tx.end_and_wait().await.expect("the peer has worked everything off");
    driving.await.expect("no panic").expect("an orderly end");

    let report = peer.report().await;
    assert_eq!(report.outcome(), "END");
    assert_eq!(report.number("chunks"), CHUNKS);
    assert_eq!(report.get("checksum"), checksum.text());
    assert!(report.number("peak-messages") <= 64 && report.number("peak-bytes") <= 20_000, "{report:?}");
    assert_eq!(report.number("lingered"), 0, "our side closes at once");
}

async fn from_python(link: Link) {
    let window = Window::messages(64).and_bytes(20_000);
    let (mut rx, driving, peer) = consumer(link, Transport::new(), window, &["--seed", "7", "--grease"]).await;
    let mut checksum = Checksum::new();
    let mut received = 0;
    while let Some(chunk) = rx.recv().await.expect("no error") {
        assert_eq!(chunk.seq(), received);
        checksum.add(&chunk);
        received += 1;
    }
    assert_eq!(received, CHUNKS);
    let peak = rx.stats().peak_depth;
    assert!(peak.messages() <= 64 && peak.bytes() <= 20_000, "{peak:?}");
    driving.await.expect("no panic").expect("an orderly end");

    let report = peer.report().await;
    assert_eq!(report.outcome(), "DONE", "the peer knows that all is worked off");
    assert_eq!(report.number("chunks"), CHUNKS);
    assert_eq!(report.get("checksum"), checksum.text());
    assert_eq!(report.number("lingered"), 0, "our side closes at once");
}

#[test]
fn to_python_over_tcp() {
    interop(to_python(Link::Tcp));
}

#[test]
fn to_python_over_tcp_that_python_accepts() {
    interop(to_python(Link::TcpToThePeer));
}

#[test]
#[cfg(unix)]
fn to_python_over_a_unix_socket() {
    interop(to_python(Link::Unix));
}

#[test]
#[cfg(unix)]
fn to_python_over_a_unix_socket_that_python_accepts() {
    interop(to_python(Link::UnixToThePeer));
}

#[test]
fn from_python_over_tcp() {
    interop(from_python(Link::Tcp));
}

#[test]
fn from_python_over_tcp_that_python_accepts() {
    interop(from_python(Link::TcpToThePeer));
}

#[test]
#[cfg(unix)]
fn from_python_over_a_unix_socket() {
    interop(from_python(Link::Unix));
}

#[test]
#[cfg(unix)]
fn from_python_over_a_unix_socket_that_python_accepts() {
    interop(from_python(Link::UnixToThePeer));
}
