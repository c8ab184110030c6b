//! The producer side ends the channel.

use crate::support::{Payload, assert_at_rest, model, pair, receive_all};
use credit_channel::{Closed, RecvError};
use loom::future::block_on;
use loom::thread;

/// Two producers go without `end`, in either order, while the consumer finds nothing and waits. If the race
/// is lost, neither thinks itself the last, and the consumer waits for ever; or the first already ends the
/// channel, and what the second sends is lost.
///
/// Seen failing when the last producer goes and tells nobody.
#[test]
fn last_producer_drop_vs_recv() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let idle = thread::spawn({
            let tx = tx.clone();
            move || drop(tx)
        });
        let sender = thread::spawn(move || tx.try_send(Payload::new(0)).expect("credit for one"));
        assert_eq!(receive_all(&mut rx), (vec![0], Err(RecvError::Abandoned { received: 1 })));
        idle.join().expect("no panic");
        sender.join().expect("no panic");
        assert_at_rest(rx.stats());
    });
}

/// One clone ends while another sends. If the race is lost, the consumer sees a clean end before the last
/// chunk, and what was accepted is silently gone.
///
/// Seen failing when the first clone to end ends the channel.
#[test]
fn end_vs_send() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let ender = thread::spawn({
            let tx = tx.clone();
            move || tx.end()
        });
        let sender = thread::spawn(move || {
            block_on(tx.send(Payload::new(0))).expect("open until this clone ends too");
            tx.end();
        });
        assert_eq!(receive_all(&mut rx), (vec![0], Ok(())));
        ender.join().expect("no panic");
        sender.join().expect("no panic");
        assert_at_rest(rx.stats());
    });
}

/// One clone fails while another sends. If the race is lost, a value that was accepted is neither received
/// nor given back, or the sender parks in a channel that is over.
///
/// Seen failing when a failure throws away what was sent before it.
#[test]
fn fail_vs_send() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let failing = thread::spawn({
            let tx = tx.clone();
            move || tx.fail("disk gone")
        });
        let sender = thread::spawn(move || {
            let sent = [0, 1].map(|id| match block_on(tx.send(Payload::new(id))) {
                Ok(()) => true,
                Err(error) => {
                    assert_eq!(error.closed(), Some(&Closed::Failed("disk gone".into())));
                    assert_eq!(error.into_inner().id(), id);
                    false
                }
            });
            tx.end();
            sent
        });
        let (ids, end) = receive_all(&mut rx);
        assert_eq!(end, Err(RecvError::Failed("disk gone".into())));
        failing.join().expect("no panic");
        let sent = sender.join().expect("no panic");
        assert_eq!(ids, (0..).zip(sent).filter_map(|(id, sent)| sent.then_some(id)).collect::<Vec<_>>());
        assert_at_rest(rx.stats());
    });
}

/// The producer fails at once, which throws away what is queued, just as the consumer takes the queue into
/// its hand. If the race is lost, the chunks that it holds and does not hand out are forgotten there with
/// their credit, or are handed out after the failure was told.
///
/// Seen failing when the chunks in the consumer's hand are dropped without their credit.
#[test]
fn fail_now_vs_recv() {
    model(5, || {
        let (tx, mut rx) = pair(2);
        let watcher = tx.downgrade();
        let producer = thread::spawn(move || {
            tx.try_send(Payload::new(0)).expect("credit for two");
            tx.try_send(Payload::new(1)).expect("credit for two");
            tx.fail_now("disk gone");
        });
        let (ids, end) = receive_all(&mut rx);
        assert_eq!(end, Err(RecvError::Failed("disk gone".into())));
        assert!([&[][..], &[0], &[0, 1]].contains(&&*ids), "a beginning of what was sent: {ids:?}");
        producer.join().expect("no panic");
        assert!(watcher.upgrade().is_none());
        assert_at_rest(rx.stats());
    });
}

/// A weak handle becomes a producer just as the last producer ends. If the race is lost, there is a producer
/// of a channel that is over, or an end while there is one, and what it sends is silently gone.
///
/// Seen failing when an upgrade does not look whether the channel is still open.
#[test]
fn upgrade_vs_last_end() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let weak = tx.downgrade();
        let upgrading = thread::spawn(move || match weak.upgrade() {
            Some(tx) => {
                tx.try_send(Payload::new(0)).expect("open as long as this one is there");
                tx.end();
                true
            }
            None => false,
        });
        let ending = thread::spawn(move || tx.end());
        let received = receive_all(&mut rx);
        ending.join().expect("no panic");
        let upgraded = upgrading.join().expect("no panic");
        assert_eq!(received, (if upgraded { vec![0] } else { vec![] }, Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// Two clones end and wait for all the work to be done, of which there is none, while the consumer takes the
/// end. If the race is lost, the first to end returns before the second has ended, or is not told of it.
///
/// Seen failing when who waits for the end of the work is woken by a channel that is idle and has not ended:
/// it asks to be woken again, is woken again, and spins until the other clone ends.
#[test]
fn end_and_wait_vs_end_and_wait() {
    model(3, || {
        let (tx, mut rx) = pair(1);
        let second = thread::spawn({
            let tx = tx.clone();
            move || block_on(tx.end_and_wait())
        });
        let consumer = thread::spawn(move || {
            let received = receive_all(&mut rx);
            (rx, received)
        });
        block_on(tx.end_and_wait()).expect("a clean end");
        second.join().expect("no panic").expect("a clean end");
        let (rx, received) = consumer.join().expect("no panic");
        assert_eq!(received, (vec![], Ok(())));
        assert_at_rest(rx.stats());
    });
}
