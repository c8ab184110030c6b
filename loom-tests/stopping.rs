//! The consumer side stops the channel.

use crate::support::{Payload, assert_at_rest, model, pair, poll_once, receive_all};
use credit_channel::{CancelReason, Closed, RecvError};
use loom::future::block_on;
use loom::thread;

/// A sender in line is served just as the channel is cancelled. If the race is lost, it keeps the credit that
/// it was served, or sleeps because it was served and dismissed and woken for neither.
///
/// Seen failing when a served sender that finds the channel closed forgets its place, credit and all.
#[test]
fn cancel_vs_served_waiter() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let mut sending = tx.send(Payload::new(1));
        assert!(poll_once(&mut sending).is_none(), "the only credit is out");
        let worker = thread::spawn(move || drop(chunk));
        let consumer = thread::spawn(move || drop(rx));
        // Sent before the cancel, which then threw it away, or given back.
        if let Err(error) = block_on(sending) {
            assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Dropped)));
            assert_eq!(error.into_inner().id(), 1);
        }
        worker.join().expect("no panic");
        consumer.join().expect("no panic");
        assert_at_rest(tx.stats());
    });
}

/// The consumer is dropped just as a producer gets its permit and sends with it. If the race is lost, the
/// producer waits for a permit that nobody will give, or its value goes into a queue that nobody empties.
///
/// Seen failing when a permit may still be used after the channel was cancelled.
#[test]
fn reserve_vs_close() {
    model(None, || {
        let (tx, rx) = pair(1);
        let canceller = rx.canceller();
        let consumer = thread::spawn(move || drop(rx));
        let dropped = Closed::Cancelled(CancelReason::Dropped);
        match block_on(tx.reserve()) {
            Ok(permit) => {
                if let Err(error) = permit.send(Payload::new(0)) {
                    assert_eq!(error.closed(), Some(&dropped));
                    assert_eq!(error.into_inner().id(), 0);
                }
            }
            Err(error) => assert_eq!(error.closed(), Some(&dropped)),
        }
        consumer.join().expect("no panic");
        assert_eq!(block_on(tx.closed()), dropped);
        assert!(!canceller.cancel(CancelReason::Requested), "cancelled before");
        assert_at_rest(tx.stats());
    });
}

/// The consumer is dropped with a chunk in its hand that it has not handed out, just as a guard of the one
/// before it comes home, and while a sender waits. If a race is lost, credit is lost or counted twice, or
/// the sender is not told.
///
/// Seen failing when the consumer drops what is in its hand without its credit.
#[test]
fn guard_drop_vs_consumer_drop() {
    model(3, || {
        let (tx, mut rx) = pair(2);
        tx.try_send(Payload::new(0)).expect("credit for two");
        tx.try_send(Payload::new(1)).expect("credit for two");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let worker = thread::spawn(move || drop(chunk));
        let consumer = thread::spawn(move || drop(rx));
        // Let through by the guard, or given back by the drop.
        if let Err(error) = block_on(tx.send(Payload::new(2))) {
            assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Dropped)));
            assert_eq!(error.into_inner().id(), 2);
        }
        worker.join().expect("no panic");
        consumer.join().expect("no panic");
        assert_at_rest(tx.stats());
    });
}

/// The consumer drains and waits, just as the last permit that is out is dropped unused. If the race is lost,
/// the consumer waits for a chunk that nobody has the right to send any more.
///
/// Seen failing when a permit that is dropped does not look whether the consumer waits for it.
#[test]
fn drain_vs_permit_drop() {
    model(None, || {
        let (tx, mut rx) = pair(2);
        let producer = thread::spawn(move || {
            match tx.try_reserve() {
                Ok(permit) => drop(permit),
                Err(error) => assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Drained))),
            }
            // Held on to: its drop would end the channel and tell the consumer too.
            tx
        });
        rx.drain();
        assert_eq!(receive_all(&mut rx), (vec![], Err(RecvError::Cancelled(CancelReason::Drained))));
        let tx = producer.join().expect("no panic");
        assert_at_rest(tx.stats());
    });
}

/// The consumer drains just as a permit is sent with and another sender waits in line. If a race is lost, the
/// value of the permit is not received, or the sender in line is not told.
///
/// Seen failing when the consumer takes a drain for the end while a permit is out.
#[test]
fn drain_vs_permit_send() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let permit = tx.clone().try_reserve_owned().expect("credit for one");
        let holder = thread::spawn(move || permit.send(Payload::new(0)).expect("a drain honours permits").end());
        let waiter = thread::spawn(move || {
            let sent = match block_on(tx.send(Payload::new(1))) {
                Ok(()) => true,
                Err(error) => {
                    assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Drained)));
                    false
                }
            };
            (tx, sent)
        });
        rx.drain();
        let (ids, end) = receive_all(&mut rx);
        assert_eq!((ids, end), (vec![0], Err(RecvError::Cancelled(CancelReason::Drained))));
        holder.join().expect("no panic");
        let (tx, sent) = waiter.join().expect("no panic");
        assert!(!sent, "the only credit was the permit's until the drain");
        assert_at_rest(tx.stats());
    });
}

/// The consumer is dropped just as somebody begins to wait for that. If the race is lost, `closed` never
/// returns.
///
/// Seen failing when the end of a channel does not tell who waits for it.
#[test]
fn closed_vs_consumer_drop() {
    model(None, || {
        let (tx, rx) = pair(1);
        let consumer = thread::spawn(move || drop(rx));
        assert_eq!(block_on(tx.closed()), Closed::Cancelled(CancelReason::Dropped));
        consumer.join().expect("no panic");
        assert_at_rest(tx.stats());
    });
}

/// The consumer is cancelled from elsewhere just as it takes the last chunk and the end. If the race is lost,
/// it is told of a clean end although a chunk was thrown away, or the canceller is told that it stopped
/// what had ended.
///
/// Seen failing when a cancel does not look whether the end was received already.
#[test]
fn cancel_vs_recv_of_the_end() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        let canceller = rx.canceller();
        tx.try_send(Payload::new(0)).expect("credit for one");
        tx.end();
        let stopping = thread::spawn(move || canceller.cancel(CancelReason::Timeout));
        let (ids, end) = receive_all(&mut rx);
        if stopping.join().expect("no panic") {
            assert_eq!(end, Err(RecvError::Cancelled(CancelReason::Timeout)), "with {ids:?} received");
        } else {
            assert_eq!((ids, end), (vec![0], Ok(())));
        }
        assert_at_rest(rx.stats());
    });
}

/// The channel is cancelled from elsewhere just as the consumer comes for more. If the race is lost, what it
/// has just taken is gone from its hand, and the empty hand looks like the clean end.
///
/// Seen failing when what a refill brought is thrown away if the cancel came in between.
#[test]
fn cancel_vs_refill() {
    model(None, || {
        let (tx, mut rx) = pair(2);
        tx.try_send(Payload::new(0)).expect("credit for two");
        tx.try_send(Payload::new(1)).expect("credit for two");
        let canceller = rx.canceller();
        let stopper = thread::spawn(move || canceller.cancel(CancelReason::Shutdown));
        let (ids, end) = receive_all(&mut rx);
        assert!(ids.len() <= 2 && ids.iter().zip(0..).all(|(id, expected)| *id == expected), "{ids:?}");
        assert_eq!(end, Err(RecvError::Cancelled(CancelReason::Shutdown)));
        assert!(stopper.join().expect("no panic"));
        assert_at_rest(rx.stats());
        drop(tx);
    });
}
