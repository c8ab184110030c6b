//! Section 3: what goes between a stage and what is before it.

use super::rig::{Rig, drain, each, each_of, numbers, take};
use super::source::{Item, Out};
use super::subjects::subjects;
use crate::support::{Flavour, LONG_WATCHDOG, poll_once, runtime, turns, until, within};
use credit_channel::stages::{Stage, StageError};
use credit_channel::{CancelReason, Closed, Failure, Window};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

#[test]
fn rs_3_2_guards_may_go_in_the_handler() {
    each(|subject| async move {
        let Rig { feed, stage, watch } = Rig::new(subject, 2);
        let feeding = tokio::spawn(feed.run(100));
        let handled = stage.for_each(|chunk: Out| {
            // Before its future is even made; the producer's next may come from here.
            drop(chunk);
            std::future::ready(Ok::<_, Failure>(()))
        });
        assert_eq!(handled.await, Ok(u64::try_from(subject.expected(100).len()).unwrap()));
        feeding.await.unwrap();
        watch.assert_home().await;
    });
}

/// While the stage and its source are being polled: what was in hand, the poll before, goes in the midst of it.
#[test]
fn rs_3_2_guards_may_go_in_a_poll() {
    each_of(
        |subject| subject.is_pulled,
        |subject| async move {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 2);
            let feeding = tokio::spawn(feed.run(100));
            let mut came = 0;
            while let Some(chunk) = stage.recv().await.unwrap() {
                came += 1;
                watch.logs[0].drop_when_polled(chunk);
            }
            assert_eq!(came, subject.expected(100).len());
            feeding.await.unwrap();
            drop(stage);
            // A stage that knows of the end does not ask again.
            watch.logs[0].drop_all();
            watch.assert_home().await;
        },
    );
}

/// A payload whose `Drop` gives credit back, dropped with its chunk, by the stage, or by a cancel.
#[test]
fn rs_3_2_guards_may_go_in_a_drop() {
    each(|subject| async move {
        let fits = subject.fits(8);
        let Rig { feed, mut stage, watch } = Rig::new(subject, fits + 3);
        feed.fill(fits);
        let out = u64::try_from(subject.expected(fits).len()).unwrap();
        let held = take(&mut stage, out).await;
        // In hand, in the next that come (which a filter drops), and in what stays in the queue.
        for chunk in held {
            let item = feed.item(0);
            item.pack(chunk);
            feed.txs[0].try_send(item).expect("there is credit, or was until now");
            if watch.meters[0].stats().credit.is_zero() {
                break;
            }
        }
        let _ = poll_once(&mut stage.recv()).await;
        stage.cancel(CancelReason::Timeout);
        let _ = drain(&mut stage).await;
        drop((stage, feed));
        watch.assert_home().await;
    });
}

/// Over a source that always has more, beside another task on the only thread.
#[test]
fn rs_3_3_whoever_is_always_ready_lets_others_run() {
    /// tokio's budget is 128 calls. A task that has spent it gives way; which of two that did is first to go on is the
    /// scheduler's business, so that it may be a few budgets until the other is seen to have had its turn.
    const A_FEW_BUDGETS: u64 = 4 * 128;
    for subject in subjects() {
        let items = if subject.name == "a chain of five" { 1_000_000 } else { 100_000 };
        within(LONG_WATCHDOG, format!("{}, and keeps the thread", subject.name), move || {
            runtime(Flavour::CurrentThread).block_on(async {
                let Rig { feed, mut stage, watch } = Rig::new(subject, items);
                for n in 0..items {
                    feed.txs.iter().for_each(|tx| tx.try_send(Item::bare(n)).expect("there is credit"));
                }
                feed.end();
                let over = Arc::new(AtomicBool::new(false));
                let beats = Arc::new(AtomicU64::new(0));
                let (stop, count, log) = (Arc::clone(&over), Arc::clone(&beats), Arc::clone(&watch.logs[0]));
                let beating = tokio::spawn(async move {
                    let (mut last, mut longest) = (log.brought(), 0);
                    while !stop.load(Ordering::SeqCst) {
                        tokio::task::yield_now().await;
                        count.fetch_add(1, Ordering::SeqCst);
                        longest = longest.max(log.brought() - last);
                        last = log.brought();
                    }
                    longest
                });
                tokio::spawn(async move { while stage.recv().await.unwrap().is_some() {} }).await.unwrap();
                over.store(true, Ordering::SeqCst);
                let longest = beating.await.unwrap();
                assert!(longest <= A_FEW_BUDGETS, "{}: {longest} in a row", subject.name);
                assert!(beats.load(Ordering::SeqCst) >= items / A_FEW_BUDGETS, "{}", subject.name);
                watch.assert_home().await;
            });
        });
    }
}

#[test]
fn rs_3_5_cancel_once_or_often_and_guards_after_it_change_nothing() {
    each(|subject| async move {
        let fits = subject.fits(4);
        let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
        feed.fill(fits);
        let held = take(&mut stage, 1).await;
        let [first, second] = [CancelReason::other(9, "enough"), CancelReason::Timeout];
        stage.cancel(first.clone());
        stage.cancel(second.clone());
        assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(first.clone())));
        drop(held);
        stage.cancel(second);
        assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(first.clone())));
        let said = if subject.tells_why { first } else { CancelReason::Dropped };
        for closed in feed.closed().await {
            assert_eq!(closed, Closed::Cancelled(said.clone()), "the first reason counts");
        }
        watch.assert_home().await;
    });
}

