//! Back in order: what passes, what is held, what is asked for, and how it ends. Gaps are in `reorder_gaps`.

use crate::support::{Census, Counted, Dice, LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, poll_once};
use credit_channel::stages::{ErrorOrder, ReorderConfig, Stage, StageError, from_stream, from_try_stream};
use credit_channel::{CancelReason, Closed, RecvError, Window, WindowError, channel};
use futures_util::{StreamExt, stream};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Three producers that number from one counter, and a consumer who wants the numbers in order. They have credit before
/// they have a number: so whatever is missing can be sent, and a window's worth of room is never full.
#[test]
fn several_producers_are_put_in_order() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(16)).unwrap();
        let next = Arc::new(std::sync::atomic::AtomicU64::new(0));
        for producer in 0..3 {
            let (tx, next) = (tx.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                let mut dice = Dice::new(producer);
                loop {
                    let permit = tx.reserve().await.unwrap();
                    let n = next.fetch_add(1, Ordering::SeqCst);
                    if n >= 1000 {
                        drop(permit);
                        return tx.end();
                    }
                    crate::support::turns(dice.below(3)).await;
                    permit.send(n).unwrap();
                }
            });
        }
        let mut stage = rx.reorder(ReorderConfig::new(16), |n| *n).unwrap();
        for expected in 0..1000 {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!(*chunk, expected);
        }
        tx.end();
        assert!(stage.recv().await.unwrap().is_none());
        assert!(stage.recv().await.unwrap().is_none(), "and again");
    });
}

/// I1: what is held counts in the window, and comes home with the work on it.
#[test]
fn the_credit_is_carried_by_what_is_held() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut stage = rx.reorder(ReorderConfig::new(4), |n| *n).unwrap();
        let meter = stage.meter();
        for n in [2, 1, 3] {
            tx.try_send(n).unwrap();
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!((tx.credit().messages(), meter.stats().held), (1, 3));
        tx.try_send(0).unwrap();
        let held: Vec<_> = [stage.recv().await, stage.recv().await].map(|chunk| chunk.unwrap().unwrap()).into();
        assert_eq!(held.iter().map(|chunk| (**chunk, chunk.seq())).collect::<Vec<_>>(), [(0, 3), (1, 1)]);
        assert_eq!((tx.credit().messages(), meter.stats().held), (0, 2));
        drop(held);
        assert_eq!(tx.credit().messages(), 2);
        drop(stage);
        assert_eq!(tx.depth().messages(), 0, "what it held has gone with it");
    });
}

/// Field report 16: what is dropped before the user sees it gives its credit back.
#[test]
fn report_16_duplicates_and_old_numbers_give_their_credit_back() {
    on_both_runtimes(|| async {
        const WINDOW: u64 = 4;
        let (tx, rx) = channel::<u64>(Window::messages(WINDOW)).unwrap();
        let config = ReorderConfig::new(WINDOW).starting_at(100);
        let mut stage = rx.reorder(config, |n| *n).unwrap();
        let meter = stage.meter();
        let source = tokio::spawn(async move {
            // Below the start; then one that is held, and that one again; then those that were passed on.
            for n in 0..10 * WINDOW {
                tx.send(n).await.unwrap();
            }
            for _ in 0..=10 * WINDOW {
                tx.send(101).await.unwrap();
            }
            tx.send(100).await.unwrap();
            for n in 0..10 * WINDOW {
                tx.send(100 + n % 2).await.unwrap();
            }
            tx.send(102).await.unwrap();
            tx.end_and_wait().await.unwrap();
        });
        for fresh in [100, 101, 102] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), fresh);
        }
        assert!(stage.recv().await.unwrap().is_none());
        source.await.unwrap();
        let stats = meter.stats();
        assert_eq!((stats.old, stats.duplicates, stats.passed), (80, 40, 3));
        assert_eq!((stats.peak_held, stats.held), (1, 0));
    });
}

/// S3: pulled one by one, and no more is asked for once it is full.
#[test]
fn it_asks_for_what_is_out_of_order_and_no_more() {
    on_both_runtimes(|| async {
        let asked = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let log = Arc::clone(&asked);
        let source = stream::iter([0, 1, 4, 3, 2, 5, 9, 8, 7, 6, 10]).inspect(move |_| {
            log.fetch_add(1, Ordering::Relaxed);
        });
        let mut stage = from_stream(source).reorder(ReorderConfig::new(3).skip_gaps(), |n| *n).unwrap();
        for (expected, pulled) in [(0, 1), (1, 2), (2, 5), (3, 5), (4, 5), (5, 6), (7, 9), (8, 9), (9, 9), (10, 11)] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
            assert_eq!(asked.load(Ordering::Relaxed), pulled, "for {expected}");
        }
        assert!(stage.recv().await.unwrap().is_none());
        let stats = stage.meter().stats();
        assert_eq!((stats.peak_held, stats.gaps, stats.skipped, stats.old), (3, 1, 1, 1));
    });
}

