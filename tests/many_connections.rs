//! I2, I6, I9: thousands of connections in turn, each ended in another way: the last opens as the first did, and nothing of
//! them is left.
//!
//! A test binary of its own, so that the resident memory it measures is its own.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

mod support;

use bytes::Bytes;
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::{CancelReason, Closed, RecvError, Window};
use std::time::Duration;
use support::carrier::{Carrier, Open};
use support::link::{End, Fate, Way, link};
use support::{LONG_WATCHDOG, assert_balanced, paused, until, within};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Resident memory in KiB, where the system says.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A file descriptor for each socket, where the system says.
fn descriptors() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count())
}

/// One after the other: they measure the same process.
#[test]
fn reports_13_and_19_many_connections_leave_nothing() {
    within(3 * LONG_WATCHDOG, "many connections", || {
        report_13_window_is_whole_after_a_thousand_cancelled_streams();
        report_19_opening_is_as_quick_after_ten_thousand_connections();
        report_19_sockets_are_given_back();
    });
}

/// cloudflare/quiche#1320, dart-lang/http#1374, grpc/grpc-go#632: what was on the wire while CANCEL travelled was never
/// counted back, and the connection dried up.
fn report_13_window_is_whole_after_a_thousand_cancelled_streams() {
    const WINDOW: u64 = 10;
    paused().block_on(async {
        for stream in 0..1000_u64 {
            let start = Instant::now();
            let late = Fate::late(Duration::from_millis(20));
            let (near, far, wire) = link(stream, late.clone(), late);
            let transport = Transport::new();
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(WINDOW)));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let drivers = [tokio::spawn(near), tokio::spawn(far)];
            let sender = tx.clone();
            let sending = tokio::spawn(async move {
                loop {
                    if let Err(error) = sender.send(Bytes::from_static(&[7; 64])).await {
                        return error.closed().cloned();
                    }
                }
            });
            let first = rx.recv().await.unwrap().unwrap();
            // The hello has been waited for, so half a round trip for each of CREDIT and chunk.
            assert!(start.elapsed() <= Duration::from_millis(65), "stream {stream}: {:?}", start.elapsed());
            let second = rx.recv().await.unwrap().unwrap();
            assert_eq!((first.seq(), second.seq()), (0, 1));
            drop(first);
            // A whole window is under way.
            let canceller = rx.canceller();
            let reason = if stream % 2 == 0 { CancelReason::Requested } else { CancelReason::Dropped };
            if stream % 2 == 0 {
                assert!(rx.cancel(CancelReason::Requested));
                assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(CancelReason::Requested));
            } else {
                drop(rx);
            }
            assert_eq!(sending.await.unwrap(), Some(Closed::Cancelled(reason)));
            drop(second);
            for driver in drivers {
                assert_eq!(driver.await.unwrap(), Ok(()));
            }
            assert_balanced(canceller.stats(), true);
            assert_eq!(canceller.stats().window, Window::messages(WINDOW));
            assert_eq!(tx.window(), Window::messages(WINDOW));
            assert_balanced(tx.stats(), false);
            assert!(wire.carried(Way::There) < 80 + (2 * WINDOW + 3) * 84, "no more than was granted");
            assert_eq!(Handle::current().metrics().num_alive_tasks(), 0);
        }
    });
}

/// How a connection ends.
const WAYS: u64 = 9;

/// hashicorp/yamux#26: the slots of streams were not given back on every way to close them, and opening hung after a while.
fn report_19_opening_is_as_quick_after_ten_thousand_connections() {
    const CONNECTIONS: u64 = 10_000;
    const ALLOWED_KIB: u64 = 3 * 1024;
    let runtime = paused();
    let mut warm = None;
    for n in 0..CONNECTIONS {
        if n == CONNECTIONS / 10 {
            warm = resident_kib();
        }
        let took = runtime.block_on(connection(n % WAYS, n));
        assert_eq!(took, Duration::ZERO, "connection {n} had to wait");
        assert_eq!(runtime.metrics().num_alive_tasks(), 0, "after connection {n}");
    }
    match (warm, resident_kib()) {
        (Some(warm), Some(after)) => {
            assert!(after.saturating_sub(warm) < ALLOWED_KIB, "grew from {warm} to {after} KiB");
        }
        _ => println!("SKIPPED: this system does not say how much memory is resident; the tasks were counted"),
    }
}

