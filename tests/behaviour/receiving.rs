//! I4 at the consumer: a call that is polled by one task after another wakes the last of them.

use crate::support::{CountingWaker, poll_with};
use credit_channel::{Window, channel};
use std::pin::pin;
use std::task::{Context, Poll};

#[test]
fn latest_waker_is_the_one_that_is_woken() {
    let (tx, mut rx) = channel::<u64>(Window::messages(8)).unwrap();
    let (first, first_waker) = CountingWaker::new();
    let (second, second_waker) = CountingWaker::new();
    assert!(poll_with(&first_waker, pin!(rx.recv())).is_pending());
    assert!(poll_with(&second_waker, pin!(rx.recv())).is_pending());
    tx.try_send(1).unwrap();
    assert_eq!((first.wakes(), second.wakes()), (0, 1));
    tx.try_send(2).unwrap();
    assert_eq!(second.wakes(), 1, "woken once, it is not woken again before it waits again");
    let mut cx = Context::from_waker(&first_waker);
    assert!(matches!(rx.poll_recv(&mut cx), Poll::Ready(Ok(Some(_)))));
    // The same for a send that is polled by another task than before.
    let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
    tx.try_send(1).unwrap();
    let mut send = Box::pin(tx.send(2));
    assert!(poll_with(&first_waker, send.as_mut()).is_pending());
    assert!(poll_with(&second_waker, send.as_mut()).is_pending());
    drop(rx.try_recv().unwrap());
    assert_eq!((first.wakes(), second.wakes()), (0, 2));
    assert!(poll_with(&first_waker, send.as_mut()).is_ready());
}
