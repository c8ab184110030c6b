//! Parking and being woken: one sender, one consumer.

use crate::support::{Payload, assert_at_rest, model, pair, poll_once, receive_all, send_one_more_than_the_window};
use credit_channel::{CancelReason, Closed, RecvError};
use loom::future::block_on;
use loom::thread;
use std::pin::pin;

/// Credit comes home just as the sender finds that it is short and parks. If the race is lost, the credit
/// lies in the tray, the sender sleeps, and neither hears of the other again.
///
/// Seen failing when a sender that parks does not look into the tray once more after asking to be told.
#[test]
fn grant_vs_park() {
    model(5, || send_one_more_than_the_window(pair(1)));
}

/// A chunk is queued just as the consumer finds nothing and waits. If the race is lost, the chunk lies in
/// the queue and the consumer sleeps.
///
/// Seen failing when a consumer that has made up its mind to wait leaves its waker without looking into the
/// queue again under the same lock.
#[test]
fn recv_vs_send() {
    model(None, || {
        let (tx, mut rx) = pair(2);
        let producer = thread::spawn(move || {
            tx.try_send(Payload::new(0)).expect("credit for two");
            tx.try_send(Payload::new(1)).expect("credit for two");
            tx
        });
        for id in 0..2 {
            assert_eq!(block_on(rx.recv()).expect("open").expect("not ended").id(), id);
        }
        // Held until here: its drop would be another wake-up, and hide one that got lost.
        producer.join().expect("no panic").end();
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// A `recv` is given up and begun again by another task, and so with another waker, just as a chunk is sent. If
/// the race is lost, the waker of the task that has gone is woken and the one that waits is not.
///
/// Seen failing when the channel keeps the first waker that a consumer left, until it is woken.
#[test]
fn new_waker_vs_send() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        let producer = thread::spawn(move || {
            tx.try_send(Payload::new(0)).expect("credit for one");
            tx
        });
        // As in a `select!` that this branch lost: dropped, and its waker left behind.
        let received = poll_once(&mut pin!(rx.recv()));
        let received = received.unwrap_or_else(|| block_on(rx.recv()));
        assert_eq!(received.expect("open").expect("not ended").id(), 0);
        producer.join().expect("no panic").end();
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// The consumer cancels just as a sender joins the line. If the race is lost, the sender joins a line that
/// nobody serves any more, and sleeps for ever with its value.
///
/// Seen failing when a cancel dismisses those in line and wakes none of them.
#[test]
fn cancel_vs_park() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let producer = thread::spawn(move || {
            // No credit comes home while this waits: only the cancel can end it.
            let error = block_on(tx.send(Payload::new(1))).expect_err("cancelled");
            assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Shutdown)));
            assert_eq!(error.into_inner().id(), 1);
        });
        assert!(rx.cancel(CancelReason::Shutdown));
        producer.join().expect("no panic");
        drop(chunk);
        assert_eq!(receive_all(&mut rx), (vec![], Err(RecvError::Cancelled(CancelReason::Shutdown))));
        assert_at_rest(rx.stats());
    });
}

/// A parked send moves to another task, and so to another waker, just as it is granted. If the race is lost,
/// the waker of the task that has gone is woken and the one that waits is not.
///
/// Seen failing when a place in line keeps the first waker it was given.
#[test]
fn new_waker_vs_grant() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let worker = thread::spawn(move || drop(chunk));
        let mut sending = tx.send(Payload::new(1));
        match poll_once(&mut sending) {
            Some(sent) => sent.expect("open"),
            None => block_on(&mut sending).expect("open"),
        }
        drop(sending);
        worker.join().expect("no panic");
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![1], Ok(())));
        assert_at_rest(rx.stats());
    });
}
