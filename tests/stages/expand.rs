//! Many for one: when the next is asked for, and when the credit of the one goes home.

use crate::probe::{endless, up_to};
use crate::sources::pair;
use crate::support::{Census, LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, panics, poll_once, poll_with};
use credit_channel::stages::{Stage, StageError, from_try_stream};
use credit_channel::{CancelReason, Closed, CreditConsumer, RecvError, Window, channel};
use futures_util::stream;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::{array, iter};

#[test]
fn values_come_in_order_and_are_numbered_anew() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(4);
        let source = tokio::spawn(async move {
            for n in 0..300 {
                tx.send(n).await.unwrap();
            }
            tx.end_and_wait().await.unwrap();
        });
        let mut stage = rx.expand(|n| (0..n % 3).map(move |i| (n, i)));
        let mut expected = (0..300).flat_map(|n| (0..n % 3).map(move |i| (n, i)));
        let mut count = 0;
        while let Some(chunk) = stage.recv().await.unwrap() {
            assert_eq!(chunk.seq(), count);
            assert_eq!(Some(*chunk), expected.next());
            count += 1;
        }
        assert_eq!(count, 300, "none, one and two, a hundred times");
        assert!(stage.recv().await.unwrap().is_none(), "and again");
        source.await.unwrap();
    });
}

/// reactor/reactor-core#4290, reactor/reactor#500: what was asked for grew with what came of it. Here three are out, and
/// a source's credit comes home with the last of its hundred and not before.
#[test]
fn report_61_a_hundred_for_one_under_a_demand_of_three() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(4);
        for n in 0..4 {
            tx.try_send(n).unwrap();
        }
        let census = Census::default();
        let born = census.clone();
        let mut stage = rx.expand(move |_| {
            let census = born.clone();
            (0..100).map(move |_| census.one())
        });
        let mut held = VecDeque::new();
        for done in 0..397 {
            while held.len() < 3 {
                held.push_back(stage.recv().await.unwrap().unwrap());
            }
            assert_eq!(census.alive(), 3);
            assert_eq!(tx.depth().messages(), 4 - done / 100, "after {done}");
            held.pop_front();
        }
        assert_eq!((census.peak(), census.born()), (3, 399), "and none is made ahead");
        drop(held);
        drop(stage.recv().await.unwrap());
        assert_eq!(tx.depth().messages(), 0, "though nobody asked for one more");
        assert_eq!(tx.stats().peak_depth.messages(), 4);
    });
}

/// The order in which the work is done does not matter.
#[test]
fn the_credit_goes_home_with_whichever_is_last() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(1);
        tx.try_send(7).unwrap();
        let mut stage = rx.expand(|n| [n, n + 1, n + 2]);
        let mut held: Vec<_> = Vec::new();
        for _ in 0..3 {
            held.push(stage.recv().await.unwrap().unwrap());
        }
        for left in [1, 0] {
            drop(held.remove(left));
            assert_eq!(tx.depth().messages(), 1);
        }
        let (value, share) = held.remove(0).into_parts();
        assert_eq!((value, share.cost().messages(), tx.depth().messages()), (9, 1, 1), "a share alone holds it");
        drop(share);
        assert_eq!(tx.depth().messages(), 0);
    });
}

/// An iterator that does not know its end is asked once more.
#[test]
fn without_a_hint_the_credit_goes_home_when_one_more_is_asked_for() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(1);
        tx.try_send(1).unwrap();
        let mut stage = rx.expand(|n| {
            let mut left = Some(n);
            iter::from_fn(move || left.take())
        });
        drop(stage.recv().await.unwrap().unwrap());
        assert_eq!(tx.depth().messages(), 1);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn ten_downstream_are_one_upstream() {
    on_both_runtimes(|| async {
        let (source, log) = endless();
        let mut stage = source.expand(|n| array::from_fn::<_, 10, _>(|_| n));
        for _ in 0..10 {
            drop(stage.recv().await.unwrap().unwrap());
        }
        assert_eq!(log.pulled(), 1);
        drop(stage.recv().await.unwrap().unwrap());
        assert_eq!(log.pulled(), 2);
    });
}

