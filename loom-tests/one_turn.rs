//! One turn of the runtime before a park. A sender that finds no credit stands in line without a waker for a
//! while, and a consumer that finds nothing has left none.

use crate::support::{Payload, assert_at_rest, model, one_turn_pair, receive_all, send_one_more_than_the_window};
use credit_channel::{Builder, Window};
use loom::future::block_on;
use loom::thread;

/// Credit comes home while the sender has its place but no waker there. If the race is lost, it parks beside
/// its credit.
///
/// Seen failing when a sender that comes back parks without having looked into the tray, before or after it
/// asks to be told.
#[test]
fn grant_vs_turn() {
    model(3, || send_one_more_than_the_window(one_turn_pair(1)));
}

/// A second sender looks for credit while the first one stands in line without a waker, and credit comes home.
/// If the race is lost, the second takes it off the tray, may not have it, and nobody serves the first.
///
/// Seen failing when a sender books what came home although others stand in line, and those look into the
/// tray alone.
#[test]
fn turn_vs_another_sender() {
    model(2, || {
        let (tx, mut rx) = one_turn_pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let in_hand = rx.try_recv().expect("sent").expect("not ended");
        let other = tx.clone();
        let first = thread::spawn(move || {
            block_on(tx.send(Payload::new(1))).expect("open");
            tx.end();
        });
        let second = thread::spawn(move || {
            block_on(other.send(Payload::new(2))).expect("open");
            other.end();
        });
        drop(in_hand);
        let (mut ids, end) = receive_all(&mut rx);
        ids.sort_unstable();
        assert_eq!((ids, end), (vec![1, 2], Ok(())));
        first.join().expect("no panic");
        second.join().expect("no panic");
        assert_at_rest(rx.stats());
    });
}

/// A chunk is queued while the consumer has its turn, or when that is over and it parks. If the race is lost,
/// the consumer is not called and does not come back of its own accord.
///
/// Seen failing when a consumer that gives the runtime one turn does not wake itself.
#[test]
fn turn_vs_send() {
    model(3, || {
        let (tx, mut rx) = Builder::new(Window::messages(2)).recv_gives_one_turn().open().expect("not 0");
        let producer = thread::spawn(move || {
            tx.try_send(Payload::new(0)).expect("credit for two");
            tx.try_send(Payload::new(1)).expect("credit for two");
            tx.end();
        });
        assert_eq!(receive_all(&mut rx), (vec![0, 1], Ok(())));
        producer.join().expect("no panic");
        assert_at_rest(rx.stats());
    });
}
