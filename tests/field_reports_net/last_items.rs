//! The news that the connection was closed does not overtake what was sent before.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::link::{Cut, Fate, Way, link};
use crate::support::{LONG_WATCHDOG, on_a_paused_clock, turns, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{Closed, CreditConsumer, Window};
use std::time::Duration;
use tokio::time::sleep;

const ROUNDS: u64 = 1000;
const ITEMS: u64 = 8;

/// Takes its time over each, if it has one to take.
async fn receives_all(rx: &mut CreditConsumer<Bytes>, pause: Duration) {
    for item in 0..ITEMS {
        let chunk = rx.recv().await.unwrap().unwrap_or_else(|| panic!("item {item} is missing"));
        assert_eq!(chunk.seq(), item);
        if !pause.is_zero() {
            sleep(pause).await;
        }
    }
    assert!(rx.recv().await.unwrap().is_none());
}

/// akka/akka-core#25561, quinn-rs/quinn#331, n0-computer/iroh#2603, hoprnet/hoprnet#8051: everything of the producer's end
/// goes at once, as soon as END was handed to the system.
#[test]
fn report_46_all_items_arrive_when_the_producers_end_goes_behind_them() {
    let rounds = ROUNDS / 8;
    let bytes = |carrier| !matches!(carrier, Carrier::InProcess | Carrier::Mpsc | Carrier::Messages);
    over(bytes, LONG_WATCHDOG, move |carrier| async move {
        for round in 0..rounds {
            let Open { tx, mut rx, line } = carrier.open_line::<Bytes>(Window::messages(ITEMS)).await;
            let drivers = line.drivers();
            let weak = tx.downgrade();
            for item in 0..ITEMS {
                tx.send(vec![7; usize::try_from(item * 100).unwrap()].into()).await.unwrap();
            }
            let receiving = if round % 2 == 0 {
                // Its producer has a way to await that all arrived: the work is done, and the driver content.
                let receiving = tokio::spawn(async move { receives_all(&mut rx, Duration::ZERO).await });
                tx.end_and_wait().await.unwrap();
                receiving
            } else {
                // Without waiting, the driver goes on by itself; the consumer comes late.
                tx.end();
                until(|| weak.upgrade().is_none()).await;
                turns(round % 50).await;
                tokio::spawn(async move { receives_all(&mut rx, Duration::ZERO).await })
            };
            receiving.await.unwrap();
            assert_eq!(drivers.producer.await.unwrap(), Ok(()));
            assert_eq!(drivers.consumer.await.unwrap(), Ok(()));
        }
    });
}

/// The connection itself is cut as soon as END is on its way, and the consumer takes 10 ms for each item.
#[test]
fn report_46_all_items_arrive_when_the_connection_is_cut_behind_them() {
    on_a_paused_clock(|| async {
        for round in 0..ROUNDS {
            let latency = Duration::from_millis(round % 50);
            let (near, far, wire) = link(round, Fate::late(latency), Fate::late(latency));
            let transport = Transport::new();
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(ITEMS)));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let (near, far) = (tokio::spawn(near), tokio::spawn(far));
            let begun = wire.carried(Way::There);
            let length = usize::try_from(round % 97).unwrap();
            // Header and number of each, and END.
            let all = begun + ITEMS * (20 + u64::try_from(length).unwrap()) + 28;
            let cut = if round % 2 == 0 { Cut::Eof } else { Cut::Reset };
            wire.cut_after(Way::There, all, cut);
            for _ in 0..ITEMS {
                tx.send(vec![7; length].into()).await.unwrap();
            }
            let done = tokio::spawn(tx.end_and_wait());
            receives_all(&mut rx, Duration::from_millis(10)).await;
            // That all of it was worked off nobody can tell the producer.
            assert!(matches!(done.await.unwrap(), Err(Closed::Disconnected(_))));
            assert!(near.await.unwrap().is_err() && far.await.unwrap().is_err());
        }
    });
}
