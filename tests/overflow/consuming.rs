//! The consumer side is a stage: under its window, woken by offers, with an end that is what it is.

use crate::support::{CountingWaker, assert_balanced, on_both_runtimes, poll_once, poll_with};
use crate::{logged, told};
use credit_channel::overflow::{DropReason, OfferError, Policy};
use credit_channel::stages::{Stage, StageError};
use credit_channel::{CancelReason, Closed, Failure, RecvError};
use std::pin::pin;
use std::task::Poll;

/// A value leaves the buffer when there is credit for it and no earlier: the freshest is taken, and what was dropped
/// meanwhile has cost nothing.
#[test]
fn credit_is_taken_with_the_value() {
    on_both_runtimes(|| async {
        let (tx, mut rx, _) = logged(Policy::drop_oldest(2), 1);
        let meter = rx.meter();
        assert!(tx.offer(0).unwrap().is_accepted());
        let first = rx.recv().await.unwrap().unwrap();
        assert_eq!(meter.stats().depth.messages(), 1);
        for n in 1..=100 {
            assert!(tx.offer(n).unwrap().is_accepted());
            assert!(poll_once(&mut rx.recv()).await.is_pending(), "the only credit is out");
            assert_eq!(meter.stats().depth.messages(), 1);
        }
        assert_eq!(tx.stats().dropped.oldest, 98);
        drop(first);
        let second = rx.recv().await.unwrap().unwrap();
        assert_eq!((*second, second.seq(), rx.dropped_before()), (99, 99, 98));
        assert_eq!(meter.stats().peak_depth.messages(), 1);
        drop(second);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 100);
        assert_balanced(meter.stats(), true);
    });
}

#[test]
fn an_offer_wakes_the_consumer_and_only_one_that_can_take_it() {
    let (tx, mut rx, _) = logged(Policy::drop_oldest(2), 1);
    let (count, waker) = CountingWaker::new();
    assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
    assert_balanced(rx.meter().stats(), true);
    assert!(tx.offer(0).unwrap().is_accepted());
    assert!(tx.offer(1).unwrap().is_accepted());
    assert_eq!(count.wakes(), 1);
    let Poll::Ready(Ok(Some(held))) = poll_with(&waker, pin!(rx.recv())) else { panic!("there are two") };
    assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
    for n in 2..100 {
        assert!(tx.offer(n).unwrap().is_accepted());
    }
    assert_eq!(count.wakes(), 1, "it waits for credit, and a flood of offers is nothing to it");
    drop(held);
    assert_eq!(count.wakes(), 2);
    assert!(poll_with(&waker, pin!(rx.recv())).is_ready());
}

/// RS 2.9: a consumer that holds all its credit hears of the end; and then waits for none.
#[test]
fn the_end_needs_no_room() {
    on_both_runtimes(|| async {
        let (tx, mut rx, _) = logged(Policy::drop_oldest(2), 1);
        let meter = rx.meter();
        assert!(tx.offer(0).unwrap().is_accepted());
        let held = rx.recv().await.unwrap().unwrap();
        let waiting = tokio::spawn(async move { (rx.recv().await.unwrap().is_none(), rx) });
        crate::support::until(|| meter.stats().waiting == 1).await;
        tx.end();
        let (has_ended, mut rx) = waiting.await.unwrap();
        assert!(has_ended);
        drop(held);
        assert_balanced(meter.stats(), true);
        assert!(rx.recv().await.unwrap().is_none(), "and again");
        rx.cancel(CancelReason::Requested);
        assert!(rx.recv().await.unwrap().is_none(), "too late to cancel it");
    });
}

/// I8: ended, abandoned, failed: after the backlog, and for ever.
#[test]
fn every_end_comes_after_the_backlog_and_stays() {
    on_both_runtimes(|| async {
        let failed = RecvError::Failed(Failure::from("torn"));
        for (ending, expected) in
            [Ok(()), Err(RecvError::Abandoned { received: 2 }), Err(failed)].into_iter().enumerate()
        {
            let (tx, mut rx, log) = logged(Policy::reject(2), 2);
            let other = tx.clone();
            assert!(tx.offer(1).unwrap().is_accepted());
            assert!(other.offer(2).unwrap().is_accepted());
            other.end();
            match ending {
                0 => tx.end(),
                1 => drop(tx),
                _ => tx.fail("torn"),
            }
            assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
            assert_eq!(*rx.recv().await.unwrap().unwrap(), 2);
            for _ in 0..2 {
                let end = rx.recv().await.map(|chunk| assert!(chunk.is_none()));
                assert_eq!(end, expected.clone().map_err(StageError::Upstream));
            }
            assert!(told(&log).is_empty());
        }
    });
}

