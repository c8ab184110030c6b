//! A window that adapts, over a connection 20 ms long.

use crate::support::link::{Fate, link};
use crate::support::on_a_paused_clock;
use bytes::Bytes;
use credit_channel::sizing::Adaptive;
use credit_channel::transport::Transport;
use credit_channel::{Condition, CreditConsumer, CreditProducer, Stats, Window};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

const PRODUCE: Duration = Duration::from_millis(1);
const CONSUME: Duration = Duration::from_micros(500);
const WAY: Duration = Duration::from_millis(10);

async fn pair(window: u64) -> (CreditProducer<Bytes>, CreditConsumer<Bytes>) {
    let (here, there, _) = link(1, Fate::late(WAY), Fate::late(WAY));
    let transport = Transport::new();
    let ends = tokio::join!(transport.producer(here), transport.consumer(there, Window::messages(window)));
    let ((tx, sending), (rx, receiving)) = (ends.0.expect("a channel"), ends.1.expect("a channel"));
    tokio::spawn(sending);
    tokio::spawn(receiving);
    (tx, rx)
}

/// Works for so long; how many chunks came in the last second of that, and what the two ends say of it.
async fn run(tx: CreditProducer<Bytes>, mut rx: CreditConsumer<Bytes>, time: Duration) -> (u64, Stats, Stats) {
    let last = Instant::now() + time - Duration::from_secs(1);
    let producer = tokio::spawn(async move {
        let mut next = Instant::now();
        loop {
            next = next.max(Instant::now()) + PRODUCE;
            sleep_until(next).await;
            if tx.send(Bytes::from_static(&[7; 100])).await.is_err() {
                return tx;
            }
        }
    });
    let (mut late, mut then) = (0, None);
    while Instant::now() < last + Duration::from_secs(1) {
        let _chunk = rx.recv().await.expect("open").expect("no end");
        sleep(CONSUME).await;
        if Instant::now() > last {
            then.get_or_insert_with(|| rx.stats());
            late += 1;
        }
    }
    let lately = rx.stats().since(&then.expect("a second"));
    drop(rx);
    let tx = producer.await.expect("no panic");
    (late, lately, tx.stats())
}

/// Within two seconds it is as fast as nine tenths of the best fixed window, then and later, and holds no more than half
/// as much again as the smallest of those.
#[test]
fn as_good_as_the_best_fixed_window() {
    on_a_paused_clock(|| async {
        let mut fixed = Vec::new();
        for window in [16, 20, 24, 28, 32, 40, 64, 128] {
            let (tx, rx) = pair(window).await;
            fixed.push((window, run(tx, rx, Duration::from_secs(3)).await.0));
        }
        let most = fixed.iter().map(|(_, chunks)| *chunks).max().expect("several");
        let enough = fixed.iter().find(|(_, chunks)| chunks * 50 >= most * 49).expect("the best itself").0;
        for seconds in [3, 4, 20] {
            let (tx, rx) = pair(2).await;
            let every = Duration::from_millis(50);
            tokio::spawn(rx.adapt(Adaptive::between(2, 256), every, |_, _, _| {}).expect("it counts messages"));
            let (adapted, lately, _) = run(tx, rx, Duration::from_secs(seconds)).await;
            assert!(
                adapted * 10 >= most * 9,
                "{adapted} chunks in second {seconds}, {most} with the best fixed window"
            );
            let window = lately.window.message_limit().expect("messages");
            assert!(window * 2 <= enough * 3, "a window of {window} in second {seconds}, {enough} is enough");
        }
    });
}

