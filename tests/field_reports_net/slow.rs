//! A slow link with large buffers: what answers a PING waits behind megabytes.

use crate::support::link::{Fate, link};
use crate::support::on_a_paused_clock;
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{CreditProducer, Window};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What a consumer does with what it gets.
#[derive(Clone, Copy, Debug)]
enum Work {
    Quick,
    /// Keeps everything until the end.
    Hoard,
}

/// hashicorp/yamux#38: the PING, or its answer, waited behind megabytes, and the connection was given up while bytes came.
#[test]
fn report_50_slow_link_is_not_given_up_while_bytes_arrive() {
    for work in [Work::Quick, Work::Hoard] {
        for size in [64 << 10, 1 << 20] {
            on_a_paused_clock(move || transfer(work, size));
        }
    }
}

const BYTES: usize = 6 << 20;

async fn transfer(work: Work, size: usize) {
    // 200 kB/s, and room for 4 MB on the way.
    let fate = Fate { rate: 200, buffer: 4 << 20, latency: Duration::from_millis(20), ..Fate::fair() };
    let (near, far, _) = link(50, fate.clone(), fate);
    let transport = Transport::new()
        .keepalive(Duration::from_secs(1))
        .idle_timeout(Duration::from_secs(3))
        .max_frame((1 << 20) + 8);
    let window = Window::bytes(16 << 20);
    let (producer, consumer) = (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, window));
    let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
    let drivers = [tokio::spawn(near), tokio::spawn(far)];
    let start = Instant::now();
    let sender = tokio::spawn(send_all(tx, size));
    let mut held = Vec::new();
    let mut bytes = 0;
    while let Some(chunk) = rx.recv().await.unwrap_or_else(|error| panic!("{work:?}, {size}: {error}")) {
        bytes += chunk.len();
        if let Work::Hoard = work {
            held.push(chunk);
        }
    }
    assert_eq!(bytes, BYTES);
    assert!(start.elapsed() > Duration::from_secs(30));
    // The producer has nothing to say any more, the consumer neither, for a while.
    sleep(Duration::from_secs(60)).await;
    drop(held);
    sender.await.unwrap();
    for driver in drivers {
        assert_eq!(driver.await.unwrap(), Ok(()));
    }
}

async fn send_all(tx: CreditProducer<Bytes>, size: usize) {
    for _ in 0..BYTES / size {
        tx.send(vec![7; size].into()).await.unwrap();
    }
    tx.end_and_wait().await.unwrap();
}
