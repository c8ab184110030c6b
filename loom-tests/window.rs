//! The window changes.

use crate::support::{Payload, assert_at_rest, model, pair, receive_all};
use credit_channel::Window;
use loom::future::block_on;
use loom::thread;

/// The window grows just as a sender parks for want of credit. If the race is lost, the sender sleeps although
/// there is credit for it.
///
/// Seen failing when the line is not served after the window has grown.
#[test]
fn grow_window_vs_send() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let producer = thread::spawn(move || {
            block_on(tx.send(Payload::new(1))).expect("open");
            tx
        });
        rx.set_window(Window::messages(2)).expect("the same units");
        let tx = producer.join().expect("no panic");
        assert_eq!(tx.depth().messages(), 2, "the first is still being worked on");
        drop(chunk);
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![1], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// The window shrinks just as sends use it up and their work comes home. If the race is lost, the smaller
/// window lets as much through as the larger one did, or takes out of circulation what it needs itself, and
/// the producer starves.
///
/// Seen failing when a smaller window is booked and does not hold.
#[test]
fn shrink_window_vs_send() {
    model(3, || {
        let (tx, mut rx) = pair(2);
        let producer = thread::spawn(move || {
            for id in 0..3 {
                block_on(tx.send(Payload::new(id))).expect("open");
            }
            tx.end();
        });
        rx.set_window(Window::messages(1)).expect("the same units");
        assert_eq!(receive_all(&mut rx), (vec![0, 1, 2], Ok(())));
        producer.join().expect("no panic");
        assert_at_rest(rx.stats());
        assert_eq!(rx.stats().credit.messages(), 1);
    });
}