#[test]
fn an_error_comes_after_what_can_be_passed_on() {
    on_both_runtimes(|| async {
        for (skips, order, rest) in [
            (false, ErrorOrder::InOrder, &[][..]),
            (false, ErrorOrder::AtOnce, &[]),
            (true, ErrorOrder::InOrder, &[3, 5]),
            (true, ErrorOrder::AtOnce, &[]),
        ] {
            let census = Census::default();
            let one = |n| Ok((n, census.one()));
            let source = stream::iter([one(1), one(0), one(3), one(5), Err("torn")]);
            let config = ReorderConfig::<(u64, Counted)>::new(8).error_order(order);
            let config = if skips { config.skip_gaps() } else { config };
            let mut stage = from_try_stream(source).reorder(config, |(n, _)| *n).unwrap();
            for expected in [0, 1].iter().chain(rest) {
                assert_eq!(stage.recv().await.unwrap().unwrap().0, *expected, "{skips} {order:?}");
            }
            for _ in 0..2 {
                assert_eq!(stage.recv().await.unwrap_err(), StageError::Source("torn".into()));
            }
            assert_eq!(census.alive(), 0, "nothing is kept");
        }
    });
}

#[test]
fn a_cancel_drops_what_is_held_and_goes_on_once() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut stage = Stage::map(rx, |n| n).reorder(ReorderConfig::new(4), |n| *n).unwrap();
        for n in [0, 2, 3] {
            tx.try_send(n).unwrap();
        }
        let in_hand = stage.recv().await.unwrap().unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        stage.cancel(CancelReason::Timeout);
        stage.cancel(CancelReason::Shutdown);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Timeout));
        assert_eq!((tx.depth().messages(), stage.meter().stats().held), (1, 0));
        drop(in_hand);
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        }
    });
}

/// Between the end of what is before and its own: what is held goes, and the end is no clean one.
#[test]
fn a_cancel_after_the_end_that_it_has_not_passed_on() {
    on_both_runtimes(|| async {
        let config = || ReorderConfig::new(4).skip_gaps();
        let mut stage = from_stream(stream::iter([0, 2, 4])).reorder(config(), |n| *n).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 0);
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 2);
        stage.cancel(CancelReason::Timeout);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));

        let mut stage = from_stream(stream::iter([0])).reorder(config(), |n| *n).unwrap();
        while stage.recv().await.unwrap().is_some() {}
        stage.cancel(CancelReason::Timeout);
        assert!(stage.recv().await.unwrap().is_none(), "it had ended before");
    });
}

#[test]
fn a_closure_that_panics_gives_the_credit_back_and_says_so() {
    on_both_runtimes(|| async {
        for weighing in [false, true] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            tx.try_send(3).unwrap();
            tx.try_send(7).unwrap();
            let panics = move |n: &u64, here: bool| assert!(*n != 7 || here != weighing, "on purpose");
            let stage = tokio::spawn(async move {
                let config = ReorderConfig::new(4).and_bytes(100, move |n| {
                    panics(n, false);
                    8
                });
                let numbered = move |n: &u64| {
                    panics(n, true);
                    *n
                };
                rx.reorder(config, numbered).unwrap().recv().await.map(drop)
            });
            assert!(stage.await.unwrap_err().is_panic());
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
            assert_eq!(tx.depth().messages(), 0);
        }
    });
}

#[test]
fn the_last_number_of_all() {
    on_both_runtimes(|| async {
        let came = [u64::MAX, u64::MAX - 1, u64::MAX, 0, u64::MAX];
        let config = ReorderConfig::new(4).starting_at(u64::MAX - 1);
        let mut stage = from_stream(stream::iter(came)).reorder(config, |n| *n).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), u64::MAX - 1);
        assert_eq!(*stage.recv().await.unwrap().unwrap(), u64::MAX);
        assert!(stage.recv().await.unwrap().is_none());
        let stats = stage.meter().stats();
        assert_eq!((stats.next, stats.old, stats.duplicates), (None, 3, 0));
    });
}

#[test]
fn refused_when_it_is_made() {
    let make = |config| from_stream(stream::iter([0_u64])).reorder(config, |n| *n).map(drop);
    assert_eq!(make(ReorderConfig::new(0)), Err(WindowError::Zero));
    assert_eq!(make(ReorderConfig::new(1).and_bytes(0, |_| 1)), Err(WindowError::Zero));
    assert_eq!(make(ReorderConfig::new(u64::MAX)), Ok(()));
}

