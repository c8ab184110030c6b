//! Offers to a buffer that a policy answers for.

use crate::support::{Payload, assert_at_rest, model};
use credit_channel::overflow::{self, Builder, DropReason, OfferError, Overflowed, Policy, Verdict};
use credit_channel::stages::{Stage, StageError};
use credit_channel::{CancelReason, Closed, Window};
use loom::future::block_on;
use loom::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn receive_all(rx: &mut Overflowed<Payload>) -> (Vec<u32>, Result<(), StageError>) {
    let mut ids = Vec::new();
    loop {
        match block_on(rx.recv()) {
            Ok(Some(chunk)) => ids.push(chunk.id()),
            Ok(None) => return (ids, Ok(())),
            Err(error) => return (ids, Err(error)),
        }
    }
}

/// A value is offered just as the consumer finds nothing and waits. If the race is lost, the value lies in the buffer
/// and the consumer sleeps.
///
/// Seen failing when a consumer that has made up its mind to wait leaves its waker without looking into the buffer
/// again under the same lock.
#[test]
fn offer_vs_consumer_park() {
    model(None, || {
        let (tx, mut rx) = overflow::channel(Policy::drop_oldest(1), Window::messages(1)).expect("legal limits");
        let producer = thread::spawn(move || {
            assert_eq!(tx.offer(Payload::new(0)).expect("open"), Verdict::Accepted);
            tx
        });
        assert_eq!(block_on(rx.recv()).expect("open").expect("not ended").id(), 0);
        // Held until here: its drop would be another wake-up, and hide one that got lost.
        producer.join().expect("no panic").end();
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
        assert_at_rest(rx.meter().stats());
    });
}

/// The consumer goes just as one sender offers and another waits for room. If the race is lost, a value goes into a
/// buffer that nobody empties and no hook hears of, or a sender sleeps in a line that nobody serves.
///
/// Seen failing when an end does not close the line of those who wait.
#[test]
fn offer_vs_cancel() {
    model(None, || {
        let dropped = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&dropped);
        let (tx, rx) = Builder::new(Policy::wait(1, 1), Window::messages(1))
            .on_drop(move |_: Payload, reason| {
                assert_eq!(reason, DropReason::Cancelled);
                count.fetch_add(1, Ordering::SeqCst);
            })
            .open()
            .expect("legal limits");
        assert_eq!(tx.offer(Payload::new(0)).expect("open"), Verdict::Accepted);
        let consumer = thread::spawn(move || drop(rx));
        let closed = Closed::Cancelled(CancelReason::Dropped);
        match tx.offer(Payload::new(1)) {
            Err(OfferError::Full { value, .. }) => assert_eq!(value.id(), 1),
            Err(OfferError::Closed { value, reason }) => assert_eq!((value.id(), reason), (1, closed.clone())),
            other => panic!("{other:?}"),
        }
        match block_on(tx.send(Payload::new(2))) {
            Err(OfferError::Closed { value, reason }) => assert_eq!((value.id(), reason), (2, closed)),
            other => panic!("{other:?}"),
        }
        consumer.join().expect("no panic");
        let stats = tx.stats();
        assert_eq!((dropped.load(Ordering::SeqCst), stats.dropped.cancelled), (1, 1));
        assert_eq!((stats.offered, stats.buffered, stats.parked), (1, 0, 0));
    });
}

/// A value is taken, and its place given to the one who waits, just as that one gives up. If the race is lost, the
/// place is kept for nobody, and nobody else gets in.
///
/// Seen failing when a sender that was served and goes does not give its place back.
#[test]
fn served_vs_given_up() {
    model(None, || {
        let (tx, mut rx) = overflow::channel(Policy::wait(1, 1), Window::messages(2)).expect("legal limits");
        assert_eq!(tx.offer(Payload::new(0)).expect("open"), Verdict::Accepted);
        let sender = thread::spawn(move || {
            let sent = crate::support::poll_once(&mut tx.send(Payload::new(1)));
            (tx, sent.is_some())
        });
        assert_eq!(block_on(rx.recv()).expect("open").expect("not ended").id(), 0);
        let (tx, was_sent) = sender.join().expect("no panic");
        let expected = if was_sent {
            vec![1]
        } else {
            assert_eq!(tx.offer(Payload::new(2)).expect("there is room"), Verdict::Accepted);
            vec![2]
        };
        tx.end();
        assert_eq!(receive_all(&mut rx), (expected, Ok(())));
        assert_at_rest(rx.meter().stats());
    });
}

/// Two offers are folded into the pending value at once, just as the consumer looks. If a race is lost, a part of the
/// sum is lost, or the consumer sleeps while it lies there.
///
/// Seen failing when the result of a fold is put back without waking the consumer that found it in somebody's hands.
#[test]
fn fold_vs_fold_vs_take() {
    model(3, || {
        let add = |sum: Payload, more: Payload| Payload::new(sum.id() + more.id());
        let (tx, mut rx) = overflow::channel(Policy::conflate(add), Window::messages(1)).expect("legal limits");
        assert_eq!(tx.offer(Payload::new(1)).expect("open"), Verdict::Accepted);
        let others = [2, 4].map(|id| {
            let tx = tx.clone();
            thread::spawn(move || {
                assert!(tx.offer(Payload::new(id)).expect("open").is_accepted());
                tx
            })
        });
        let mut sum = 0;
        while sum < 7 {
            sum += block_on(rx.recv()).expect("open").expect("not ended").id();
        }
        for other in others {
            other.join().expect("no panic").end();
        }
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
        assert_eq!((sum, rx.stats().offered), (7, 3));
        assert_at_rest(rx.meter().stats());
    });
}
