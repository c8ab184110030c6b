//! One window round the pool, and the producer's beyond it.

use crate::support::{Census, on_both_runtimes, poll_once, until};
use credit_channel::stages::Stage;
use credit_channel::workers::{Workers, WorkersError};
use credit_channel::{Failure, Window, channel};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Field report 22: a pool of spawned workers behind a window of 100, and 1,000 items. However many workers there are
/// and however large their inbox is, no more than 100 are out, results that were not dropped included.
#[test]
fn the_producers_window_holds_behind_spawned_workers() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel(Window::messages(100)).unwrap();
        let census = Census::default();
        let source = tokio::spawn({
            let census = census.clone();
            async move {
                for _ in 0..1000 {
                    let permit = tx.reserve().await.unwrap();
                    permit.send(census.one()).unwrap();
                    assert!(tx.depth().messages() <= 100);
                }
                tx.end_and_wait().await.unwrap();
            }
        });
        let mut pool = rx
            .spawn_workers(Workers::new(16..=16).inbox(5000), |item| async move {
                tokio::task::yield_now().await;
                Ok::<_, Failure>(item)
            })
            .unwrap();
        let mut held = Vec::new();
        let mut count = 0;
        while let Some(item) = pool.recv().await.unwrap() {
            count += 1;
            held.push(item);
            if held.len() == 100 && count < 1000 {
                assert!(poll_once(&mut pool.recv()).await.is_pending(), "100 are in hand");
                held.clear();
            } else if count == 1000 {
                held.clear();
            }
        }
        source.await.unwrap();
        assert_eq!((count, census.born(), census.alive()), (1000, 1000, 0));
        assert_eq!(census.peak(), 100);
    });
}

/// What is queued, in work, done and not taken, and taken and not dropped: all of it counts, and all of it is the inbox.
#[test]
fn the_inbox_bounds_everything_in_the_pool() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel(Window::messages(100)).unwrap();
        for n in 0..100_u64 {
            tx.try_send(n).unwrap();
        }
        tx.end();
        let begun = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&begun);
        let workers = Workers::new(3..=3).inbox(7);
        let mut pool = rx
            .spawn_workers(workers, move |n| {
                counter.fetch_add(1, Ordering::SeqCst);
                async move { Ok::<_, Failure>(n) }
            })
            .unwrap();
        let meter = pool.meter();
        until(|| meter.stats().served == 7).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(begun.load(Ordering::SeqCst), 7, "nobody takes the results, so nothing more is begun");
        let first = pool.recv().await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(begun.load(Ordering::SeqCst), 7, "it is taken, and not done with");
        drop(first);
        until(|| meter.stats().served == 8).await;
        let mut count = 1;
        while pool.recv().await.unwrap().is_some() {
            count += 1;
        }
        let stats = meter.stats();
        assert_eq!((count, stats.received, stats.served, stats.queued, stats.busy), (100, 100, 100, 0, 0));
        assert_eq!((stats.inbox.peak_depth.messages(), stats.inbox.depth.messages()), (7, 0));
    });
}

/// The workers go on while whoever takes the results is busy with one of them.
#[test]
fn workers_do_not_wait_to_be_polled() {
    on_both_runtimes(|| async {
        let (inbox, pool) = Workers::new(2..=2).inbox(6).spawn(|n: u64| async move { Ok::<_, Failure>(n) }).unwrap();
        for n in 0..6 {
            inbox.submit(n).await.unwrap();
        }
        until(|| pool.meter().stats().served == 6).await;
    });
}

#[test]
fn no_more_than_so_many_are_in_work() {
    on_both_runtimes(|| async {
        let now = Arc::new(AtomicU64::new(0));
        let peak = Arc::new(AtomicU64::new(0));
        let (in_work, most) = (Arc::clone(&now), Arc::clone(&peak));
        let (inbox, mut pool) = Workers::new(3..=3)
            .inbox(50)
            .spawn(move |n: u64| {
                let (now, peak) = (Arc::clone(&in_work), Arc::clone(&most));
                async move {
                    peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    now.fetch_sub(1, Ordering::SeqCst);
                    Ok::<_, Failure>(n)
                }
            })
            .unwrap();
        for n in 0..50 {
            inbox.try_submit(n).unwrap();
        }
        inbox.end();
        while pool.recv().await.unwrap().is_some() {}
        assert_eq!(peak.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn what_does_not_fit_together_is_refused_with_the_numbers() {
    on_both_runtimes(|| async {
        let make = |workers: Workers| workers.spawn(|n: u8| async move { Ok::<_, Failure>(n) }).map(drop);
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
        let ranges = [(0..=4, 0, 4), (3..=2, 3, 2)];
        for (range, min, max) in ranges {
            assert_eq!(make(Workers::new(range)), Err(WorkersError::Range { min, max }));
        }
        assert_eq!(make(Workers::new(1..=1).inbox(0)), Err(WorkersError::NoInbox));
        assert_eq!(make(Workers::new(1..=1).batch(0)), Err(WorkersError::NoBatch));
        let fixed = credit_channel::workers::Fixed { workers: 1, batch: 1 };
        assert_eq!(make(Workers::new(1..=1).controller(fixed, Duration::ZERO)), Err(WorkersError::NoInterval));
        assert_eq!(make(Workers::new(u64::MAX..=u64::MAX).batch(u64::MAX)), Ok(()), "as much as a window can be");

        let (_tx, rx) = channel::<u8>(Window::messages(1)).unwrap();
        let admission = credit_channel::workers::Rate::per_second(1.0);
        let refused =
            rx.spawn_workers(Workers::new(1..=1).admission(admission), |n| async move { Ok::<_, Failure>(n) });
        assert_eq!(refused.err(), Some(WorkersError::NothingToRefuse));
    });
    let outside = Workers::new(1..=1).spawn(|n: u8| async move { Ok::<_, Failure>(n) });
    assert_eq!(outside.err(), Some(WorkersError::NoRuntime));
}

/// The handles go into tasks.
#[test]
fn handles_cross_threads() {
    fn crosses<T: Send + Sync + Clone + 'static>() {}
    fn moves<T: Send + Unpin + 'static>() {}
    crosses::<credit_channel::workers::Inbox<std::cell::Cell<u8>>>();
    crosses::<credit_channel::workers::PoolMeter>();
    moves::<credit_channel::workers::Pool<std::cell::Cell<u8>, credit_channel::CreditGuard>>();
    moves::<Workers>();
}
