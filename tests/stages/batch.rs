//! Several values in one: when a batch is passed on, what it carries, and how it ends.

use crate::support::{on_a_paused_clock, on_both_runtimes, panics, poll_once};
use credit_channel::stages::{DemandError, ErrorOrder, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Closed, RecvError, Window, channel};
use futures_util::stream;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn batches_are_full_and_the_rest_comes_at_the_end() {
    on_both_runtimes(|| async {
        let mut stage = from_stream(stream::iter(0..25)).batch(10, ms(5)).unwrap();
        for (first, batch) in [(0, 0..10), (10, 10..20), (20, 20..25)] {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!(chunk.seq(), first);
            assert!(chunk.iter().copied().eq(batch));
        }
        assert!(stage.recv().await.unwrap().is_none());
        assert!(stage.recv().await.unwrap().is_none(), "and again");
    });
}

/// From the first value on, and anew for the next batch.
#[test]
fn a_batch_lingers_from_its_first_value() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(100)).unwrap();
        let start = Instant::now();
        let source = tokio::spawn(async move {
            for at in [20, 26, 29, 32, 60] {
                tokio::time::sleep_until(start + ms(at)).await;
                tx.send(at).await.unwrap();
            }
            sleep(ms(100)).await;
            tx.end();
        });
        let mut stage = rx.batch(10, ms(10)).unwrap();
        for (expected, at) in [(vec![20, 26, 29], 30), (vec![32], 42), (vec![60], 70)] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
            assert_eq!(start.elapsed(), ms(at));
        }
        assert!(stage.recv().await.unwrap().is_none());
        source.await.unwrap();
    });
}

/// All the credit sits in the batch: no more can come, and what came is passed on when it has lingered.
#[test]
fn a_window_smaller_than_the_batch_does_not_stop_it() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
        let source = tokio::spawn(async move {
            for n in 0..9 {
                tx.send(n).await.unwrap();
            }
            tx.end_and_wait().await.unwrap();
        });
        let start = Instant::now();
        let mut stage = rx.batch(10, ms(10)).unwrap();
        let mut sizes = Vec::new();
        while let Some(batch) = stage.recv().await.unwrap() {
            sizes.push(batch.len());
        }
        assert_eq!((sizes, start.elapsed()), (vec![3, 3, 3], ms(20)), "the last with the end");
        source.await.unwrap();
    });
}

/// No timer: it works where there is none.
#[test]
fn zero_lingers_not_at_all() {
    let (tx, rx) = channel::<u64>(Window::messages(8)).unwrap();
    let mut stage = rx.batch(5, Duration::ZERO).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    let mut take = |stage: &mut dyn Stage<Value = Vec<u64>, Guard = _>| match stage.poll_next(&mut cx) {
        Poll::Ready(received) => received.unwrap().map(|batch| batch.clone()),
        Poll::Pending => None,
    };
    assert_eq!(take(&mut stage), None);
    for n in 0..7 {
        tx.try_send(n).unwrap();
    }
    assert_eq!(take(&mut stage), Some(vec![0, 1, 2, 3, 4]));
    assert_eq!(take(&mut stage), Some(vec![5, 6]));
    assert_eq!(take(&mut stage), None);
}

/// As long as there is time, if so wanted: then only a full batch is passed on, or what there is at the end.
#[test]
fn it_may_linger_for_ever() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(8)).unwrap();
        let mut stage = rx.batch(2, Duration::MAX).unwrap();
        tx.try_send(0).unwrap();
        assert!(tokio::time::timeout(ms(1 << 40), stage.recv()).await.is_err());
        tx.try_send(1).unwrap();
        tx.try_send(2).unwrap();
        tx.end();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), [0, 1]);
        assert_eq!(*stage.recv().await.unwrap().unwrap(), [2]);
        assert!(stage.recv().await.unwrap().is_none());
    });
}

/// A future that loses a `select!` loses nothing of the batch.
#[test]
fn a_dropped_recv_keeps_the_batch() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(8)).unwrap();
        let mut stage = rx.batch(3, ms(10)).unwrap();
        for n in 0..2 {
            tx.try_send(n).unwrap();
            assert!(tokio::time::timeout(ms(2), stage.recv()).await.is_err());
        }
        assert_eq!(stage.held(), 2);
        sleep(ms(20)).await;
        let now = Instant::now();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), [0, 1], "long overdue");
        assert_eq!(now.elapsed(), ms(0));
    });
}

