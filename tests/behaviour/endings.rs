//! I6, I8: what was sent is delivered or its loss is said, and the ways to end are told apart on both sides.

use crate::support::{Census, Counted, assert_balanced, on_both_runtimes, poll_once, turns, until};
use credit_channel::{CancelReason, Closed, CreditConsumer, Failure, RecvError, SendError, Window, channel};
use std::error::Error;
use std::task::Poll;

/// All values up to the end, and what the end was.
async fn rest<T: Copy>(rx: &mut CreditConsumer<T>) -> (Vec<T>, Result<(), RecvError>) {
    let mut values = Vec::new();
    loop {
        match rx.recv().await {
            Ok(Some(chunk)) => values.push(*chunk),
            Ok(None) => return (values, Ok(())),
            Err(error) => return (values, Err(error)),
        }
    }
}

#[test]
fn end_failure_abandonment_and_cancel_are_told_apart() {
    on_both_runtimes(|| async {
        let open = || async {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            for item in 0..3 {
                tx.send(item).await.unwrap();
            }
            (tx, rx)
        };
        let sent = vec![0, 1, 2];
        let (tx, mut rx) = open().await;
        tx.end();
        assert_eq!(rest(&mut rx).await, (sent.clone(), Ok(())));
        assert_eq!(rest(&mut rx).await, (vec![], Ok(())), "and so for ever");

        let (tx, mut rx) = open().await;
        tx.fail(Failure::from_error(std::io::Error::other("disk gone")).with_code(74));
        let (values, end) = rest(&mut rx).await;
        assert_eq!(values, sent, "queued chunks come first");
        let Err(RecvError::Failed(failure)) = &end else { panic!("{end:?}") };
        assert_eq!((failure.code(), failure.text()), (74, "disk gone"));
        assert!(failure.source().is_some());
        assert_eq!(rest(&mut rx).await, (vec![], end));

        let (tx, mut rx) = open().await;
        tx.fail_now("disk gone");
        assert_eq!(rest(&mut rx).await, (vec![], Err(RecvError::Failed("disk gone".into()))));
        assert_balanced(rx.stats(), true);

        let (tx, mut rx) = open().await;
        drop(tx);
        assert_eq!(rest(&mut rx).await, (sent.clone(), Err(RecvError::Abandoned { received: 3 })));

        let (tx, mut rx) = open().await;
        rx.cancel(CancelReason::Timeout);
        assert_eq!(rest(&mut rx).await, (vec![], Err(RecvError::Cancelled(CancelReason::Timeout))));
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Timeout));
        assert_eq!(tx.cancelled().await, Some(CancelReason::Timeout));
    });
}

#[test]
fn fail_now_takes_what_the_consumer_had_not_been_given() {
    on_both_runtimes(|| async {
        let census = Census::default();
        let (tx, mut rx) = channel::<Counted>(Window::messages(8)).unwrap();
        for _ in 0..4 {
            tx.send(census.one()).await.unwrap();
        }
        let first = rx.recv().await.unwrap().unwrap();
        tx.send(census.one()).await.unwrap();
        tx.fail_now("stop");
        assert!(matches!(rx.recv().await, Err(RecvError::Failed(_))));
        assert_eq!((census.alive(), rx.stats().depth.messages()), (1, 1), "what is in hand is left to be finished");
        drop(first);
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn last_clone_ends_and_one_that_went_without_end_spoils_it() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let (second, third) = (tx.clone(), tx.clone());
        tx.end();
        second.send(1).await.unwrap();
        second.end();
        let mut waits = Box::pin(rx.recv());
        assert!(matches!(poll_once(&mut waits).await, Poll::Ready(Ok(Some(_)))));
        drop(waits);
        let mut waits = Box::pin(rx.recv());
        assert!(poll_once(&mut waits).await.is_pending(), "one is still there");
        third.end();
        assert!(waits.await.unwrap().is_none());

        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let (second, third) = (tx.clone(), tx.clone());
        drop(second);
        tx.end();
        third.send(5).await.unwrap();
        third.end();
        assert_eq!(rest(&mut rx).await, (vec![5], Err(RecvError::Abandoned { received: 1 })));
    });
}

#[test]
fn weak_handles_neither_hold_the_end_back_nor_bring_it_back() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let weak = tx.downgrade();
        let again = weak.upgrade().unwrap();
        assert!(again.same_channel(&tx));
        again.send(1).await.unwrap();
        again.end();
        tx.end();
        assert!(weak.upgrade().is_none() && weak.clone().upgrade().is_none());
        assert_eq!(rest(&mut rx).await, (vec![1], Ok(())));
    });
}

