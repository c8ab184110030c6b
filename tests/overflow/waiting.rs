//! O1 and O9: a source that can wait after all, and a line that has an end.

use crate::support::{Census, CountingWaker, assert_balanced, on_both_runtimes, poll_with};
use crate::{logged, told};
use credit_channel::overflow::{self, OfferError, Policy, Verdict};
use credit_channel::stages::Stage;
use credit_channel::{CancelReason, Closed, Failure, Window};
use std::pin::pin;
use std::task::{Poll, Waker};

#[test]
fn those_who_wait_are_let_in_first_come_first_served() {
    on_both_runtimes(|| async {
        let (tx, mut rx, log) = logged(Policy::wait(2, 64), 1);
        let mut sends: Vec<_> = (0..50).map(|n| Box::pin(tx.send(n))).collect();
        for send in &mut sends {
            let _ = poll_with(Waker::noop(), send.as_mut());
        }
        assert_eq!((tx.stats().buffered, tx.stats().parked, tx.stats().parks), (2, 48, 48));
        assert!(tx.offer(99).unwrap_err().is_full(), "an offer does not overtake them");
        for (n, send) in sends.into_iter().enumerate() {
            if n >= 2 {
                assert_eq!(send.await, Ok(Verdict::Accepted));
            }
            assert_eq!(*rx.recv().await.unwrap().unwrap(), u64::try_from(n).unwrap());
        }
        assert!(told(&log).is_empty());
        assert_eq!((tx.stats().offered, tx.stats().delivered, tx.stats().refused), (50, 50, 1));
    });
}

/// O9. A million sends at once: as many wait as may, the others have their values back at once.
#[test]
fn a_million_sends_and_a_line_of_sixteen() {
    let census = Census::default();
    let (tx, rx) = overflow::channel(Policy::wait(4, 16), Window::messages(1)).unwrap();
    let mut waiting = Vec::new();
    let (mut accepted, mut full) = (0, 0);
    for _ in 0..1_000_000 {
        let mut send = Box::pin(tx.send(census.one()));
        match poll_with(Waker::noop(), send.as_mut()) {
            Poll::Pending => waiting.push(send),
            Poll::Ready(Ok(verdict)) => accepted += u64::from(verdict.is_accepted()),
            Poll::Ready(Err(OfferError::Full { capacity: 4, parked: 16, .. })) => full += 1,
            Poll::Ready(Err(other)) => panic!("{other}"),
        }
    }
    assert_eq!((accepted, waiting.len(), full), (4, 16, 1_000_000 - 20));
    assert_eq!((census.alive(), census.peak()), (20, 21));
    drop(rx);
    for send in &mut waiting {
        let Poll::Ready(Err(error)) = poll_with(Waker::noop(), send.as_mut()) else { panic!("it waits no more") };
        assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Dropped)));
        drop(error.into_inner());
    }
    assert_eq!(census.alive(), 0);
}

/// I5: they are woken, and each has its value back.
#[test]
fn those_who_wait_hear_of_every_end() {
    on_both_runtimes(|| async {
        for failed in [false, true] {
            let (tx, mut rx, _) = logged(Policy::wait(1, 8), 1);
            assert_eq!(tx.send(0).await, Ok(Verdict::Accepted));
            let parked: Vec<_> = (1..=8)
                .map(|n| {
                    let tx = tx.clone();
                    tokio::spawn(async move { tx.send(n).await })
                })
                .collect();
            crate::support::until(|| tx.stats().parked == 8).await;
            let reason = if failed {
                tx.clone().fail("torn");
                Closed::Failed(Failure::from("torn"))
            } else {
                rx.cancel(CancelReason::Shutdown);
                Closed::Cancelled(CancelReason::Shutdown)
            };
            for (send, value) in parked.into_iter().zip(1..) {
                assert_eq!(send.await.unwrap(), Err(OfferError::Closed { value, reason: reason.clone() }));
            }
            assert_eq!(tx.stats().parked, 0);
        }
    });
}

/// I4: one who goes leaves neither a hole in the line nor a place that nobody gets.
#[test]
fn a_send_that_is_dropped_while_it_waits_or_once_it_is_served_gives_its_place_away() {
    let (tx, mut rx, _) = logged(Policy::wait(1, 8), 8);
    let (count, waker) = CountingWaker::new();
    assert_eq!(tx.offer(0), Ok(Verdict::Accepted));
    let mut waits = Box::pin(tx.send(1));
    let mut served = Box::pin(tx.send(2));
    let mut last = pin!(tx.send(3));
    assert!(poll_with(Waker::noop(), waits.as_mut()).is_pending());
    assert!(poll_with(Waker::noop(), served.as_mut()).is_pending());
    assert!(poll_with(&waker, last.as_mut()).is_pending());
    drop(waits);
    assert_eq!(tx.stats().parked, 2);
    let first = poll_with(Waker::noop(), pin!(rx.recv()));
    assert!(matches!(first, Poll::Ready(Ok(Some(chunk))) if *chunk == 0));
    assert_eq!((tx.stats().parked, count.wakes()), (1, 0), "the second was served");
    assert!(tx.offer(9).unwrap_err().is_full(), "its place is kept");
    drop(served);
    assert_eq!(count.wakes(), 1);
    assert_eq!(poll_with(Waker::noop(), last), Poll::Ready(Ok(Verdict::Accepted)));
    let next = poll_with(Waker::noop(), pin!(rx.recv()));
    assert!(matches!(next, Poll::Ready(Ok(Some(chunk))) if *chunk == 3 && chunk.seq() == 1));
    assert_eq!(tx.offer(4), Ok(Verdict::Accepted), "all places are free again");
}

#[test]
fn a_send_that_moves_to_another_task_is_woken_there() {
    let (tx, mut rx, _) = logged(Policy::wait(1, 1), 8);
    let ((old, first), (new, second)) = (CountingWaker::new(), CountingWaker::new());
    assert_eq!(tx.offer(0), Ok(Verdict::Accepted));
    let mut send = pin!(tx.send(1));
    assert!(poll_with(&first, send.as_mut()).is_pending());
    assert!(poll_with(&second, send.as_mut()).is_pending());
    assert!(poll_with(Waker::noop(), pin!(rx.recv())).is_ready());
    assert_eq!((old.wakes(), new.wakes()), (0, 1));
}

#[test]
fn many_senders_under_a_small_buffer_all_get_through() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = overflow::channel(Policy::wait(2, 8), Window::messages(2)).unwrap();
        for sender in 0..8_u64 {
            let tx = tx.clone();
            tokio::spawn(async move {
                for n in 0..500 {
                    assert_eq!(tx.send((sender, n)).await, Ok(Verdict::Accepted));
                }
                tx.end();
            });
        }
        tx.end();
        let mut next = [0; 8];
        while let Some(chunk) = rx.recv().await.unwrap() {
            let (sender, n) = *chunk;
            let place = usize::try_from(sender).unwrap();
            assert_eq!((n, rx.dropped_before()), (next[place], 0), "each sender's in its order");
            next[place] += 1;
        }
        assert_eq!(next, [500; 8]);
        assert_eq!(rx.stats().peak_buffered, 2);
        assert_balanced(rx.meter().stats(), true);
    });
}
