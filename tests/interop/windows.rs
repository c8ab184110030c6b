//! The window, in messages, in bytes and in both: run full on purpose, from either side.

use crate::meeting::{Link, consumer, producer};
use crate::payloads::{SIZES, length_of, payloads};
use crate::peer::interop;
use credit_channel::transport::Transport;
use credit_channel::{TryRecvError, Window};
use std::time::Duration;
use tokio::time::sleep;

const CHUNKS: u64 = 300;
const STALLS: u64 = 5;
/// For so long nothing may come once the window is full.
const QUIET: Duration = Duration::from_millis(100);

/// The peer lets its window run full five times. It knows what the next chunk costs: if we stop before that does not
/// fit, it waits for ever, and if we do not stop then, it says so.
async fn we_stop_exactly_there(window: &[&str]) -> crate::peer::Report {
    let arguments = [window, &["--chunks", "300", "--stalls", "5", "--quiet", "0.1"]].concat();
    let (tx, driving, peer) = producer(Link::Tcp, Transport::new(), &arguments).await;
    for payload in payloads(CHUNKS, SIZES) {
        tx.send(payload).await.expect("the peer takes it");
    }
    tx.end_and_wait().await.expect("the peer has worked everything off");
    driving.await.expect("no panic").expect("an orderly end");
    let report = peer.report().await;
    assert_eq!((report.outcome(), report.number("chunks")), ("END", CHUNKS));
    assert_eq!(report.number("stalls"), STALLS);
    assert!(report.number("seen-BLOCKED-at-limit") >= 1, "it is told that a send waits: {report:?}");
    report
}

#[test]
fn we_stop_at_a_window_of_messages() {
    interop(async {
        let report = we_stop_exactly_there(&["--window-messages", "7"]).await;
        assert_eq!(report.number("peak-messages"), 7);
    });
}

#[test]
fn we_stop_at_a_window_of_one_message() {
    interop(async {
        let report = we_stop_exactly_there(&["--window-messages", "1"]).await;
        assert_eq!(report.number("peak-messages"), 1);
    });
}

#[test]
fn we_stop_at_a_window_of_bytes() {
    interop(async {
        let report = we_stop_exactly_there(&["--window-bytes", "2000"]).await;
        assert!(report.number("peak-bytes") <= 2000, "{report:?}");
    });
}

#[test]
fn we_stop_at_a_window_of_both() {
    interop(async {
        let report = we_stop_exactly_there(&["--window-messages", "8", "--window-bytes", "2000"]).await;
        assert!(report.number("peak-messages") <= 8 && report.number("peak-bytes") <= 2000, "{report:?}");
    });
}

/// We let our window run full five times, and look that the peer uses all of it and no more.
async fn the_peer_stops_exactly_there(window: Window, messages: u64, bytes: u64, sizes: u64) {
    let arguments = ["--chunks", "300", "--sizes", &sizes.to_string()];
    let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), window, &arguments).await;
    let mut next = 0;
    for _ in 0..STALLS {
        let (mut held, mut held_bytes) = (Vec::new(), 0);
        let mut held_messages = 0;
        while held_messages < messages && held_bytes + length_of(next, sizes).max(1) <= bytes {
            let chunk = rx.recv().await.expect("no error").expect("there are more");
            assert_eq!(chunk.len(), usize::try_from(length_of(next, sizes)).expect("a short payload"));
            held_bytes += length_of(next, sizes).max(1);
            held_messages += 1;
            next += 1;
            held.push(chunk);
        }
        sleep(QUIET).await;
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)), "the window is full after {next}");
    }
    while rx.recv().await.expect("no error").is_some() {
        next += 1;
    }
    assert_eq!(next, CHUNKS);
    let peak = rx.stats().peak_depth;
    assert!(peak.messages() <= messages && peak.bytes() <= bytes, "{peak:?}");
    driving.await.expect("no panic").expect("an orderly end");
    let report = peer.report().await;
    assert_eq!((report.outcome(), report.number("chunks")), ("DONE", CHUNKS));
}

#[test]
fn the_peer_stops_at_a_window_of_messages() {
    interop(the_peer_stops_exactly_there(Window::messages(7), 7, u64::MAX, SIZES));
}

#[test]
fn the_peer_stops_at_a_window_of_one_message() {
    interop(the_peer_stops_exactly_there(Window::messages(1), 1, u64::MAX, SIZES));
}

#[test]
fn the_peer_stops_at_a_window_of_bytes() {
    interop(the_peer_stops_exactly_there(Window::bytes(2000), 2000 / 64, 2000, SIZES));
}

/// Tiny chunks: the messages that a window of bytes counts besides are the limit.
#[test]
fn the_peer_stops_at_the_messages_of_a_window_of_bytes() {
    interop(the_peer_stops_exactly_there(Window::bytes(1280), 20, 1280, 4));
}

#[test]
fn the_peer_stops_at_a_window_of_both() {
    interop(the_peer_stops_exactly_there(Window::messages(8).and_bytes(2000), 8, 2000, SIZES));
}