#[test]
fn end_and_wait_is_over_with_the_last_guard() {
    on_both_runtimes(|| async {
        for consumer_goes in [false, true] {
            let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
            let mut guards = Vec::new();
            for item in 0..3 {
                tx.send(item).await.unwrap();
                guards.push(rx.recv().await.unwrap().unwrap());
            }
            let done = tokio::spawn(tx.end_and_wait());
            assert!(rx.recv().await.unwrap().is_none(), "the end comes while all three are in hand");
            let _kept = if consumer_goes {
                drop(rx);
                None
            } else {
                Some(rx)
            };
            while guards.len() > 1 {
                drop(guards.pop());
                turns(5).await;
                assert!(!done.is_finished(), "{} guards are out", guards.len());
            }
            guards.clear();
            assert_eq!(done.await.unwrap(), Ok(()));
        }
    });
}

#[test]
fn end_and_wait_does_not_depend_on_the_end_being_read() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        let in_hand = rx.recv().await.unwrap().unwrap();
        let mut done = Box::pin(tx.end_and_wait());
        assert!(poll_once(&mut done).await.is_pending());
        // All was received: to go now is no cancel.
        drop(rx);
        assert!(poll_once(&mut done).await.is_pending());
        drop(in_hand);
        assert_eq!(done.await, Ok(()));
    });
}

#[test]
fn end_and_wait_says_when_the_work_will_never_be_done() {
    on_both_runtimes(|| async {
        // The consumer goes with one not received.
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        let done = tokio::spawn(tx.end_and_wait());
        turns(3).await;
        drop(rx);
        assert_eq!(done.await.unwrap(), Err(Closed::Cancelled(CancelReason::Dropped)));
        // Another clone fails, or goes without end.
        for fails in [false, true] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            let other = tx.clone();
            let done = tokio::spawn(tx.end_and_wait());
            turns(3).await;
            assert!(!done.is_finished(), "another clone is still there");
            if fails {
                other.fail("disk gone")
            } else {
                drop(other)
            }
            let why = if fails { Closed::Failed("disk gone".into()) } else { Closed::Abandoned };
            assert_eq!(done.await.unwrap(), Err(why));
            drop(rx);
        }
    });
}

#[test]
fn finished_waits_for_the_work_and_the_channel_goes_on() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.finished().await.unwrap();
        for _ in 0..3 {
            tx.send(1).await.unwrap();
            let in_hand = rx.recv().await.unwrap().unwrap();
            let mut finished = Box::pin(tx.finished());
            assert!(poll_once(&mut finished).await.is_pending());
            drop(in_hand);
            finished.await.unwrap();
        }
        drop(rx);
        assert_eq!(tx.finished().await, Err(Closed::Cancelled(CancelReason::Dropped)));
    });
}

#[test]
fn drain_takes_what_was_sent_and_what_permits_still_send() {
    on_both_runtimes(|| async {
        for used in [false, true] {
            let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
            tx.send(1).await.unwrap();
            let permit = tx.reserve().await.unwrap();
            rx.drain();
            let refused = tx.send(9).await.unwrap_err();
            let drained = Closed::Cancelled(CancelReason::Drained);
            assert_eq!(refused, SendError::Closed { value: 9, reason: drained });
            assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
            let mut waits = Box::pin(rx.recv());
            assert!(poll_once(&mut waits).await.is_pending(), "a permit is out");
            if used {
                permit.send(2).unwrap()
            } else {
                drop(permit)
            }
            if used {
                assert_eq!(*waits.await.unwrap().unwrap(), 2);
            } else {
                drop(waits);
            }
            assert_eq!(rest(&mut rx).await, (vec![], Err(RecvError::Cancelled(CancelReason::Drained))));
        }
        // Producers that ended meanwhile have ended cleanly.
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        rx.drain();
        tx.end();
        assert_eq!(rest(&mut rx).await, (vec![1], Ok(())));
    });
}

#[test]
fn cancel_lets_work_in_hand_be_finished_and_drops_the_rest() {
    on_both_runtimes(|| async {
        let census = Census::default();
        let (tx, mut rx) = channel::<Counted>(Window::messages(8)).unwrap();
        let mut in_hand = Vec::new();
        for _ in 0..3 {
            tx.send(census.one()).await.unwrap();
            in_hand.push(rx.recv().await.unwrap().unwrap());
        }
        for _ in 0..5 {
            tx.send(census.one()).await.unwrap();
        }
        let canceller = rx.canceller();
        let stopped = tokio::spawn(async move { canceller.cancel(CancelReason::Requested) });
        assert!(stopped.await.unwrap());
        until(|| census.alive() == 3).await;
        assert_eq!(tx.depth().messages(), 3);
        in_hand.clear();
        assert!(rx.recv().await.is_err());
        assert_balanced(tx.stats(), true);
        assert_eq!(census.alive(), 0);
    });
}
