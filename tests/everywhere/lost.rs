//! I5, I8 where there is a connection: an end whose connection is lost is told so, whatever it waits for.

use crate::support::carrier::{Open, over_every_connection};
use crate::support::{Census, assert_balanced, on_both_runtimes, turns, until};
use credit_channel::codec::Bincode;
use credit_channel::transport::Transport;
use credit_channel::{Closed, CreditConsumer, Disconnect, RecvError, Window};

/// What a side says whose peer went without a word; which of the two depends on what it tried first.
fn is_cut_off(reason: &Disconnect) -> bool {
    matches!(reason, Disconnect::Eof | Disconnect::Io(_))
}

/// How many chunks came, and what cut them off.
async fn truncated_after<T>(rx: &mut CreditConsumer<T>) -> (u64, Disconnect) {
    let mut count = 0;
    loop {
        match rx.recv().await {
            Ok(Some(chunk)) => {
                drop(chunk);
                count += 1;
            }
            Ok(None) => panic!("that was no clean end"),
            Err(RecvError::Truncated { received, reason }) => {
                assert_eq!(received, count);
                return (count, reason);
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// Whose driver goes.
const BOTH: [bool; 2] = [false, true];

#[test]
fn driver_aborted_on_either_side_wakes_whoever_waits_and_says_why() {
    over_every_connection(|carrier| async move {
        for producers in BOTH {
            let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(2)).await;
            tx.send(0).await.unwrap();
            tx.send(1).await.unwrap();
            until(|| rx.stats().sent == 2).await;
            let spawned = |tx: &credit_channel::CreditProducer<u64>| tx.clone();
            let (sends, watches) = (spawned(&tx), spawned(&tx));
            let sends = tokio::spawn(async move { sends.send(2).await.unwrap_err() });
            let watches = tokio::spawn(async move { watches.finished().await.unwrap_err() });
            until(|| tx.stats().waiting == 1).await;
            turns(10).await;
            let drivers = line.drivers();
            if producers { &drivers.producer } else { &drivers.consumer }.abort();
            let is_expected = |reason: &Disconnect, here: bool| {
                if here { *reason == Disconnect::DriverDropped } else { is_cut_off(reason) }
            };
            let Closed::Disconnected(why) = tx.closed().await else { panic!("the connection is what was lost") };
            assert!(is_expected(&why, producers), "{why:?}");
            let error = sends.await.unwrap();
            assert_eq!(error.closed(), Some(&Closed::Disconnected(why.clone())));
            assert_eq!(error.into_inner(), 2);
            assert_eq!(watches.await.unwrap(), Closed::Disconnected(why.clone()));
            assert_eq!(tx.cancelled().await, None, "nobody cancelled");
            assert!(tx.is_closed() && !tx.is_cancelled());

            let (received, why) = truncated_after(&mut rx).await;
            assert_eq!(received, 2, "what had arrived");
            assert!(is_expected(&why, !producers), "{why:?}");
            assert_eq!(truncated_after_end(&mut rx).await, why, "and so for ever");
            assert_balanced(rx.stats(), true);
            // What drives the other end ends too, and says the same.
            let survivor = if producers { drivers.consumer } else { drivers.producer };
            assert!(is_cut_off(&survivor.await.unwrap().unwrap_err()));
        }
    });
}

async fn truncated_after_end(rx: &mut CreditConsumer<u64>) -> Disconnect {
    let Err(RecvError::Truncated { reason, .. }) = rx.recv().await else { panic!("still cut off") };
    reason
}

#[test]
fn receiver_that_waits_is_told_of_the_lost_connection() {
    over_every_connection(|carrier| async move {
        for producers in BOTH {
            let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(2)).await;
            let waits = tokio::spawn(async move { truncated_after(&mut rx).await });
            turns(10).await;
            let drivers = line.drivers();
            if producers { &drivers.producer } else { &drivers.consumer }.abort();
            let (received, why) = waits.await.unwrap();
            assert_eq!(received, 0);
            assert!(if producers { is_cut_off(&why) } else { why == Disconnect::DriverDropped }, "{why:?}");
            assert!(matches!(tx.closed().await, Closed::Disconnected(_)));
        }
    });
}

/// The end is said, and what becomes of the work is not known any more.
#[test]
fn end_and_wait_is_told_of_the_lost_connection() {
    over_every_connection(|carrier| async move {
        for producers in BOTH {
            for read in BOTH {
                let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
                tx.send(1).await.unwrap();
                let in_hand = rx.recv().await.unwrap();
                let done = tokio::spawn(tx.end_and_wait());
                if read {
                    assert!(rx.recv().await.unwrap().is_none());
                } else {
                    turns(10).await;
                }
                let drivers = line.drivers();
                if producers { &drivers.producer } else { &drivers.consumer }.abort();
                let Err(Closed::Disconnected(why)) = done.await.unwrap() else { panic!("the work is not done") };
                assert!(if producers { why == Disconnect::DriverDropped } else { is_cut_off(&why) }, "{why:?}");
                drop(in_hand);
            }
        }
    });
}

#[test]
fn what_was_queued_goes_with_the_driver() {
    over_every_connection(|carrier| async move {
        for ended in BOTH {
            let census = Census::default();
            let Open { tx, mut rx, line } = carrier.open_counted(&census, Window::messages(64)).await;
            let drivers = line.drivers();
            let weak = tx.downgrade();
            for _ in 0..64 {
                tx.send(census.one()).await.unwrap();
            }
            if ended {
                tx.end();
            } else {
                drop(tx);
            }
            drivers.producer.abort();
            drivers.consumer.abort();
            let (producer, consumer) = (drivers.producer.await, drivers.consumer.await);
            assert!(producer.is_err() && consumer.is_err());
            while let Ok(Some(_)) = rx.recv().await {}
            assert_eq!(census.alive(), 0, "ended: {ended}");
            assert_eq!(weak.stats().waiting, 0);
        }
    });
}

/// akka/akka-core#25561: the news that the connection was closed overtook the last items.
#[test]
fn report_46_what_was_written_before_the_connection_went_is_received_to_the_end() {
    over_every_connection(|carrier| async move {
        const ITEMS: u64 = 700;
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(ITEMS)).await;
        let drivers = line.drivers();
        for item in 0..ITEMS {
            tx.send(item).await.unwrap();
        }
        tx.end();
        // All of it has arrived, or waits in the socket.
        until(|| rx.stats().sent == ITEMS).await;
        turns(20).await;
        drivers.producer.abort();
        assert!(drivers.producer.await.is_err());
        for item in 0..ITEMS {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
        assert!(rx.recv().await.unwrap().is_none());
    });
}

/// The same where all of it waits in the socket, and writing fails before it was read.
#[test]
fn report_46_what_waits_in_the_socket_is_received_although_nothing_can_be_written_any_more() {
    on_both_runtimes(|| async {
        const ITEMS: u64 = 6000;
        let (near, far) = tokio::io::duplex(1 << 20);
        // All of it at once, ahead of the transport too.
        let transport = Transport::new().codec(Bincode).ahead(Window::messages(ITEMS));
        let producer = transport.producer::<u64>(near);
        let consumer = transport.consumer::<u64>(far, Window::messages(ITEMS));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
        let near = tokio::spawn(near);
        for item in 0..ITEMS {
            tx.send(item).await.unwrap();
        }
        tx.end();
        turns(500).await;
        near.abort();
        assert!(near.await.is_err());
        let far = tokio::spawn(far);
        let mut next = 0;
        while next < ITEMS {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), next);
            next += 1;
            // The rest without a budget, so that credit is to be written before all was read.
            while let Ok(Some(chunk)) = rx.try_recv() {
                assert_eq!(*chunk, next);
                next += 1;
            }
        }
        assert!(rx.recv().await.unwrap().is_none());
        drop(far);
    });
}

#[test]
fn guards_outlive_the_connection_and_do_no_harm() {
    over_every_connection(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
        for item in 0..3 {
            tx.send(item).await.unwrap();
        }
        let (first, second) = (rx.recv().await.unwrap(), rx.recv().await.unwrap());
        let drivers = line.drivers();
        drivers.consumer.abort();
        assert!(drivers.consumer.await.is_err());
        drop(first);
        assert!(matches!(tx.closed().await, Closed::Disconnected(_)));
        let canceller = rx.canceller();
        rx.set_window(Window::messages(9)).unwrap();
        assert!(rx.set_window(Window::bytes(9)).is_err());
        drop(rx);
        drop(second);
        assert_balanced(canceller.stats(), true);
        assert_balanced(tx.stats(), false);
    });
}