/// Asked for three times and given up each time, then for all there is: nothing is lost and nothing comes twice.
#[test]
fn rs_3_8_requests_add_up() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        let mut came = Vec::new();
        for n in 0..40 {
            let mut polls = 0;
            while polls < 3 || feed.txs.iter().any(|tx| tx.credit().is_zero()) {
                if let Poll::Ready(received) = poll_once(&mut stage.recv()).await {
                    came.push(received.unwrap().unwrap().into_inner().n);
                }
                polls += 1;
                turns(polls / 4).await;
            }
            feed.send(n).await.unwrap();
        }
        feed.end();
        let (rest, ended) = drain(&mut stage).await;
        came.extend(rest);
        subject.assert_came(came, subject.expected(40));
        assert_eq!(ended, Ok(()));
        watch.assert_home().await;
    });
}

/// One is taken and kept; the rest is on its way, and more is parked: all of that wakes and goes.
#[test]
fn rs_3_12_a_cancel_stops_what_is_before_it_and_wakes_who_is_parked() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        // One after the other, so that they stand in line in their order.
        let mut parked = Vec::new();
        for n in 0..20 {
            for tx in &feed.txs {
                let (tx, item) = (tx.clone(), feed.item(n));
                parked.push(tokio::spawn(async move { tx.send(item).await }));
                let waiting = || feed.txs.iter().map(|tx| tx.stats().waiting).sum::<u64>();
                let sent = || u64::try_from(parked.iter().filter(|send| send.is_finished()).count()).unwrap();
                let all = u64::try_from(parked.len()).unwrap();
                until(|| waiting() + sent() >= all).await;
            }
        }
        let held = take(&mut stage, 1).await;
        turns(20).await;
        stage.cancel(CancelReason::Shutdown);
        let said = if subject.tells_why { CancelReason::Shutdown } else { CancelReason::Dropped };
        let mut given_back = 0;
        for parked in parked {
            if let Err(error) = parked.await.unwrap() {
                assert_eq!(error.closed(), Some(&Closed::Cancelled(said.clone())));
                assert_eq!(error.into_inner().of.len(), 1, "the value comes back");
                given_back += 1;
            }
        }
        assert!(given_back > 0);
        assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(CancelReason::Shutdown)));
        drop(held);
        watch.assert_home().await;
    });
}

/// The stage is still there, and so are the producers. As much is in hand as may be, so that it may hold one that waits
/// for room.
#[test]
fn rs_3_13_a_cancel_lets_go_of_everything() {
    each(|subject| async move {
        let fits = subject.fits(4);
        let Rig { feed, mut stage, watch } = Rig::new(subject, 2 * fits);
        feed.fill(2 * fits);
        let mut held = take(&mut stage, u64::try_from(subject.expected(fits).len()).unwrap()).await;
        if let Poll::Ready(one_more) = poll_once(&mut stage.recv()).await {
            held.extend(one_more.unwrap());
        }
        stage.cancel(CancelReason::Timeout);
        assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(CancelReason::Timeout)));
        let in_hand: usize = held.iter().map(|chunk| chunk.of.len()).sum();
        until(|| watch.census.alive() <= u64::try_from(in_hand).unwrap()).await;
        drop(held);
        until(|| watch.all_home() && watch.all_gone()).await;
        watch.assert_home().await;
        drop((stage, feed));
    });
}

/// Chunks outlive the stage and the runtime, and go while a thread unwinds.
#[test]
fn rs_3_15_neither_a_cancel_nor_the_drop_of_a_guard_fails() {
    for subject in subjects() {
        let (mut stage, held, feed, watch) = {
            let runtime = runtime(Flavour::MultiThread);
            runtime.block_on(async {
                let fits = subject.fits(4);
                let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
                feed.fill(fits);
                let held = take(&mut stage, 1).await;
                (stage, held, feed, watch)
            })
        };
        let unwinding = std::thread::spawn(move || {
            let _held = held;
            panic!("on purpose");
        });
        assert!(unwinding.join().is_err());
        stage.cancel(CancelReason::Shutdown);
        drop(stage);
        drop(feed);
        assert!(watch.all_gone(), "{}", subject.name);
    }
}

#[test]
fn rs_3_17_demand_may_be_as_large_as_can_be() {
    each_of(
        |subject| subject.is_pulled,
        |subject| async move {
            let Rig { feed, mut stage, watch } = Rig::new(subject, Window::MAX);
            let fits = subject.fits(8);
            feed.fill(fits);
            let held = take(&mut stage, u64::try_from(subject.expected(fits).len()).unwrap()).await;
            subject.assert_came(numbers(&held), subject.expected(fits));
            feed.end();
            assert!(stage.recv().await.unwrap().is_none());
            drop(held);
            watch.assert_home().await;
        },
    );
}