#[test]
fn a_batch_is_full_at_a_weight() {
    on_both_runtimes(|| async {
        let cases: [(&[u64], &[&[u64]]); 6] = [
            (&[3, 3, 4, 1], &[&[3, 3, 4], &[1]]),
            (&[3, 3, 5, 1], &[&[3, 3], &[5, 1]]),
            (&[11, 1, 12, 13], &[&[11], &[1], &[12], &[13]]),
            (&[10, 10], &[&[10], &[10]]),
            (&[0, 0, 0, 10, 0], &[&[0, 0, 0, 10], &[0]]),
            (&[1, u64::MAX, u64::MAX], &[&[1], &[u64::MAX], &[u64::MAX]]),
        ];
        for (weights, batches) in cases {
            let mut stage =
                from_stream(stream::iter(weights.to_vec())).batch(100, ms(5)).unwrap().up_to(10, |weight| *weight);
            for expected in batches {
                assert_eq!(*stage.recv().await.unwrap().unwrap(), *expected, "of {weights:?}");
            }
            assert!(stage.recv().await.unwrap().is_none());
        }
    });
}

/// At a weight it does not wait for a value that could not be added; that one waits as long as any first.
#[test]
fn a_full_weight_does_not_linger() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<&str>(Window::messages(8)).unwrap();
        let mut stage = rx.batch(100, ms(10)).unwrap().up_to_bytes(4);
        tx.try_send("ab").unwrap();
        tx.try_send("cd").unwrap();
        let start = Instant::now();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), ["ab", "cd"]);
        tx.try_send("efg").unwrap();
        tx.try_send("hi").unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), ["efg"]);
        assert_eq!((start.elapsed(), stage.held()), (ms(0), 1));
        assert_eq!(*stage.recv().await.unwrap().unwrap(), ["hi"]);
        assert_eq!(start.elapsed(), ms(10));
    });
}

#[test]
fn a_batch_carries_the_credit_of_all_its_values() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut stage = rx.batch(3, ms(5)).unwrap();
        for n in 0..4 {
            tx.try_send(n).unwrap();
        }
        let (values, mut guards) = stage.recv().await.unwrap().unwrap().into_parts();
        assert_eq!((values, tx.credit().messages()), (vec![0, 1, 2], 0));
        guards.pop();
        assert_eq!(tx.credit().messages(), 1);
        drop(guards);
        assert_eq!(tx.credit().messages(), 3);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(tx.credit().messages(), 3, "held and not passed on");
        drop(stage);
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn an_error_waits_for_what_is_held_or_not() {
    on_both_runtimes(|| async {
        for order in [ErrorOrder::InOrder, ErrorOrder::AtOnce] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            tx.try_send(7).unwrap();
            tx.try_send(8).unwrap();
            tx.clone().fail("disk gone");
            let mut stage = rx.batch(10, ms(5)).unwrap().error_order(order);
            if order == ErrorOrder::InOrder {
                assert_eq!(*stage.recv().await.unwrap().unwrap(), [7, 8]);
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
            let watcher = tx.downgrade();
            for n in [3, 4, 5] {
                tx.try_send(n).unwrap();
            }
            let open = if ended {
                tx.end();
                None
            } else {
                Some(tx)
            };
            let mut stage = rx.batch(10, ms(1000)).unwrap().up_to(if ended { 8 } else { 20 }, |n| *n);
            if ended {
                assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), [3, 4]);
            } else {
                assert!(poll_once(&mut stage.recv()).await.is_pending());
            }
            assert_eq!(stage.held(), if ended { 1 } else { 3 });
            stage.cancel(CancelReason::Timeout);
            stage.cancel(CancelReason::Shutdown);
            assert_eq!((stage.held(), watcher.stats().depth.messages()), (0, 0));
            for _ in 0..2 {
                assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
            }
            drop(open);
        }
    });
}

#[test]
fn a_weighing_that_panics_cancels_and_loses_no_credit() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.try_send(1).unwrap();
        tx.try_send(2).unwrap();
        let mut stage = rx.batch(10, ms(5)).unwrap().up_to(10, |n| if *n == 2 { panic!("on purpose") } else { *n });
        assert!(panics(|| {
            let _ = stage.poll_next(&mut Context::from_waker(Waker::noop()));
        }));
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
        assert_eq!((stage.held(), tx.depth().messages()), (1, 1));
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), [1]);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::HandlerPanic));
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn refused_when_it_is_made() {
    assert_eq!(from_stream(stream::empty::<u8>()).batch(0, ms(1)).map(drop), Err(DemandError::NoCapacity));
}