/// Where both ends take about as long, and the way is short, two are enough, and it stays at that.
#[test]
fn a_short_way_needs_no_more_than_two() {
    on_a_paused_clock(|| async {
        let (here, there, _) = link(2, Fate::late(Duration::from_micros(100)), Fate::late(Duration::from_micros(100)));
        let transport = Transport::new();
        let ends = tokio::join!(transport.producer(here), transport.consumer::<Bytes>(there, Window::messages(32)));
        let ((tx, sending), (mut rx, receiving)) = (ends.0.expect("a channel"), ends.1.expect("a channel"));
        let drivers = (tokio::spawn(sending), tokio::spawn(receiving));
        let every = Duration::from_millis(100);
        let late = Instant::now() + Duration::from_secs(4);
        let changed = move |from, to, why| assert!(Instant::now() < late, "from {from} to {to}: {why}");
        let adapting = tokio::spawn(rx.adapt(Adaptive::between(2, 256), every, changed).expect("it counts messages"));
        let producer = tokio::spawn(async move {
            for _ in 0..2000 {
                sleep(Duration::from_millis(5)).await;
                tx.send(Bytes::from_static(b"x")).await.expect("open");
            }
            tx.end();
        });
        while let Some(_chunk) = rx.recv().await.expect("no error") {
            sleep(Duration::from_micros(4500)).await;
        }
        assert_eq!(rx.stats().window, Window::messages(2));
        producer.await.expect("no panic");
        adapting.await.expect("it rests");
        let _ = tokio::join!(drivers.0, drivers.1);
    });
}

/// The way there and back is measured where the producer has used up its credit, and says that the window is too small.
#[test]
fn a_window_too_small_for_the_way_is_found_out() {
    on_a_paused_clock(|| async {
        let (tx, rx) = pair(2).await;
        let (_, consumer, _) = run(tx, rx, Duration::from_secs(3)).await;
        let round_trip = consumer.round_trip.expect("it was measured");
        assert!((2 * WAY..2 * WAY + 3 * PRODUCE).contains(&round_trip), "{round_trip:?}");
        let suggestion = consumer.suggest().expect("2 are too few");
        assert!(suggestion.window.message_limit() > Some(2), "{suggestion}");
    });
}

#[test]
fn both_ends_together_say_what_is_wrong() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = pair(2).await;
        let producer = tokio::spawn(async move {
            for _ in 0..200 {
                tx.send(Bytes::from_static(&[7; 100])).await.expect("open");
            }
            let stats = tx.stats();
            tx.end();
            stats
        });
        while rx.recv().await.expect("open").is_some() {
            sleep(CONSUME).await;
        }
        let diagnosis = producer.await.expect("no panic").diagnose_with(&rx.stats());
        assert_eq!(diagnosis.condition, Condition::WindowTooSmall, "{diagnosis:?}");
    });
}

/// The consumer has granted credit, and the transport takes no more: that is said to be the transport's fault.
#[test]
fn a_transport_that_takes_no_more_is_found_out() {
    on_a_paused_clock(|| async {
        let (near, far) = tokio::io::duplex(4096);
        let narrow = Transport::new().ahead(Window::messages(2));
        let wide = Transport::new();
        let ends = tokio::join!(narrow.producer::<Bytes>(near), wide.consumer::<Bytes>(far, Window::messages(64)));
        let ((tx, sending), (mut rx, receiving)) = (ends.0.expect("a channel"), ends.1.expect("a channel"));
        let sending = tokio::spawn(sending);
        let producer = tokio::spawn(async move {
            for _ in 0..20 {
                tx.send(Bytes::from(vec![7; 20_000])).await.expect("open");
            }
            tx
        });
        // Nobody reads at the other end for a while.
        sleep(Duration::from_millis(800)).await;
        let receiving = tokio::spawn(receiving);
        for _ in 0..20 {
            drop(rx.recv().await.expect("open"));
        }
        let tx = producer.await.expect("no panic");
        let (stats, diagnosis) = (tx.stats(), tx.stats().diagnose());
        assert_eq!(diagnosis.condition, Condition::TransportBound, "{diagnosis:?}");
        assert!(stats.transport_park_time >= Duration::from_millis(700), "{stats:?}");
        assert!(diagnosis.to_string().starts_with("the transport is the limit"), "{diagnosis}");
        tx.end();
        assert!(rx.recv().await.expect("no error").is_none());
        let _ = tokio::join!(sending, receiving);
    });
}
