//! The way in by hand: bounded, and with a reason for what it does not take.

use crate::support::{on_both_runtimes, poll_once, until};
use credit_channel::stages::Stage;
use credit_channel::workers::{Inbox, Pool, Rate, Refused, Workers};
use credit_channel::{CancelReason, Closed, CreditGuard, Failure, RecvError};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A pool whose handlers wait until they are let go.
fn held(workers: Workers) -> (Inbox<u64>, Pool<u64, CreditGuard>, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let door = Arc::clone(&gate);
    let (inbox, pool) = workers
        .spawn(move |n| {
            let door = Arc::clone(&door);
            async move {
                door.acquire().await.unwrap().forget();
                Ok::<_, Failure>(n)
            }
        })
        .unwrap();
    (inbox, pool, gate)
}

#[test]
fn a_full_inbox_says_so_and_gives_the_value_back() {
    on_both_runtimes(|| async {
        let (inbox, mut pool, gate) = held(Workers::new(1..=1).inbox(3));
        for n in 0..3 {
            inbox.try_submit(n).unwrap();
        }
        let refused = inbox.try_submit(3).unwrap_err();
        assert_eq!(refused, Refused::Full(3));
        assert_eq!((refused.to_string(), refused.into_inner()), ("the inbox is full".into(), 3));
        until(|| pool.meter().stats().busy == 1 && pool.meter().stats().queued == 2).await;
        assert_eq!(inbox.try_submit(4), Err(Refused::Full(4)), "what is in work counts");
        gate.add_permits(1);
        let first = pool.recv().await.unwrap().unwrap();
        assert_eq!(inbox.try_submit(5), Err(Refused::Full(5)), "what was taken and is not done with counts");
        drop(first);
        assert_eq!(inbox.try_submit(6), Ok(()));
        assert_eq!(pool.meter().stats().refused_full, 3);
    });
}

#[test]
fn a_submission_waits_for_room_in_line() {
    on_both_runtimes(|| async {
        let (inbox, mut pool, gate) = held(Workers::new(1..=1).inbox(1));
        inbox.submit(0).await.unwrap();
        let mut second = pin!(inbox.submit(1));
        let mut third = pin!(inbox.submit(2));
        assert!(poll_once(&mut second).await.is_pending());
        assert!(poll_once(&mut third).await.is_pending());
        gate.add_permits(3);
        drop(pool.recv().await.unwrap().unwrap());
        assert!(poll_once(&mut third).await.is_pending(), "the other came first");
        second.await.unwrap();
        assert_eq!(*pool.recv().await.unwrap().unwrap(), 1);
        third.await.unwrap();
        assert_eq!(*pool.recv().await.unwrap().unwrap(), 2);
    });
}

#[test]
fn a_closed_inbox_says_why() {
    on_both_runtimes(|| async {
        let (inbox, mut pool, _gate) = held(Workers::new(1..=1).inbox(1));
        inbox.submit(0).await.unwrap();
        let mut parked = pin!(inbox.submit(1));
        assert!(poll_once(&mut parked).await.is_pending());
        pool.cancel(CancelReason::Shutdown);
        let expected = |value| Refused::Closed { value, reason: Closed::Cancelled(CancelReason::Shutdown) };
        assert_eq!(parked.await, Err(expected(1)));
        assert_eq!(inbox.closed().await, Closed::Cancelled(CancelReason::Shutdown));
        assert_eq!(inbox.try_submit(2), Err(expected(2)));
        assert_eq!(pool.meter().stats().refused_closed, 2);
    });
}

#[test]
fn every_clone_has_to_end() {
    on_both_runtimes(|| async {
        for clean in [true, false] {
            let (inbox, mut pool, gate) = held(Workers::new(1..=1).inbox(4));
            gate.add_permits(10);
            let other = inbox.clone();
            inbox.submit(0).await.unwrap();
            inbox.end();
            assert_eq!(*pool.recv().await.unwrap().unwrap(), 0);
            assert!(poll_once(&mut pool.recv()).await.is_pending());
            other.submit(1).await.unwrap();
            if clean {
                other.end();
            } else {
                drop(other);
            }
            assert_eq!(*pool.recv().await.unwrap().unwrap(), 1);
            for _ in 0..2 {
                match pool.recv().await {
                    Ok(end) => assert!(clean && end.is_none()),
                    Err(error) => assert!(!clean && error == RecvError::Abandoned { received: 2 }.into(), "{error}"),
                }
            }
        }
    });
}

#[test]
fn the_end_can_be_waited_for() {
    on_both_runtimes(|| async {
        let (inbox, mut pool, gate) = held(Workers::new(1..=1).inbox(4));
        gate.add_permits(1);
        inbox.submit(7).await.unwrap();
        let mut done = pin!(inbox.end_and_wait());
        let result = pool.recv().await.unwrap().unwrap();
        assert!(poll_once(&mut done).await.is_pending(), "the result is still in hand");
        drop(result);
        assert!(pool.recv().await.unwrap().is_none());
        assert_eq!(done.await, Ok(()));
    });
}

/// A rate admits so many, and who waits for room does not wait for admission.
#[test]
fn who_is_not_admitted_is_told_at_once() {
    on_both_runtimes(|| async {
        let (inbox, pool, _gate) = held(Workers::new(1..=1).inbox(10).admission(Rate::per_second(0.0).with_burst(3)));
        for n in 0..2 {
            inbox.try_submit(n).unwrap();
        }
        inbox.submit(2).await.unwrap();
        assert_eq!(inbox.try_submit(3), Err(Refused::NotAdmitted(3)));
        assert_eq!(inbox.submit(4).await, Err(Refused::NotAdmitted(4)));
        let stats = pool.meter().stats();
        assert_eq!((stats.refused_not_admitted, stats.refused_full), (2, 0));
        assert_eq!(stats.inbox.depth.messages(), 3, "the room of those goes back");
    });
}

#[test]
fn a_full_inbox_takes_no_token() {
    on_both_runtimes(|| async {
        let (inbox, mut pool, gate) = held(Workers::new(1..=1).inbox(1).admission(Rate::per_second(0.0).with_burst(2)));
        inbox.try_submit(0).unwrap();
        for n in 0..5 {
            assert_eq!(inbox.try_submit(n), Err(Refused::Full(n)));
        }
        gate.add_permits(1);
        drop(pool.recv().await.unwrap().unwrap());
        assert_eq!(inbox.try_submit(1), Ok(()), "the second token is still there");
    });
}
