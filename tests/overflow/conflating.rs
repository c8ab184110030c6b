//! O5: what can be put together is not lost.

use crate::logged;
use crate::support::{CountingWaker, assert_balanced, on_both_runtimes, panics, poll_with};
use credit_channel::overflow::{self, DropReason, Offering, Policy, Verdict};
use credit_channel::stages::Stage;
use credit_channel::{CancelReason, Window};
use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

#[test]
fn ten_are_one_sum() {
    on_both_runtimes(|| async {
        let (tx, mut rx, _) = logged(Policy::conflate(|sum, n| sum + n), 1);
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        for n in 2..=10 {
            assert_eq!(tx.offer(n), Ok(Verdict::Conflated));
        }
        assert_eq!((tx.stats().buffered, tx.stats().peak_buffered), (10, 1));
        let chunk = rx.recv().await.unwrap().unwrap();
        assert_eq!((*chunk, chunk.seq(), rx.dropped_before()), (55, 9, 0), "nothing was dropped");
        drop(chunk);
        assert_eq!(tx.offer(11), Ok(Verdict::Accepted));
        tx.end();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 11);
        assert!(rx.recv().await.unwrap().is_none());
        let stats = rx.stats();
        assert_eq!((stats.offered, stats.delivered, stats.merged, stats.dropped.total()), (11, 2, 9, 0));
    });
}

#[test]
fn the_sum_is_conserved_from_many_threads() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = overflow::channel(Policy::conflate(|sum: u64, n| sum + n), Window::messages(2)).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let tx = tx.clone();
                thread::spawn(move || {
                    for n in 0..20_000 {
                        assert!(tx.offer(n).unwrap().is_accepted());
                    }
                    tx.end();
                })
            })
            .collect();
        tx.end();
        let (mut sum, mut last) = (0, None);
        while let Some(chunk) = rx.recv().await.unwrap() {
            sum += *chunk;
            assert!(last < Some(chunk.seq()) && rx.dropped_before() == 0);
            last = Some(chunk.seq());
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!((sum, last), (4 * 19_999 * 20_000 / 2, Some(79_999)));
        let stats = rx.stats();
        assert_eq!(stats.offered, stats.delivered + stats.merged);
        assert_balanced(rx.meter().stats(), true);
    });
}

/// A channel whose fold says when it has begun, and goes on when it is told.
fn stepped() -> (Offering<String>, overflow::Overflowed<String>, Receiver<()>, std::sync::mpsc::Sender<()>) {
    let (begins, begun) = channel();
    let (go, goes) = channel::<()>();
    let goes = Mutex::new(goes);
    let fold = move |older: String, newer: String| {
        if newer == "slow" {
            begins.send(()).unwrap();
            goes.lock().unwrap().recv().unwrap();
        }
        older + " " + &newer
    };
    let (tx, rx) = overflow::channel(Policy::conflate(fold), Window::messages(1)).unwrap();
    (tx, rx, begun, go)
}

/// No lock is held: others offer and the consumer looks meanwhile, and the order of the offers is kept.
#[test]
fn offers_go_on_while_a_slow_fold_runs() {
    on_both_runtimes(|| async {
        let (tx, mut rx, begun, go) = stepped();
        assert_eq!(tx.offer("a".into()), Ok(Verdict::Accepted));
        let slow = thread::spawn({
            let tx = tx.clone();
            move || tx.offer("slow".into())
        });
        begun.recv().unwrap();
        assert_eq!(tx.offer("b".into()), Ok(Verdict::Accepted), "beside it");
        assert_eq!(tx.offer("c".into()), Ok(Verdict::Conflated));
        let (count, waker) = CountingWaker::new();
        assert!(poll_with(&waker, pin!(rx.recv())).is_pending(), "what comes first is being folded");
        go.send(()).unwrap();
        assert_eq!(slow.join().unwrap(), Ok(Verdict::Conflated));
        assert_eq!(count.wakes(), 1);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), "a slow b c");
    });
}

#[test]
fn a_fold_under_way_when_the_consumer_goes_is_reported() {
    let log: Arc<Mutex<Vec<(String, DropReason)>>> = Arc::default();
    let hook = Arc::clone(&log);
    let inside: Arc<OnceLock<Mutex<Option<overflow::Overflowed<String>>>>> = Arc::default();
    let rx_in_fold = Arc::clone(&inside);
    let fold = move |older: String, newer: String| {
        rx_in_fold.get().unwrap().lock().unwrap().take().unwrap().cancel(CancelReason::Shutdown);
        older + &newer
    };
    let (tx, rx) = overflow::Builder::new(Policy::conflate(fold), Window::messages(1))
        .on_drop(move |value, reason| hook.lock().unwrap().push((value, reason)))
        .open()
        .unwrap();
    inside.set(Mutex::new(Some(rx))).ok().unwrap();
    assert_eq!(tx.offer("a".into()), Ok(Verdict::Accepted));
    assert_eq!(tx.offer("b".into()), Ok(Verdict::Conflated));
    assert_eq!(*log.lock().unwrap(), [("ab".to_owned(), DropReason::Cancelled)]);
    let stats = tx.stats();
    assert_eq!((stats.offered, stats.dropped.cancelled, stats.buffered), (2, 2, 0));
}

#[test]
fn a_fold_that_panics_costs_what_was_in_its_hands_and_no_more() {
    on_both_runtimes(|| async {
        let fold = |sum: u64, n: u64| if n == 3 { panic!("on purpose") } else { sum + n };
        let (tx, mut rx, log) = logged(Policy::conflate(fold), 1);
        assert!(tx.offer(1).unwrap().is_accepted());
        assert!(tx.offer(2).unwrap().is_accepted());
        assert!(panics(|| _ = tx.offer(3)));
        assert_eq!(tx.offer(4), Ok(Verdict::Accepted));
        let chunk = rx.recv().await.unwrap().unwrap();
        assert_eq!((*chunk, chunk.seq(), rx.dropped_before()), (4, 3, 3));
        assert_eq!(tx.stats().dropped.fold_panicked, 3);
        assert!(crate::told(&log).is_empty());
        // One that waits for what is being folded is woken when that is lost.
        drop(chunk);
        assert!(tx.offer(5).unwrap().is_accepted());
        assert!(panics(|| _ = tx.offer(3)));
        tx.end();
        assert!(rx.recv().await.unwrap().is_none());
        assert_eq!(rx.dropped_before(), 2);
    });
}
