//! I10: handles, guards and futures drop anywhere, in any order, and the books stay right.

use crate::support::{Dice, FLAVOURS, WATCHDOG, assert_balanced, panics, poll_with, runtime, within};
use credit_channel::{CancelReason, Window, channel, weighted};
use futures_util::SinkExt;
use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::thread;

/// One of everything that holds a part of a channel.
fn belongings() -> Vec<Box<dyn Any + Send>> {
    let (tx, mut rx) = weighted::<Vec<u8>>(Window::messages(8).and_bytes(80)).unwrap();
    for _ in 0..3 {
        tx.try_send(vec![0; 10]).unwrap();
    }
    let chunk = rx.try_recv().unwrap();
    let (_value, mut guard) = rx.try_recv().unwrap().unwrap().into_parts();
    let piece = guard.split(3).unwrap();
    let owned = tx.clone().try_reserve_owned().unwrap();
    let mut sink = tx.clone().into_sink();
    tx.try_send(vec![0; 40]).unwrap();
    let _ = sink.poll_ready_unpin(&mut Context::from_waker(Waker::noop()));
    sink.start_send_unpin(vec![0; 30]).unwrap();
    let _ = sink.poll_flush_unpin(&mut Context::from_waker(Waker::noop()));
    let parked = tx.clone();
    let mut waits = Box::pin(async move { parked.send(vec![0; 70]).await });
    assert!(poll_with(Waker::noop(), waits.as_mut()).is_pending());
    let watching = tx.clone();
    let mut watches = Box::pin(async move { watching.end_and_wait().await });
    assert!(poll_with(Waker::noop(), watches.as_mut()).is_pending());
    let (weak, canceller) = (tx.downgrade(), rx.canceller());
    vec![
        Box::new(tx),
        Box::new(rx),
        Box::new(chunk),
        Box::new(guard),
        Box::new(piece),
        Box::new(owned),
        Box::new(sink),
        Box::new(waits),
        Box::new(watches),
        Box::new(weak),
        Box::new(canceller),
    ]
}

#[test]
fn everything_drops_in_any_order_on_any_thread() {
    within(WATCHDOG, "dropping", || {
        let mut dice = Dice::new(1);
        for round in 0..300 {
            let mut things: Vec<_> = belongings().into_iter().map(Some).collect();
            for next in dice.order(things.len()) {
                let thing = things[next].take();
                if round % 10 == 0 {
                    thread::spawn(move || drop(thing)).join().unwrap();
                }
            }
        }
    });
}

#[test]
fn everything_drops_during_a_panic() {
    let mut dice = Dice::new(2);
    for _ in 0..100 {
        let mut things = belongings();
        let order = dice.order(things.len());
        things.sort_by_cached_key(|_| 0); // keeps the order: what is shuffled is what unwinds first
        let shuffled: Vec<_> = order.into_iter().map(|_| things.pop()).collect();
        assert!(panics(move || {
            let _in_hand = shuffled;
            std::panic::resume_unwind(Box::new("the work fails"));
        }));
    }
}

#[test]
fn everything_drops_inside_and_after_a_runtime_that_shuts_down() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "the shutdown", move || {
            let runtime = runtime(flavour);
            for thing in belongings() {
                runtime.spawn(async move {
                    let _in_hand = thing;
                    std::future::pending::<()>().await;
                });
            }
            let after = runtime.block_on(async { belongings() });
            drop(runtime);
            drop(after);
        });
    }
}

#[test]
fn guards_that_outlive_everything_and_the_channel_that_outlives_its_ends() {
    let (tx, mut rx) = channel::<Arc<u64>>(Window::messages(4)).unwrap();
    let value = Arc::new(7);
    tx.try_send(Arc::clone(&value)).unwrap();
    tx.try_send(Arc::clone(&value)).unwrap();
    let first = rx.try_recv().unwrap().unwrap();
    let (weak, canceller) = (tx.downgrade(), rx.canceller());
    drop((tx, rx));
    assert_eq!(Arc::strong_count(&value), 2, "the queued one is gone with the consumer");
    assert!(!canceller.cancel(CancelReason::Requested), "it was cancelled by the drop");
    assert!(weak.upgrade().is_none());
    drop(first);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn dropped_send_future_takes_its_value_with_it_and_nothing_else() {
    let (tx, mut rx) = channel::<Arc<u64>>(Window::messages(1)).unwrap();
    let value = Arc::new(7);
    tx.try_send(Arc::clone(&value)).unwrap();
    let mut polled = tx.send(Arc::clone(&value));
    assert!(poll_with(Waker::noop(), Pin::new(&mut polled)).is_pending());
    let never_polled = tx.send(Arc::clone(&value));
    assert_eq!(Arc::strong_count(&value), 4);
    drop((polled, never_polled));
    assert_eq!(Arc::strong_count(&value), 2);
    drop(rx.try_recv().unwrap());
    assert_balanced(tx.stats(), true);
}