/// Contract S13: an empty expansion counts as drained, its credit goes back, and it asks again.
#[test]
fn empty_expansions_ask_again() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(1);
        let source = tokio::spawn(async move {
            for n in 0..10_000 {
                tx.send(n).await.unwrap();
            }
            tx.end();
        });
        let mut stage = rx.expand(|n| (n % 5_000 == 4_999).then_some(n));
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), 4_999);
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), 9_999);
        assert!(stage.recv().await.unwrap().is_none());
        source.await.unwrap();
    });
}

/// Sets the flag as soon as it is let run.
fn flag_by_another_task() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    tokio::spawn(async move { other.store(true, Ordering::Relaxed) });
    flag
}

/// RS 3.3, whatever the source does about it.
#[test]
fn endless_expansions_and_endless_empty_ones_let_others_run() {
    on_both_runtimes(|| async {
        let flag = flag_by_another_task();
        let (source, log) = endless();
        let mut stage = source.expand(|_| iter::repeat(()));
        while !flag.load(Ordering::Relaxed) {
            drop(stage.recv().await.unwrap().unwrap());
        }
        assert_eq!(log.pulled(), 1);

        let flag = flag_by_another_task();
        let mut stage = endless().0.expand(|_| flag.load(Ordering::Relaxed).then_some(()));
        drop(stage.recv().await.unwrap().unwrap());

        let flag = flag_by_another_task();
        let mut stage = endless().0.expand_stage(|_| up_to(u64::from(flag.load(Ordering::Relaxed))).0);
        drop(stage.recv().await.unwrap().unwrap());
    });
}

#[test]
fn a_cancel_drops_what_is_still_to_come() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(1);
        tx.try_send(5).unwrap();
        let census = Census::default();
        let born = census.clone();
        let mut stage = rx.expand(move |n| (0..n).map(|_| born.one()).collect::<Vec<_>>());
        let held = stage.recv().await.unwrap().unwrap();
        assert_eq!(census.alive(), 5);
        stage.cancel(CancelReason::Timeout);
        stage.cancel(CancelReason::Shutdown);
        assert_eq!(census.alive(), 1, "what is in hand may be finished");
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Timeout));
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        }
        assert_eq!(tx.depth().messages(), 1);
        drop(held);
        assert_eq!(tx.depth().messages(), 0);
    });
}

/// The stage is still there: the credit goes back with the panic, and not with the stage.
#[test]
fn a_panic_in_the_closure_or_in_what_it_gave_loses_no_credit() {
    on_both_runtimes(|| async {
        for good in 0..3 {
            let (tx, rx) = pair(1);
            tx.try_send(good).unwrap();
            let mut stage = rx.expand(|good| {
                assert_ne!(good, 0, "on purpose, in the closure");
                (1..).map(move |n| assert_ne!(n, good, "on purpose, in the iterator"))
            });
            for _ in 1..good {
                drop(stage.recv().await.unwrap());
            }
            assert!(panics(|| drop(poll_with(Waker::noop(), pin!(stage.recv())))));
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
            assert_eq!(tx.depth().messages(), 0, "{good}");
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::HandlerPanic));
        }
    });
}

#[test]
fn an_error_comes_after_the_expansion_under_way_and_stays() {
    on_both_runtimes(|| async {
        let mut stage = from_try_stream(stream::iter([Ok(2), Err("torn")])).expand(|n| 0..n);
        for n in 0..2 {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), n);
        }
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::Source("torn".into()));
        }
    });
}

// ----- by a stage -----

