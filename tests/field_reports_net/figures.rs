//! The reports once more, as the numbers show them: who watches a connection has to see what is wrong with it.

use crate::support::link::{Cut, Fate, Way, link};
use crate::support::{assert_balanced, assert_times_add_up, on_a_paused_clock};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{CancelReason, Condition, Window};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A silent peer: a stall that only grows, PINGs without PONGs, and after the end nobody waits any more.
#[test]
fn report_49_a_peer_that_vanished_shows_as_a_stall() {
    on_a_paused_clock(|| async {
        let (near, far, wire) = link(49, Fate::fair(), Fate::fair());
        let transport = Transport::new().keepalive(Duration::from_secs(1)).idle_timeout(Duration::from_secs(30));
        let ends = tokio::join!(transport.producer(near), transport.consumer::<Bytes>(far, Window::messages(2)));
        let ((tx, near), (rx, far)) = (ends.0.unwrap(), ends.1.unwrap());
        let (connection, near, far) = (near.meter(), tokio::spawn(near), tokio::spawn(far));
        for _ in 0..2 {
            tx.send(Bytes::from_static(b"x")).await.unwrap();
        }
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::new()).await }
        });
        sleep(Duration::from_millis(500)).await;
        wire.cut_now(Way::There, Cut::Silence);
        wire.cut_now(Way::Back, Cut::Silence);
        let pongs = connection.stats().received.pong;
        sleep(Duration::from_secs(20)).await;
        let (stats, line) = (tx.stats(), connection.stats());
        assert_times_add_up(&stats);
        let Condition::ConsumerStalled { oldest } = stats.diagnose().condition else {
            panic!("{:?}", stats.diagnose())
        };
        assert_eq!(Some(oldest), stats.parked_for);
        assert!(oldest >= Duration::from_secs(20), "{oldest:?}");
        assert_eq!((stats.waiting, stats.credit.messages(), stats.depth.messages()), (1, 0, 2));
        assert!(line.sent.ping > 0 && line.received.pong == pongs, "{line:?}");

        assert!(parked.await.unwrap().is_err());
        let (after, park) = (tx.stats(), tx.stats().park_time);
        assert_eq!((after.waiting, after.parked_for), (0, None));
        sleep(Duration::from_secs(60)).await;
        assert_eq!(tx.stats().park_time, park, "who was told does not go on waiting");
        // What became of the two nobody will hear: they stay in flight.
        assert_balanced(tx.stats(), false);
        assert_eq!(tx.depth().messages(), 2);
        drop(rx);
        let _ = tokio::join!(near, far);
    });
}

/// A consumer that goes shows at once, as a CANCEL that came, with no item sent.
#[test]
fn report_59_a_consumer_that_goes_shows_at_once() {
    on_a_paused_clock(|| async {
        let (near, far, _) = link(59, Fate::fair(), Fate::fair());
        let transport = Transport::new();
        let ends = tokio::join!(transport.producer::<Bytes>(near), transport.consumer(far, Window::messages(4)));
        let ((tx, near), (rx, far)) = (ends.0.unwrap(), ends.1.unwrap());
        let (here, there) = (near.meter(), far.meter());
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        sleep(Duration::from_secs(1)).await;
        assert_eq!(here.stats().received.cancel, 0);
        drop(rx);
        let reason = timeout(Duration::from_millis(100), tx.cancelled()).await.expect("at once");
        assert_eq!(reason, Some(CancelReason::Dropped));
        let _ = tokio::join!(near, far);
        assert_eq!((here.stats().received.cancel, there.stats().sent.cancel, here.stats().sent.chunk), (1, 1, 0));
    });
}

/// What one end says it sent the other says it got, frame by frame and byte by byte; and the sums are exact at any time.
#[test]
fn report_77_both_ends_count_the_same() {
    on_a_paused_clock(|| async {
        let late = || Fate::late(Duration::from_millis(2));
        let (near, far, _) = link(77, late(), late());
        let transport = Transport::new();
        let ends = tokio::join!(transport.producer::<Bytes>(near), transport.consumer(far, Window::messages(8)));
        let ((tx, near), (mut rx, far)) = (ends.0.unwrap(), ends.1.unwrap());
        let (here, there) = (near.meter(), far.meter());
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        let consumer = tokio::spawn(async move {
            while let Some(chunk) = rx.recv().await.unwrap() {
                sleep(Duration::from_micros(300)).await;
                drop(chunk);
                let stats = rx.stats();
                assert!(stats.depth.messages() <= 8, "{stats:?}");
                assert_times_add_up(&stats);
            }
            rx
        });
        for n in 0..500_u32 {
            tx.send(Bytes::copy_from_slice(&n.to_be_bytes())).await.unwrap();
            let stats = tx.stats();
            assert!(stats.depth.messages() <= 8 && stats.credit.messages() <= 8, "{stats:?}");
            assert_times_add_up(&stats);
        }
        let numbers = tx.downgrade();
        tx.end_and_wait().await.unwrap();
        let rx = consumer.await.unwrap();
        let _ = tokio::join!(near, far);
        let (near, far) = (numbers.stats(), rx.stats());
        assert_eq!((near.sent, near.released, near.depth), (far.sent, far.released, far.depth));
        let (here, there) = (here.stats(), there.stats());
        assert_eq!((here.sent, here.bytes_written), (there.received, there.bytes_read));
        assert_eq!((here.received, here.bytes_read), (there.sent, there.bytes_written));
        assert_eq!((here.sent.chunk, here.sent.end, here.received.ignored), (500, 1, 0));
        assert!(here.budget_left > 0 && here.received.total() < 500, "CREDIT comes in batches: {here:?}");
    });
}
