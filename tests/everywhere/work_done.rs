//! I3, I5: who waits for the end of the work is told of it, with the last guard and not before, or that it will never be.

use crate::support::carrier::{Open, everywhere, is_home};
use crate::support::{assert_balanced, poll_once, turns, until};
use credit_channel::{CancelReason, Closed, Window};

#[test]
fn end_and_wait_is_over_with_the_last_guard() {
    everywhere(|carrier| async move {
        for consumer_goes in [false, true] {
            let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
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
                turns(10).await;
                assert!(!done.is_finished(), "{} guards are out", guards.len());
            }
            guards.clear();
            assert_eq!(done.await.unwrap(), Ok(()));
            line.over().await;
        }
    });
}

#[test]
fn end_and_wait_says_when_the_consumer_goes_without_the_work() {
    everywhere(|carrier| async move {
        for cancels in [false, true] {
            let Open { tx, rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
            tx.send(1).await.unwrap();
            let done = tokio::spawn(tx.end_and_wait());
            // The end is out, and arrived wherever it can.
            turns(30).await;
            let reason = if cancels { CancelReason::Timeout } else { CancelReason::Dropped };
            if cancels {
                assert!(rx.cancel(CancelReason::Timeout));
            }
            drop(rx);
            assert_eq!(done.await.unwrap(), Err(Closed::Cancelled(reason)));
            line.over().await;
        }
    });
}

#[test]
fn end_and_wait_says_when_another_clone_fails_or_goes() {
    everywhere(|carrier| async move {
        for fails in [false, true] {
            let (tx, rx) = carrier.open::<u64>(Window::messages(4)).await;
            tx.send(1).await.unwrap();
            let other = tx.clone();
            let done = tokio::spawn(tx.end_and_wait());
            turns(10).await;
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
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        tx.finished().await.unwrap();
        for _ in 0..3 {
            tx.send(1).await.unwrap();
            let in_hand = rx.recv().await.unwrap().unwrap();
            let mut finished = Box::pin(tx.finished());
            turns(10).await;
            assert!(poll_once(&mut finished).await.is_pending());
            drop(in_hand);
            finished.await.unwrap();
            assert_balanced(tx.stats(), true);
        }
        drop(rx);
        let gone = Closed::Cancelled(CancelReason::Dropped);
        assert_eq!(tx.closed().await, gone);
        assert_eq!(tx.finished().await, Err(gone));
    });
}

/// Credit may be held back from a producer that does not need it, but not from one that waits for the work.
#[test]
fn finished_is_told_of_the_last_piece_of_work_in_a_large_window() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1000)).await;
        for round in 1..=5 {
            for item in 0..round {
                tx.send(item).await.unwrap();
            }
            for _ in 0..round {
                drop(rx.recv().await.unwrap());
            }
            tx.finished().await.unwrap();
            until(|| is_home(tx.stats())).await;
        }
    });
}
