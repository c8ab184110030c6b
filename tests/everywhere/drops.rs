//! I10: handles, guards, futures and runtimes go anywhere, in any order, and whoever is left is told.

use crate::support::carrier::{CARRIERS, Carrier, Open, everywhere};
use crate::support::{Census, Dice, FLAVOURS, WATCHDOG, panics, poll_with, runtime, until, within};
use credit_channel::{CreditConsumer, Window};
use std::any::Any;
use std::task::Waker;
use std::thread;

/// One of everything that holds a part of a channel.
async fn belongings(carrier: Carrier, census: &Census) -> Vec<Box<dyn Any + Send>> {
    let Open { tx, mut rx, line } = carrier.open_counted(census, Window::messages(8)).await;
    for _ in 0..6 {
        tx.send(census.one()).await.unwrap();
    }
    let chunk = rx.recv().await.unwrap();
    let (value, guard) = rx.recv().await.unwrap().unwrap().into_parts();
    let owned = tx.clone().reserve_owned().await.unwrap();
    let mut sink = tx.clone().into_sink();
    futures_util::SinkExt::feed(&mut sink, census.one()).await.unwrap();
    let (parked, one) = (tx.clone(), census.one());
    let mut waits = Box::pin(async move { parked.send(one).await });
    assert!(poll_with(Waker::noop(), waits.as_mut()).is_pending());
    let watching = tx.clone();
    let mut watches = Box::pin(async move { watching.end_and_wait().await });
    assert!(poll_with(Waker::noop(), watches.as_mut()).is_pending());
    let (weak, canceller) = (tx.downgrade(), rx.canceller());
    vec![
        Box::new(tx),
        Box::new(rx),
        Box::new(chunk),
        Box::new((value, guard)),
        Box::new(owned),
        Box::new(sink),
        Box::new(waits),
        Box::new(watches),
        Box::new(weak),
        Box::new(canceller),
        Box::new(line),
    ]
}

#[test]
fn everything_drops_in_any_order_on_any_thread() {
    everywhere(|carrier| async move {
        let census = Census::default();
        let mut dice = Dice::new(1);
        for round in 0..20 {
            let mut things: Vec<_> = belongings(carrier, &census).await.into_iter().map(Some).collect();
            for next in dice.order(things.len()) {
                let thing = things[next].take();
                if round % 4 == 0 {
                    thread::spawn(move || drop(thing)).join().unwrap();
                }
            }
        }
        until(|| census.alive() == 0).await;
    });
}

#[test]
fn everything_drops_during_a_panic() {
    everywhere(|carrier| async move {
        let census = Census::default();
        for _ in 0..5 {
            let things = belongings(carrier, &census).await;
            assert!(panics(move || {
                let _in_hand = things;
                std::panic::resume_unwind(Box::new("the work fails"));
            }));
        }
        until(|| census.alive() == 0).await;
    });
}

#[test]
fn everything_drops_inside_and_after_a_runtime_that_shuts_down() {
    for &carrier in CARRIERS {
        for flavour in FLAVOURS {
            within(WATCHDOG, format!("the shutdown over {carrier:?} on {flavour:?}"), move || {
                let census = Census::default();
                let runtime = runtime(flavour);
                let after = runtime.block_on(async {
                    for thing in belongings(carrier, &census).await {
                        tokio::spawn(async move {
                            let _in_hand = thing;
                            std::future::pending::<()>().await;
                        });
                    }
                    belongings(carrier, &census).await
                });
                drop(runtime);
                drop(after);
                assert_eq!(census.alive(), 0);
            });
        }
    }
}

/// What is left when the runtime is gone, which took the drivers with it.
#[test]
fn handles_that_outlive_their_runtime_are_told_that_it_is_over() {
    for &carrier in CARRIERS.iter().filter(|carrier| **carrier != Carrier::InProcess) {
        for flavour in FLAVOURS {
            within(WATCHDOG, format!("the survivors of {carrier:?} on {flavour:?}"), move || {
                let runtime = runtime(flavour);
                let (tx, mut rx) = runtime.block_on(async {
                    let (tx, rx) = carrier.open::<u64>(Window::messages(2)).await;
                    tx.send(1).await.unwrap();
                    tx.send(2).await.unwrap();
                    until(|| rx.stats().sent == 2).await;
                    (tx, rx)
                });
                let parked: Vec<_> = (0..3)
                    .map(|item| {
                        let tx = tx.clone();
                        thread::spawn(move || tx.blocking_send(item).unwrap_err())
                    })
                    .collect();
                while tx.stats().waiting < 3 {
                    thread::yield_now();
                }
                drop(runtime);
                for parked in parked {
                    let error = parked.join().unwrap();
                    assert!(matches!(error.closed(), Some(credit_channel::Closed::Disconnected(_))), "{error}");
                }
                assert!(tx.try_send(9).unwrap_err().closed().is_some());
                assert_eq!(taken(&mut rx), [1, 2], "what had arrived is there");
                assert!(matches!(rx.blocking_recv(), Err(credit_channel::RecvError::Truncated { received: 2, .. })));
            });
        }
    }
}

fn taken(rx: &mut CreditConsumer<u64>) -> Vec<u64> {
    std::iter::from_fn(|| rx.blocking_recv().ok().flatten().map(|chunk| *chunk)).collect()
}

#[test]
fn blocking_tasks_and_async_tasks_mix() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(2)).await;
        let producer = tokio::task::spawn_blocking(move || {
            (0..300).for_each(|item| tx.blocking_send(item).unwrap());
            tx.end();
        });
        let consumer = tokio::task::spawn_blocking(move || {
            let mut next = 0;
            while let Some(chunk) = rx.blocking_recv().unwrap() {
                assert_eq!(*chunk, next);
                next += 1;
            }
            next
        });
        producer.await.unwrap();
        assert_eq!(consumer.await.unwrap(), 300);
    });
}

#[test]
fn driver_that_was_never_spawned_is_dropped_like_any_other() {
    use credit_channel::transport::{MpscFrames, Transport};
    crate::support::on_both_runtimes(|| async {
        let (near, far) = MpscFrames::<u64>::pair(4);
        let transport = Transport::new();
        let (producer, consumer) = (transport.frame_producer(near), transport.frame_consumer(far, Window::messages(2)));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
        assert!(tx.try_send(1).unwrap_err().is_full(), "nothing was granted yet");
        drop(near);
        assert!(tx.closed().await.to_string().contains("driver"));
        drop(far);
        assert!(rx.recv().await.unwrap_err().to_string().contains("driver"));
    });
}
