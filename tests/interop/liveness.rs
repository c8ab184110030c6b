//! Both answer PING, whatever the application does, and a connection on which nothing happens lives by it.

use crate::meeting::{Link, consumer, producer};
use crate::peer::interop;
use bytes::Bytes;
use credit_channel::Window;
use credit_channel::transport::Transport;
use std::time::Duration;
use tokio::time::sleep;

/// Long beside the timers below.
const STANDSTILL: Duration = Duration::from_millis(2500);

#[test]
fn python_answers_our_pings() {
    interop(async {
        // We give up after a second without a sign of life, and neither side has anything to say for longer than that.
        let transport =
            Transport::new().keepalive(Duration::from_millis(100)).idle_timeout(Duration::from_millis(1000));
        let arguments = ["--window-messages", "8", "--ping-ms", "50"];
        let (tx, driving, peer) = producer(Link::Tcp, transport, &arguments).await;
        sleep(STANDSTILL).await;
        tx.send(Bytes::from_static(b"")).await.expect("the connection is alive");
        tx.end_and_wait().await.expect("and works");
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert!(report.number("seen-PING") >= 3, "{report:?}");
    });
}

#[test]
fn we_answer_pythons_pings() {
    interop(async {
        // It gives up after 3 s, and may ask once a second; nothing happens for longer than that, since we hold what
        // the whole window has.
        let arguments = ["--chunks", "5", "--keepalive", "0.1", "--idle-ms", "3000"];
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(4), &arguments).await;
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(rx.recv().await.expect("no error").expect("there are more"));
        }
        sleep(Duration::from_millis(3500)).await;
        drop(held);
        assert!(rx.recv().await.expect("no error").is_some(), "the connection is alive");
        assert!(rx.recv().await.expect("no error").is_none(), "and ends as it should");
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert!(report.number("seen-PONG") >= 2, "{report:?}");
        assert_eq!(report.outcome(), "DONE");
    });
}
