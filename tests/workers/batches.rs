//! Several values in one call.

use crate::support::{on_a_paused_clock, on_both_runtimes, until};
use credit_channel::stages::{Stage, StageError};
use credit_channel::workers::{Fixed, Workers};
use credit_channel::{CancelReason, Closed, Failure, Window, channel};
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A worker takes what waits, up to the batch, and never waits for more.
#[test]
fn a_batch_is_what_waits_and_no_more_than_its_limit() {
    on_both_runtimes(|| async {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let gate = Arc::new(Semaphore::new(0));
        let (log, door) = (Arc::clone(&sizes), Arc::clone(&gate));
        let (inbox, mut pool) = Workers::new(1..=1)
            .inbox(20)
            .batch(4)
            .spawn_batches(move |values: Vec<u64>| {
                log.lock().unwrap().push(values.len());
                let door = Arc::clone(&door);
                async move {
                    door.acquire().await.unwrap().forget();
                    Ok::<_, Failure>(values.into_iter().map(|n| n * 2).collect())
                }
            })
            .unwrap();
        let meter = pool.meter();
        inbox.try_submit(0).unwrap();
        until(|| meter.stats().busy == 1).await;
        for n in 1..10 {
            inbox.try_submit(n).unwrap();
        }
        inbox.end();
        until(|| meter.stats().queued == 9).await;
        gate.add_permits(10);
        for n in 0..10 {
            let result = pool.recv().await.unwrap().unwrap();
            assert_eq!((*result, result.seq()), (n * 2, n), "a result for each value");
        }
        assert!(pool.recv().await.unwrap().is_none());
        assert_eq!(*sizes.lock().unwrap(), [1, 4, 4, 1]);
    });
}

/// The credit of each value of a batch goes back by itself.
#[test]
fn each_result_carries_its_own_credit() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel(Window::messages(3)).unwrap();
        for n in 0..3_u64 {
            tx.try_send(n).unwrap();
        }
        let workers = Workers::new(1..=1).inbox(3).batch(3);
        let mut pool = rx.spawn_batch_workers(workers, |values| ready(Ok::<_, Failure>(values))).unwrap();
        for left in [1, 2, 3] {
            drop(pool.recv().await.unwrap().unwrap());
            assert_eq!(tx.credit().messages(), left);
        }
    });
}

#[test]
fn too_few_or_too_many_results_are_an_error_that_names_both() {
    on_both_runtimes(|| async {
        for came in [1, 3] {
            let (tx, rx) = channel(Window::messages(4)).unwrap();
            tx.try_send(0_u8).unwrap();
            tx.try_send(1).unwrap();
            let workers = Workers::new(1..=1).inbox(4).batch(4);
            let mut pool = rx.spawn_batch_workers(workers, move |_| ready(Ok::<_, Failure>(vec![0; came]))).unwrap();
            let error = pool.recv().await.unwrap_err();
            let came = u64::try_from(came).unwrap();
            assert_eq!(error, StageError::ResultCount { given: 2, came });
            assert_eq!(error.to_string(), format!("a handler gave back {came} results for a batch of 2 values"));
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError(error.to_string().into())));
            until(|| tx.depth().messages() == 0).await;
        }
    });
}

/// The controller sizes the batch, within what the pool allows.
#[test]
fn the_controller_sizes_the_batch() {
    on_a_paused_clock(|| async {
        for (asked, expected) in [(2, 2), (0, 1), (u64::MAX, 8)] {
            let (inbox, mut pool) = Workers::new(1..=2)
                .inbox(100)
                .batch(8)
                .controller(Fixed { workers: 9, batch: asked }, Duration::from_millis(10))
                .spawn_batches(|values: Vec<u64>| async move {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    let size = values.len();
                    Ok::<_, Failure>(vec![size; size])
                })
                .unwrap();
            tokio::time::sleep(Duration::from_millis(15)).await;
            let stats = pool.meter().stats();
            assert_eq!((stats.batch, stats.workers), (expected, 2));
            for n in 0..100 {
                inbox.try_submit(n).unwrap();
            }
            inbox.end();
            let mut largest = 0;
            while let Some(size) = pool.recv().await.unwrap() {
                largest = largest.max(*size);
            }
            assert_eq!(u64::try_from(largest).unwrap(), expected);
        }
    });
}
