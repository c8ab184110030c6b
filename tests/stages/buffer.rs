//! Values asked for ahead: how many, what they carry, and how it ends.

use crate::support::{on_both_runtimes, poll_once};
use credit_channel::stages::{Buffer, ErrorOrder, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Closed, RecvError, Window, channel};
use futures_util::{StreamExt, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::unconstrained;

/// Without tokio's budget, which would leave a buffer short for a turn now and then.
async fn taken_from<S: Stage<Value = u64>>(stage: &mut Buffer<S>) -> u64 {
    unconstrained(stage.recv()).await.unwrap().unwrap().into_inner()
}

/// Report 65: a buffer of 1 ran its source two ahead. What is asked for is what was taken and n, to the value.
#[test]
fn report_65_no_more_is_asked_for_than_is_taken_and_held() {
    on_both_runtimes(|| async {
        for n in [0, 1, 2, 16] {
            let asked = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&asked);
            let mut stage = from_stream(stream::iter(0..100_u64))
                .map(move |row| {
                    count.fetch_add(1, Ordering::Relaxed);
                    row
                })
                .buffer(n);
            assert_eq!(asked.load(Ordering::Relaxed), 0, "nobody asked");
            for taken in 1..=100 {
                assert_eq!(taken_from(&mut stage).await, taken - 1);
                assert_eq!(asked.load(Ordering::Relaxed), 100.min(taken + n), "{taken} taken, {n} ahead");
                assert_eq!(stage.held(), n.min(100 - taken));
            }
            assert!(stage.recv().await.unwrap().is_none());
        }
    });
}

/// The same where the source makes ten at a time: a page is begun when its first row is asked for.
#[test]
fn report_65_by_pages_of_ten() {
    on_both_runtimes(|| async {
        for n in [0, 1, 2, 16_u64] {
            let pages = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&pages);
            let rows = stream::iter(0..10_u64).flat_map(move |page| {
                count.fetch_add(1, Ordering::Relaxed);
                stream::iter(10 * page..10 * (page + 1))
            });
            let mut stage = from_stream(rows).buffer(n);
            for taken in 1..=100 {
                assert_eq!(taken_from(&mut stage).await, taken - 1);
                let needed = (taken + n).min(100).div_ceil(10);
                assert_eq!(pages.load(Ordering::Relaxed), needed, "{taken} taken, {n} ahead");
            }
        }
    });
}

#[test]
fn what_is_held_counts_in_the_window() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        for n in 0..4 {
            tx.try_send(n).unwrap();
        }
        let mut stage = rx.buffer(2);
        drop(stage.recv().await.unwrap().unwrap());
        assert_eq!((stage.held(), tx.depth().messages()), (2, 3));
        assert!(tx.try_send(4).is_ok() && tx.try_send(5).unwrap_err().is_full());
        drop(stage);
        assert_eq!(tx.depth().messages(), 0);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
    });
}

#[test]
fn it_asks_again_as_values_come_in_one_by_one() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(8)).unwrap();
        let mut stage = rx.buffer(4);
        for n in 0..100 {
            assert!(poll_once(&mut stage.recv()).await.is_pending());
            tx.try_send(n).unwrap();
            assert_eq!(*stage.recv().await.unwrap().unwrap(), n);
        }
        tx.end();
        assert!(stage.recv().await.unwrap().is_none());
        assert!(stage.recv().await.unwrap().is_none(), "and again");
    });
}

#[test]
fn an_error_waits_for_what_is_held_or_not() {
    on_both_runtimes(|| async {
        for (order, values) in [(ErrorOrder::InOrder, 3), (ErrorOrder::AtOnce, 0)] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            for n in 0..3 {
                tx.try_send(n).unwrap();
            }
            tx.clone().fail("disk gone");
            let mut stage = rx.buffer(8).error_order(order);
            for n in 0..values {
                assert_eq!(*stage.recv().await.unwrap().unwrap(), n);
            }
            for _ in 0..2 {
                let error = stage.recv().await.unwrap_err();
                assert_eq!(error, StageError::Upstream(RecvError::Failed("disk gone".into())), "{order:?}");
            }
            assert_eq!((stage.held(), tx.depth().messages()), (0, 0));
        }
    });
}

/// Also if what is before it has ended by then: the rest is dropped, so that is no clean end.
#[test]
fn a_cancel_drops_what_is_held_and_is_no_end() {
    on_both_runtimes(|| async {
        for ended in [false, true] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            for n in 0..3 {
                tx.try_send(n).unwrap();
            }
            let watcher = tx.downgrade();
            let open = if ended {
                tx.end();
                None
            } else {
                Some(tx)
            };
            // Of 3 it knows the end as well.
            let mut stage = rx.buffer(3);
            let first = stage.recv().await.unwrap().unwrap();
            assert_eq!(stage.held(), 2);
            stage.cancel(CancelReason::Timeout);
            stage.cancel(CancelReason::Shutdown);
            assert_eq!(stage.held(), 0);
            for _ in 0..2 {
                assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout), "{ended}");
            }
            drop((first, open));
            assert_eq!(watcher.stats().depth.messages(), 0);
        }
    });
}
