//! Several futures under way at once: in which order they come out, and how many there are.

use crate::sources::{nap, pair, sent};
use crate::support::{
    Census, LONG_WATCHDOG, on_a_paused_clock, on_both_runtimes, on_both_runtimes_within, poll_once, turns,
};
use credit_channel::stages::{DemandError, ErrorOrder, OnError, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Failure, RecvError};
use futures_util::stream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// S21: three at once, each shorter than the one before it.
#[test]
fn values_come_out_in_the_order_they_came() {
    on_a_paused_clock(|| async {
        let census = Census::default();
        let asked = Arc::new(AtomicU64::new(0));
        let (count, alive) = (Arc::clone(&asked), census.clone());
        let source = from_stream(stream::iter(0..30)).map(move |n: u64| {
            count.fetch_add(1, Ordering::Relaxed);
            n
        });
        let mut stage = source
            .map_concurrent(3, move |n| {
                let one = alive.one();
                async move {
                    sleep(Duration::from_millis(30 - n % 3 * 10)).await;
                    drop(one);
                    Ok::<_, Failure>(n)
                }
            })
            .unwrap();
        let start = Instant::now();
        for taken in 1..=30 {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!((*chunk, chunk.seq()), (taken - 1, taken - 1));
            assert!(asked.load(Ordering::Relaxed) <= taken + 3);
        }
        assert!(stage.recv().await.unwrap().is_none());
        assert!(stage.recv().await.unwrap().is_none(), "and again");
        assert_eq!((census.peak(), census.alive()), (3, 0));
        assert!(start.elapsed() < Duration::from_millis(30 * 20), "three at once: {:?}", start.elapsed());
    });
}

#[test]
fn unordered_ones_come_out_as_they_are_finished() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([30, 10, 20, 5, 40]);
        tx.end();
        let mut stage = rx.map_concurrent(3, nap).unwrap().unordered();
        let mut order = Vec::new();
        while let Some(chunk) = stage.recv().await.unwrap() {
            order.push((*chunk, chunk.seq()));
        }
        assert_eq!(order, [(10, 1), (5, 3), (20, 2), (30, 0), (40, 4)]);
    });
}

/// Also those that were finished while nobody asked.
#[test]
fn unordered_ones_keep_the_order_in_which_they_were_finished() {
    on_a_paused_clock(|| async {
        let (tx, rx) = sent([30, 10, 20]);
        tx.end();
        let mut stage = rx.map_concurrent(3, nap).unwrap().unordered();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        sleep(Duration::from_millis(100)).await;
        for expected in [10, 20, 30] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
        assert!(stage.recv().await.unwrap().is_none());
    });
}

/// The window may be smaller: then that is how many there are.
#[test]
fn a_smaller_window_means_fewer_at_once() {
    on_both_runtimes(|| async {
        for unordered in [false, true] {
            let (tx, rx) = pair(2);
            let source = tokio::spawn(async move {
                for n in 0..200 {
                    tx.send(n).await.unwrap();
                }
                tx.end_and_wait().await.unwrap();
            });
            let census = Census::default();
            let alive = census.clone();
            let mut stage = rx
                .map_concurrent(8, move |n| {
                    let one = alive.one();
                    async move {
                        turns(n % 5).await;
                        drop(one);
                        Ok::<_, Failure>(n)
                    }
                })
                .unwrap();
            if unordered {
                stage = stage.unordered();
            }
            let mut count = 0;
            while stage.recv().await.unwrap().is_some() {
                count += 1;
            }
            assert_eq!((count, census.peak()), (200, 2));
            source.await.unwrap();
        }
    });
}

/// Report 61: with every failure that was got over, more was asked for than before.
#[test]
fn report_61_what_is_skipped_does_not_raise_the_demand() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for unordered in [false, true] {
            const ITEMS: u64 = 100_000;
            let (tx, rx) = pair(16);
            let meter = rx.meter();
            let started = Arc::new(AtomicU64::new(0));
            let source = tokio::spawn(async move {
                for n in 0..ITEMS {
                    tx.send(n).await.unwrap();
                }
                tx.end_and_wait().await.unwrap();
            });
            let (census, count) = (Census::default(), Arc::clone(&started));
            let alive = census.clone();
            let mut stage = rx
                .map_concurrent(4, move |n| {
                    count.fetch_add(1, Ordering::Relaxed);
                    let one = alive.one();
                    async move {
                        turns(n % 3).await;
                        drop(one);
                        if n % 10 == 3 { Err("one of ten") } else { Ok(n) }
                    }
                })
                .unwrap()
                .on_error(OnError::Skip);
            if unordered {
                stage = stage.unordered();
            }
            let skipped = stage.skipped();
            let mut taken = 0;
            while stage.recv().await.unwrap().is_some() {
                taken += 1;
                assert!(started.load(Ordering::Relaxed) <= taken + skipped.count() + 4);
            }
            source.await.unwrap();
            assert_eq!((taken, skipped.count()), (ITEMS / 10 * 9, ITEMS / 10));
            assert!(census.peak() <= 4, "{} at once", census.peak());
            let stats = meter.stats();
            assert!(stats.peak_depth.messages() <= 16);
            assert_eq!((stats.depth.messages(), stats.credit.messages()), (0, 16));
        }
    });
}

#[test]
fn an_error_from_before_waits_for_what_is_under_way_or_not() {
    on_a_paused_clock(|| async {
        for order in [ErrorOrder::InOrder, ErrorOrder::AtOnce] {
            let (tx, rx) = sent([30, 10]);
            tx.clone().fail("disk gone");
            let mut stage = rx.map_concurrent(4, nap).unwrap().error_order(order);
            if order == ErrorOrder::InOrder {
                assert_eq!(*stage.recv().await.unwrap().unwrap(), 30);
                assert_eq!(*stage.recv().await.unwrap().unwrap(), 10);
            }
            for _ in 0..2 {
                let error = stage.recv().await.unwrap_err();
                assert_eq!(error, StageError::Upstream(RecvError::Failed("disk gone".into())));
            }
            assert_eq!((stage.held(), tx.depth().messages()), (0, 0));
        }
    });
}

/// A drop too. The futures go, and what they carry.
#[test]
fn a_cancel_drops_what_is_under_way_and_is_no_end() {
    on_a_paused_clock(|| async {
        for (cancelled, ended) in [(true, true), (true, false), (false, false)] {
            let (tx, rx) = sent([30, 20, 10, 10, 10]);
            let watcher = tx.downgrade();
            if ended {
                tx.end();
            } else {
                // Kept open.
                std::mem::forget(tx);
            }
            let mut stage = rx.map_concurrent(8, nap).unwrap();
            let first = stage.recv().await.unwrap().unwrap();
            assert_eq!((stage.held(), watcher.stats().depth.messages()), (4, 5));
            if cancelled {
                stage.cancel(CancelReason::Timeout);
                stage.cancel(CancelReason::Shutdown);
                for _ in 0..2 {
                    assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
                }
            } else {
                drop(stage);
            }
            assert_eq!(watcher.stats().depth.messages(), 1, "what came out may be finished");
            drop(first);
            assert_eq!(watcher.stats().depth.messages(), 0);
        }
    });
}

#[test]
fn refused_when_it_is_made() {
    assert_eq!(from_stream(stream::empty()).map_concurrent(0, nap).map(drop), Err(DemandError::NoCapacity));
}