/// Opens a connection, and ends it in one of the ways there are. How long opening took.
async fn connection(way: u64, seed: u64) -> Duration {
    let (near, far, _) = link(seed, Fate::fair(), Fate::fair());
    let transport = Transport::new().linger(Duration::from_millis(1));
    let start = Instant::now();
    match way {
        0..=4 => return open_and_end(way, transport, near, far).await,
        5 => {
            // Refused by each other: two producers.
            let (one, other) = (transport.producer::<Bytes>(near), transport.producer::<Bytes>(far));
            let (one, other) = tokio::join!(one, other);
            assert!(matches!(one.unwrap_err(), ConnectError::Lost(_)));
            assert!(matches!(other.unwrap_err(), ConnectError::Lost(_)));
        }
        6 => {
            // Refused before anything is said.
            assert!(transport.consumer::<Bytes>(far, Window::messages(0)).await.is_err());
            assert!(transport.producer::<Bytes>(near).await.is_err());
        }
        7 => {
            // Given up while it opens: nobody accepts.
            let opening = tokio::spawn(async move { transport.producer::<Bytes>(near).await.map(drop) });
            tokio::task::yield_now().await;
            opening.abort();
            assert!(opening.await.unwrap_err().is_cancelled());
            drop(far);
        }
        _ => {
            // Both opened, and nobody ever drives it.
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(4)));
            let opened = tokio::try_join!(producer, consumer).unwrap();
            let took = start.elapsed();
            drop(opened);
            return took;
        }
    }
    Duration::ZERO
}

async fn open_and_end(way: u64, transport: Transport, near: End, far: End) -> Duration {
    let start = Instant::now();
    let (producer, consumer) =
        (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(4)));
    let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
    let drivers = [tokio::spawn(near), tokio::spawn(far)];
    tx.send(Bytes::from("work")).await.unwrap();
    let took = start.elapsed();
    let in_hand = rx.recv().await.unwrap().unwrap();
    match way {
        0 => {
            drop(in_hand);
            tx.end_and_wait().await.unwrap();
            assert!(rx.recv().await.unwrap().is_none());
        }
        1 => {
            tx.fail("disk gone");
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Failed("disk gone".into()));
        }
        2 => {
            drop(tx);
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
        }
        3 => {
            assert!(rx.cancel(CancelReason::Requested));
            assert_eq!(tx.cancelled().await, Some(CancelReason::Requested));
        }
        _ => {
            drop(rx);
            assert_eq!(tx.cancelled().await, Some(CancelReason::Dropped));
        }
    }
    for driver in drivers {
        assert_eq!(driver.await.unwrap(), Ok(()));
    }
    took
}

/// Sockets as well, whichever end goes first.
fn report_19_sockets_are_given_back() {
    let runtime = support::runtime(support::Flavour::MultiThread);
    let open_and_close = |n: u64| async move {
        let carrier = if n % 4 == 0 { Carrier::Unix } else { Carrier::Tcp };
        let Open { tx, rx, line } = carrier.open_line::<Bytes>(Window::messages(4)).await;
        match n % 3 {
            0 => tx.end_and_wait().await.unwrap(),
            1 => drop(tx),
            _ => drop(rx),
        }
        let drivers = line.drivers();
        if n % 5 == 0 {
            drivers.consumer.abort();
        }
        let _ = (drivers.producer.await, drivers.consumer.await);
    };
    runtime.block_on(open_and_close(1));
    let before = descriptors();
    for n in 0..300 {
        runtime.block_on(open_and_close(n));
    }
    // A worker lets go of a task, and of its socket, a moment after who joined it was woken.
    runtime.block_on(until(|| runtime.metrics().num_alive_tasks() == 0 && descriptors() == before));
}