#[test]
fn a_failure_that_does_not_wait_drops_the_backlog_and_wakes_who_waits_for_credit() {
    let (tx, mut rx, log) = logged(Policy::reject(2), 1);
    let (count, waker) = CountingWaker::new();
    assert!(tx.offer(1).unwrap().is_accepted());
    let Poll::Ready(Ok(Some(held))) = poll_with(&waker, pin!(rx.recv())) else { panic!("one") };
    assert!(tx.offer(2).unwrap().is_accepted());
    assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
    tx.fail_now("torn");
    assert_eq!((told(&log), count.wakes()), (vec![(2, DropReason::Failed)], 1));
    let failed = StageError::Upstream(RecvError::Failed(Failure::from("torn")));
    assert!(matches!(poll_with(&waker, pin!(rx.recv())), Poll::Ready(Err(error)) if error == failed));
    assert_eq!(rx.dropped_before(), 1);
    drop(held);
    assert_balanced(rx.meter().stats(), true);
}

/// Cancelled or dropped: what is buffered goes to the hook, offers come back with the reason, work in hand may finish.
#[test]
fn a_consumer_that_stops_reports_what_is_buffered() {
    on_both_runtimes(|| async {
        for asked in [true, false] {
            let (tx, mut rx, log) = logged(Policy::drop_oldest(4), 1);
            let meter = rx.meter();
            for n in 0..4 {
                assert!(tx.offer(n).unwrap().is_accepted());
            }
            let held = rx.recv().await.unwrap().unwrap();
            let ((count, waker), mut closed) = (CountingWaker::new(), pin!(tx.closed()));
            assert!(poll_with(&waker, closed.as_mut()).is_pending());
            let reason = if asked {
                rx.cancel(CancelReason::Shutdown);
                rx.cancel(CancelReason::Timeout);
                for _ in 0..2 {
                    assert_eq!(rx.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Shutdown));
                }
                CancelReason::Shutdown
            } else {
                drop(rx);
                CancelReason::Dropped
            };
            let closed_with = Closed::Cancelled(reason);
            assert_eq!(told(&log), [1, 2, 3].map(|n| (n, DropReason::Cancelled)));
            assert_eq!(tx.offer(9), Err(OfferError::Closed { value: 9, reason: closed_with.clone() }));
            assert!(tx.is_closed());
            assert_eq!((count.wakes(), closed.await), (1, closed_with));
            let stats = tx.stats();
            assert_eq!((stats.offered, stats.delivered, stats.dropped.cancelled, stats.buffered), (4, 1, 3, 0));
            drop(held);
            assert_balanced(meter.stats(), true);
        }
    });
}

#[test]
fn what_is_in_the_backlog_of_an_ended_channel_can_still_be_cancelled() {
    on_both_runtimes(|| async {
        let (tx, mut rx, log) = logged(Policy::reject(4), 1);
        assert!(tx.offer(1).unwrap().is_accepted());
        tx.end();
        rx.cancel(CancelReason::Requested);
        assert_eq!(told(&log), [(1, DropReason::Cancelled)]);
        assert_eq!(rx.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Requested));
    });
}

/// S18: behind other stages, a cancel reaches it; and the credit is carried through them.
#[test]
fn it_is_a_stage_like_any_other() {
    on_both_runtimes(|| async {
        let (tx, rx, _) = logged(Policy::drop_oldest(4), 2);
        let meter = rx.meter();
        for n in 0..10 {
            assert!(tx.offer(n).unwrap().is_accepted());
        }
        let mut stage = rx.filter(|n| n % 2 == 0).map(|n| n * 10).boxed();
        let chunk = stage.recv().await.unwrap().unwrap();
        assert_eq!((*chunk, chunk.seq()), (60, 6), "the number shows what was dropped");
        assert_eq!(meter.stats().depth.messages(), 1);
        stage.cancel(CancelReason::Timeout);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Timeout));
        drop(chunk);
        assert_balanced(meter.stats(), true);
    });
}

/// RS 3.3: a consumer whose buffer is never empty lets others run.
#[test]
fn a_consumer_that_always_finds_something_lets_others_run() {
    on_both_runtimes(|| async {
        let (tx, mut rx, _) = logged(Policy::reject(u64::MAX), 1);
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let other = tokio::spawn({
            let stop = std::sync::Arc::clone(&stop);
            async move { stop.store(true, std::sync::atomic::Ordering::SeqCst) }
        });
        while !stop.load(std::sync::atomic::Ordering::SeqCst) {
            assert!(tx.offer(0).unwrap().is_accepted());
            drop(rx.recv().await.unwrap());
        }
        other.await.unwrap();
    });
}
