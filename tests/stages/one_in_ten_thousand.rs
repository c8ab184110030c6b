//! A filter that drops nearly everything: it goes on for ever at the smallest window, and its chatter is bounded.

use crate::support::{LONG_WATCHDOG, on_both_runtimes_within};
use credit_channel::stages::Stage;
use credit_channel::{CreditProducer, Window, channel};

async fn send_all(tx: CreditProducer<u64>, items: u64) {
    for n in 0..items {
        tx.send(n).await.unwrap();
    }
    tx.end_and_wait().await.unwrap();
}

#[test]
fn at_a_window_of_2_a_million_come_to_their_end() {
    const ITEMS: u64 = 1_000_000;
    on_both_runtimes_within(2 * LONG_WATCHDOG, || async {
        let (tx, rx) = channel::<u64>(Window::messages(2)).unwrap();
        let source = tokio::spawn(send_all(tx, ITEMS));
        let mut stage = Stage::filter(rx, |n| n % 10_000 == 0);
        let mut passed = 0;
        // The one in hand takes half of the window, all the time.
        let mut in_hand = None;
        while let Some(chunk) = stage.recv().await.unwrap() {
            assert_eq!(*chunk, passed * 10_000);
            passed += 1;
            in_hand = Some(chunk);
        }
        assert_eq!(passed, ITEMS / 10_000);
        drop(in_hand);
        source.await.unwrap();
    });
}

/// S12, over a connection: one CREDIT for each quarter of the window at most, one to begin with, and one each time the
/// producer says that it is blocked. One chunk is in hand all the time, so that never nothing is outstanding.
#[cfg(feature = "bincode")]
#[test]
fn what_it_drops_goes_back_a_quarter_of_the_window_at_a_time() {
    use crate::support::carrier::Open;
    use crate::support::{soak, tap::tapped};
    use std::sync::atomic::Ordering;

    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for (window, items) in [(2, 10_000), (8, 20_000), (400, 100_000)] {
            let items = if soak() { 1_000_000 } else { items };
            let (Open { tx, rx, line }, from_producer, from_consumer) = tapped(Window::messages(window)).await;
            let source = tokio::spawn(send_all(tx, items));
            let mut stage = Stage::filter(rx, |n| n % 10_000 == 0);
            let mut in_hand = None;
            let mut passed = 0;
            while let Some(chunk) = stage.recv().await.unwrap() {
                passed += 1;
                in_hand = Some(chunk);
            }
            drop(in_hand);
            source.await.unwrap();
            line.over().await;
            assert_eq!(passed, items / 10_000);
            let credit = from_consumer.credit.load(Ordering::SeqCst);
            let blocked = from_producer.blocked.load(Ordering::SeqCst);
            // As many are held back as are no more than a quarter, and nothing below a window of 8.
            let at_a_time = 1 + if window < 8 { 0 } else { window / 4 };
            let most = 2 + items / at_a_time + blocked;
            assert!(credit <= most, "window {window}: {credit} CREDIT, {blocked} BLOCKED for {items} chunks");
        }
    });
}