/// What the expansion's own channel counts goes home one by one, what the source's counts with the last.
#[test]
fn the_credit_of_both_is_carried() {
    on_both_runtimes(|| async {
        let (outer, rx) = channel::<CreditConsumer<u64>>(Window::messages(1)).unwrap();
        let (inner, inner_rx) = pair(2);
        let mut stage = rx.expand_stage(|inner_rx| inner_rx);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        outer.try_send(inner_rx).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        inner.try_send(0).unwrap();
        inner.try_send(1).unwrap();
        let first = stage.recv().await.unwrap().unwrap();
        let second = stage.recv().await.unwrap().unwrap();
        assert_eq!((first.seq(), second.seq()), (0, 1));
        assert_eq!(inner.credit().messages(), 0);
        drop(first);
        assert_eq!((inner.credit().messages(), outer.credit().messages()), (1, 0));
        inner.end();
        assert!(poll_once(&mut stage.recv()).await.is_pending(), "it asks for the next");
        assert_eq!(outer.credit().messages(), 0, "the second is being worked on");
        drop(second);
        assert_eq!(outer.credit().messages(), 1);
    });
}

#[test]
fn a_stage_that_fails_is_the_error_and_cancels_what_is_before() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(2);
        tx.try_send(3).unwrap();
        tx.try_send(4).unwrap();
        let mut stage = rx.expand_stage(|n| from_try_stream(stream::iter([Ok(n), Err("torn"), Ok(n)])));
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), 3);
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::Source("torn".into()));
        }
        let Closed::Cancelled(CancelReason::HandlerError(text)) = tx.closed().await else { panic!("cancelled") };
        assert_eq!(&*text, "source failed: torn");
        assert_eq!(tx.depth().messages(), 0, "also of what the consumer of the channel has taken out");
    });
}

/// reactor/reactor-core#2618: the source ended while an inner one failed elsewhere, and the result looked complete.
#[test]
fn report_43_an_expansion_fails_as_the_source_ends() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for round in 0..20_000 {
            let (outer, rx) = channel::<CreditConsumer<u64>>(Window::messages(1)).unwrap();
            let (inner, inner_rx) = pair(1);
            outer.try_send(inner_rx).unwrap();
            let failing = tokio::spawn(async move { inner.fail("torn") });
            let ending = tokio::spawn(async move { outer.end() });
            let mut stage = rx.expand_stage(|inner_rx| inner_rx);
            let error = stage.recv().await.expect_err("not complete");
            assert_eq!(error, StageError::Upstream(RecvError::Failed("torn".into())), "round {round}");
            failing.await.unwrap();
            ending.await.unwrap();
        }
    });
}

#[test]
fn a_cancel_reaches_the_source_and_the_expansion() {
    on_both_runtimes(|| async {
        let (source, outer_log) = endless();
        let (inner, inner_log) = endless();
        let mut inner = Some(inner);
        let mut stage = source.expand_stage(move |_| inner.take().unwrap());
        drop(stage.recv().await.unwrap().unwrap());
        stage.cancel(CancelReason::Timeout);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        assert_eq!(outer_log.cancels(), [CancelReason::Timeout]);
        assert_eq!(inner_log.cancels(), [CancelReason::Timeout]);
    });
}

#[test]
fn a_panic_in_the_stage_loses_no_credit() {
    on_both_runtimes(|| async {
        for good in 0..2 {
            let (tx, rx) = pair(1);
            tx.try_send(good).unwrap();
            let mut stage = rx.expand_stage(|good| {
                assert_ne!(good, 0, "on purpose, in the closure");
                endless().0.map(move |n| assert_ne!(n, good, "on purpose, in the stage"))
            });
            for _ in 0..good {
                drop(stage.recv().await.unwrap());
            }
            assert!(panics(|| drop(poll_with(Waker::noop(), pin!(stage.recv())))));
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
            assert_eq!(tx.depth().messages(), 0, "{good}");
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::HandlerPanic));
        }
    });
}
