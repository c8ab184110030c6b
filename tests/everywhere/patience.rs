//! I5 and its other side: a connection on which nothing is to be said stays, however long, and one is driven wherever its
//! driver is polled.

use crate::support::carrier::{Carrier, Open};
use crate::support::{FLAVOURS, WATCHDOG, on_both_runtimes, runtime, turns, within};
use credit_channel::codec::Bincode;
use credit_channel::transport::{MpscFrames, Transport};
use credit_channel::{Chunk, Window};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// Those whose time is the runtime's, which can be paused.
const IN_MEMORY: [Carrier; 4] = [Carrier::Mpsc, Carrier::Messages, Carrier::Duplex(24), Carrier::Duplex(64 << 10)];

#[tokio::test(start_paused = true)]
async fn idle_connection_stays() {
    for carrier in IN_MEMORY {
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(2)).await;
        tokio::time::sleep(HOUR).await;
        tx.send(1).await.unwrap();
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(1), "{carrier:?}");
        tokio::time::sleep(HOUR).await;
        tx.end_and_wait().await.unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        line.over().await;
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_an_hour_is_waited_for() {
    for carrier in IN_MEMORY {
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(1)).await;
        tx.send(1).await.unwrap();
        let in_hand = rx.recv().await.unwrap();
        let parked = tokio::spawn(async move {
            tx.send(2).await.unwrap();
            tx.end_and_wait().await
        });
        tokio::time::sleep(HOUR).await;
        drop(in_hand);
        let in_hand = rx.recv().await.unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        tokio::time::sleep(HOUR).await;
        assert!(!parked.is_finished(), "{carrier:?}");
        drop(in_hand);
        parked.await.unwrap().unwrap();
        line.over().await;
    }
}

#[tokio::test(start_paused = true)]
async fn producer_that_waits_for_credit_can_give_up_in_time() {
    for carrier in IN_MEMORY {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(1).await.unwrap();
        let late = tx.send_timeout(2, Duration::from_secs(30)).await.unwrap_err();
        assert_eq!(late.into_inner(), 2);
        assert_eq!(tx.stats().waiting, 0);
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(1));
        tx.send_timeout(3, Duration::from_secs(30)).await.unwrap();
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(3));
    }
}

/// Each end on a thread and a runtime of its own.
#[test]
fn ends_live_on_runtimes_of_their_own() {
    for (near_flavour, far_flavour) in [(FLAVOURS[0], FLAVOURS[0]), (FLAVOURS[1], FLAVOURS[0])] {
        within(WATCHDOG, "the two runtimes", move || {
            let (near, far) = MpscFrames::<u64>::pair(2);
            let producer = std::thread::spawn(move || {
                runtime(near_flavour).block_on(async {
                    let (tx, driver) = Transport::new().frame_producer(near).await.unwrap();
                    let driver = tokio::spawn(driver);
                    for item in 0..300 {
                        tx.send(item).await.unwrap();
                    }
                    tx.end_and_wait().await.unwrap();
                    assert_eq!(driver.await.unwrap(), Ok(()));
                });
            });
            runtime(far_flavour).block_on(async {
                let (mut rx, driver) = Transport::new().frame_consumer(far, Window::messages(4)).await.unwrap();
                let driver = tokio::spawn(driver);
                for item in 0..300 {
                    assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
                }
                assert!(rx.recv().await.unwrap().is_none());
                assert_eq!(driver.await.unwrap(), Ok(()));
            });
            producer.join().unwrap();
        });
    }
}

/// No task but one: everything is polled side by side, and shares one budget.
#[test]
fn drivers_are_polled_beside_the_work() {
    on_both_runtimes(|| async {
        for size in [24, 64 << 10] {
            let (near, far) = tokio::io::duplex(size);
            let transport = Transport::new().codec(Bincode);
            let producer = transport.producer::<u64>(near);
            let consumer = transport.consumer::<u64>(far, Window::messages(5));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let sends = async move {
                for item in 0..500 {
                    tx.send(item).await.unwrap();
                }
                tx.end_and_wait().await.unwrap();
            };
            let works = async move {
                let mut next = 0;
                while let Some(chunk) = rx.recv().await.unwrap() {
                    assert_eq!(*chunk, next);
                    turns(next % 2).await;
                    next += 1;
                }
                next
            };
            let (near, far, (), done) = tokio::join!(near, far, sends, works);
            assert_eq!((near, far, done), (Ok(()), Ok(()), 500));
        }
    });
}