/// RS 3.3: duplicates for ever, from a source that is always ready, let others run.
#[test]
fn duplicates_for_ever_let_others_run() {
    on_both_runtimes(|| async {
        let stop = Arc::new(AtomicBool::new(false));
        let other = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move { stop.store(true, Ordering::Relaxed) }
        });
        let endless = stream::repeat(7_u64).take_while(move |_| std::future::ready(!stop.load(Ordering::Relaxed)));
        let mut stage = from_stream(endless).reorder(ReorderConfig::new(4).skip_gaps(), |n| *n).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 7);
        assert!(stage.recv().await.unwrap().is_none());
        other.await.unwrap();
    });
}

/// And so does handing out what is held, which asks nobody.
#[test]
fn handing_out_what_is_held_lets_others_run() {
    on_both_runtimes(|| async {
        let came = (1..=10_000).chain([0]);
        let mut stage = from_stream(stream::iter(came)).reorder(ReorderConfig::new(10_001), |n| *n).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 0);
        let mut waits = 0;
        for expected in 1..=10_000 {
            let chunk = loop {
                match poll_once(&mut stage.recv()).await {
                    std::task::Poll::Ready(chunk) => break chunk,
                    std::task::Poll::Pending => waits += 1,
                }
                tokio::task::yield_now().await;
            };
            assert_eq!(*chunk.unwrap().unwrap(), expected);
        }
        assert!(waits > 10, "{waits}");
    });
}

/// A naive second model, through seeded mixtures of values that are late, early, double and lost.
#[test]
fn as_the_naive_model_says() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let mut dice = Dice::new(64);
        for round in 0..500 {
            let (span, max_held, distance) = (1 + dice.below(12), 1 + dice.below(10), 1 + dice.below(20));
            let max_bytes = 1 + dice.below(60);
            let came: Vec<(u64, usize)> = (0..200_u64)
                .map(|n| {
                    let bytes = usize::try_from(1 + dice.below(9)).unwrap();
                    (n.saturating_sub(dice.below(span)) + dice.below(span), bytes)
                })
                .collect();
            // The model: all that is held in a list, searched from end to end.
            let (mut next, mut held, mut expected) = (0, Vec::<(u64, usize)>::new(), Vec::new());
            let mut settle = |next: &mut u64, held: &mut Vec<(u64, usize)>, ended: bool| {
                loop {
                    held.sort_unstable();
                    let Some(&(first, _)) = held.first() else { return };
                    let bytes: usize = held.iter().map(|(_, bytes)| bytes).sum();
                    let is_full = held.len() >= usize::try_from(max_held).unwrap()
                        || bytes >= usize::try_from(max_bytes).unwrap()
                        || held.last().is_some_and(|(last, _)| last - *next > distance);
                    if first != *next && !is_full && !ended {
                        return;
                    }
                    expected.push(held.remove(0).0);
                    *next = first + 1;
                }
            };
            for &(n, bytes) in &came {
                if n >= next && held.iter().all(|(other, _)| *other != n) {
                    held.push((n, bytes));
                }
                // The one whose turn it is needs no room.
                settle(&mut next, &mut held, false);
            }
            settle(&mut next, &mut held, true);

            let config = ReorderConfig::new(max_held)
                .and_bytes(max_bytes, |(_, bytes): &(u64, usize)| *bytes)
                .give_up_beyond(distance)
                .skip_gaps();
            let mut stage = from_stream(stream::iter(came)).reorder(config, |(n, _)| *n).unwrap();
            let mut got = Vec::new();
            while let Some(chunk) = stage.recv().await.unwrap() {
                got.push(chunk.0);
            }
            assert_eq!(got, expected, "round {round}");
            assert_eq!(got.iter().collect::<BTreeSet<_>>().len(), got.len());
            let stats = stage.meter().stats();
            assert!(stats.peak_held <= max_held && stats.peak_bytes < max_bytes + 9, "{stats:?}");
            assert_eq!(stats.passed + stats.duplicates + stats.old, 200);
        }
    });
}

/// Values and closures that stay on their thread are as good as others.
#[test]
fn nothing_has_to_be_send() {
    crate::support::paused().block_on(async {
        let calls = Rc::new(Cell::new(0));
        let counted = Rc::clone(&calls);
        let mut stage = from_stream(stream::iter([Rc::new(1_u64), Rc::new(0)]))
            .reorder(ReorderConfig::new(2), move |n| {
                counted.set(counted.get() + 1);
                **n
            })
            .unwrap();
        assert_eq!(**stage.recv().await.unwrap().unwrap(), 0);
        assert_eq!(calls.get(), 2);
        let (tx, rx) = channel::<u64>(Window::messages(2)).unwrap();
        drop(tx);
        let mut stage = rx.reorder(ReorderConfig::new(2), |n| *n).unwrap();
        assert_eq!(stage.recv().await.unwrap_err(), StageError::Upstream(RecvError::Abandoned { received: 0 }));
    });
}
