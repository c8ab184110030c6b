//! Several futures under way at once: what becomes of those that fail or panic, and of the others.

use crate::sources::{nap, pair, sent};
use crate::support::{Census, on_a_paused_clock, on_both_runtimes, panics, poll_once, turns};
use credit_channel::stages::{ErrorOrder, OnError, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Closed, Failure};
use futures_util::stream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// However many fail in a row, with nothing ever coming out in between.
#[test]
fn a_stage_that_skips_everything_comes_to_the_end() {
    on_both_runtimes(|| async {
        for unordered in [false, true] {
            let (tx, rx) = pair(3);
            let source = tokio::spawn(async move {
                for n in 0..1000 {
                    tx.send(n).await.unwrap();
                }
                tx.end_and_wait().await.unwrap();
            });
            let mut stage = rx.map_concurrent(2, |_| async { Err::<(), _>("never") }).unwrap().on_error(OnError::Skip);
            if unordered {
                stage = stage.unordered();
            }
            let skipped = stage.skipped();
            assert!(stage.recv().await.unwrap().is_none());
            assert_eq!(skipped.count(), 1000);
            source.await.unwrap();
        }
    });
}

/// Not when its turn comes: the producer may replace it.
#[test]
fn the_credit_of_a_skipped_one_goes_back_at_once() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([50, 0, 7]);
        let work = |ms| async move { if ms == 0 { Err("nothing to do".into()) } else { nap(ms).await } };
        let mut stage = rx.map_concurrent(3, work).unwrap().on_error(OnError::Skip);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!((tx.depth().messages(), stage.skipped().count()), (2, 1));
        tx.end();
        assert_eq!(stage.recv().await.unwrap().unwrap().seq(), 0);
        assert_eq!(stage.recv().await.unwrap().unwrap().seq(), 2, "the number shows what was skipped");
        assert!(stage.recv().await.unwrap().is_none());
    });
}

/// E8, the default: those before it are finished and come out, those behind it are dropped at once.
#[test]
fn a_failure_stops_it_after_what_came_before() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([30, 20, 1, 40, 50, 60]);
        let census = Census::default();
        let alive = census.clone();
        let mut stage = rx
            .map_concurrent(4, move |ms| {
                let one = alive.one();
                async move {
                    let _one = one;
                    nap(ms).await?;
                    if ms == 1 { Err(Failure::from("no room on disk")) } else { Ok(ms) }
                }
            })
            .unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(census.alive(), 4);
        sleep(Duration::from_millis(2)).await;
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(census.alive(), 2, "the first two are still under way");
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError("no room on disk".into())));
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 30);
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 20);
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::Handler("no room on disk".into()));
        }
        assert_eq!((census.born(), census.alive()), (4, 0), "none was begun after it");
        stage.cancel(CancelReason::Timeout);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::Handler("no room on disk".into()), "it had ended");
        drop(stage);
        assert_eq!(tx.depth().messages(), 0);
    });
}

/// Also if it was finished before the failure: what comes out has no gaps.
#[test]
fn what_comes_after_a_failure_does_not_come_out() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([30, 10, 1]);
        let fail = |ms| async move { nap(ms).await.and_then(|ms| if ms == 10 { Err("now".into()) } else { Ok(ms) }) };
        let mut stage = rx.map_concurrent(3, fail).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 30);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::Handler("now".into()));
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn of_two_failures_the_first_in_order_counts() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([30, 20, 10]);
        let fail =
            |ms| async move { nap(ms).await.and_then(|ms| if ms == 30 { Ok(ms) } else { Err(ms.to_string().into()) }) };
        let mut stage = rx.map_concurrent(3, fail).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 30);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::Handler("20".to_string().into()));
        let told = CancelReason::HandlerError("10".into());
        assert_eq!(tx.closed().await, Closed::Cancelled(told), "the first in time is what could be told");
    });
}

#[test]
fn a_failure_may_come_at_once() {
    on_a_paused_clock(|| async {
        for unordered in [false, true] {
            let (tx, rx) = sent([30, 1, 20]);
            let fail =
                |ms| async move { nap(ms).await.and_then(|ms| if ms == 1 { Err("now".into()) } else { Ok(ms) }) };
            let mut stage = rx.map_concurrent(3, fail).unwrap();
            // Of those that are finished as they come none waits, so there is nothing to come before it.
            stage = if unordered { stage.unordered() } else { stage.error_order(ErrorOrder::AtOnce) };
            let start = Instant::now();
            assert_eq!(stage.recv().await.unwrap_err(), StageError::Handler("now".into()));
            assert_eq!((start.elapsed(), tx.depth().messages()), (Duration::from_millis(1), 0));
        }
    });
}

/// In the closure, and in the second of three futures.
#[test]
fn a_panic_cancels_and_loses_no_credit() {
    on_both_runtimes(|| async {
        for in_closure in [true, false] {
            for unordered in [false, true] {
                let (tx, rx) = sent([0, 1, 2]);
                let mut stage = rx
                    .map_concurrent(3, move |n| {
                        assert!(!in_closure || n != 1, "on purpose");
                        async move {
                            assert!(n != 1, "on purpose");
                            turns(2 * n).await;
                            Ok::<_, Failure>(n)
                        }
                    })
                    .unwrap();
                if unordered {
                    stage = stage.unordered();
                }
                assert!(panics(|| {
                    let _ = stage.poll_next(&mut Context::from_waker(Waker::noop()));
                }));
                assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
                assert_eq!(*stage.recv().await.unwrap().unwrap(), 0, "in the closure: {in_closure}");
                if !in_closure {
                    assert_eq!(*stage.recv().await.unwrap().unwrap(), 2);
                }
                for _ in 0..2 {
                    let error = stage.recv().await.unwrap_err();
                    assert_eq!(error, StageError::cancelled(CancelReason::HandlerPanic));
                }
                assert_eq!(tx.depth().messages(), 0);
            }
        }
    });
}

/// The future that panicked leaves its place, here the only one: the stage asks what is before it all the same.
#[test]
fn a_panic_in_the_only_place_is_no_hang() {
    on_both_runtimes(|| async {
        let (tx, rx) = sent([0]);
        let mut stage = rx
            .map_concurrent(1, |n| async move { if n == 0 { panic!("on purpose") } else { Ok::<_, Failure>(n) } })
            .unwrap();
        assert!(panics(|| {
            let _ = stage.poll_next(&mut Context::from_waker(Waker::noop()));
        }));
        assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::HandlerPanic));
        assert_eq!(tx.depth().messages(), 0);
    });
}

/// RS 3.3: everything is ready, for ever, and nothing comes out.
#[test]
fn a_stage_that_skips_everything_lets_others_run() {
    on_both_runtimes(|| async {
        let stop = Arc::new(AtomicBool::new(false));
        let other = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move { stop.store(true, Ordering::Relaxed) }
        });
        let endless = from_stream(stream::iter(std::iter::repeat_with(move || stop.load(Ordering::Relaxed))));
        let work = |stopped| async move { if stopped { Ok(()) } else { Err("not yet") } };
        let mut stage = endless.map_concurrent(4, work).unwrap().unordered().on_error(OnError::Skip);
        assert!(stage.recv().await.unwrap().is_some());
        other.await.unwrap();
    });
}
