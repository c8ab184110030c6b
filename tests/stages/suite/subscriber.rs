//! Section 2: a stage as a consumer.

use super::rig::{Rig, drain, each, each_of, numbers, take};
use super::source::Out;
use super::subjects::THE_THIRD;
use crate::support::{poll_once, until};
use credit_channel::stages::{Stage, StageError};
use credit_channel::{CancelReason, Closed, Failure};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::thread;

/// Who hears of the end tells nobody anything: the producer, which waits for the work, is not told of a cancel.
#[test]
fn rs_2_3_after_the_end_nothing_goes_back_but_credit() {
    each(|subject| async move {
        for dropped_first in [true, false] {
            let fits = subject.fits(4);
            let Rig { mut feed, mut stage, watch } = Rig::new(subject, fits);
            feed.fill(fits);
            let mut waiting: Vec<_> = feed.txs.drain(..).map(|tx| Box::pin(tx.end_and_wait())).collect();
            // The end is said when they are first polled.
            for waiting in &mut waiting {
                assert!(poll_once(waiting).await.is_pending());
            }
            let mut held = Vec::new();
            while let Some(chunk) = stage.recv().await.unwrap() {
                held.push(chunk);
            }
            if dropped_first {
                drop(stage);
                drop(held);
            } else {
                drop(held);
                drop(stage);
            }
            for waiting in waiting {
                assert_eq!(waiting.await, Ok(()));
            }
            watch.assert_home().await;
        }
    });
}

/// 1.6 is the same from the other side.
#[test]
fn rs_2_4_after_a_terminal_it_counts_as_cancelled() {
    each(|subject| async move {
        for failed in [false, true] {
            let fits = subject.fits(4);
            let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
            feed.fill(fits);
            if failed {
                feed.fail(&Failure::new("disk gone"));
            } else {
                feed.end();
            }
            let held = take(&mut stage, u64::try_from(subject.expected(fits).len()).unwrap()).await;
            let ended = stage.recv().await.map(|received| assert!(received.is_none()));
            assert_eq!(ended.is_err(), failed);
            // The guards, and a cancel that comes too late: neither makes another ending of it.
            let before = watch.brought();
            drop(held);
            stage.cancel(CancelReason::Timeout);
            assert_eq!(stage.recv().await.map(drop), ended);
            assert_eq!(watch.brought(), before);
            watch.assert_home().await;
        }
    });
}

#[test]
fn rs_2_6_dropped_it_cancels_what_is_before_it() {
    each(|subject| async move {
        let fits = subject.fits(2);
        let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
        let feeding = tokio::spawn(feed.run_on());
        let held = take(&mut stage, 1).await;
        drop(stage);
        for closed in feeding.await.unwrap() {
            assert_eq!(closed, Closed::Cancelled(CancelReason::Dropped));
        }
        drop(held);
        watch.assert_home().await;
    });
}

#[test]
fn rs_2_7_guards_may_be_dropped_from_any_thread_beside_a_cancel() {
    each(|subject| async move {
        for _ in 0..10 {
            let fits = subject.fits(16);
            let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
            feed.fill(fits);
            let out = u64::try_from(subject.expected(fits).len()).unwrap();
            let held = take(&mut stage, out).await;
            let threads: Vec<_> = held.into_iter().map(|chunk| thread::spawn(move || drop(chunk))).collect();
            stage.cancel(CancelReason::Timeout);
            for thread in threads {
                thread.join().unwrap();
            }
            drop(stage);
            drop(feed);
            watch.assert_home().await;
        }
    });
}

/// A permit taken before a cancel may still be used after it.
#[test]
fn rs_2_8_what_comes_after_a_cancel_is_dropped_and_accounted_for() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        let mut permits = Vec::new();
        for tx in &feed.txs {
            permits.push(tx.reserve().await.unwrap());
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        stage.cancel(CancelReason::Timeout);
        for permit in permits {
            drop(permit.send(feed.item(0)));
        }
        assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(CancelReason::Timeout)));
        watch.assert_home().await;
        drop(feed);
    });
}

/// All is in hand that may be, and nothing is given back.
#[test]
fn rs_2_9_the_end_needs_no_demand() {
    each(|subject| async move {
        let fits = subject.fits(4);
        let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
        feed.fill(fits);
        feed.end();
        let held = take(&mut stage, u64::try_from(subject.expected(fits).len()).unwrap()).await;
        subject.assert_came(numbers(&held), subject.expected(fits));
        assert!(stage.recv().await.unwrap().is_none());
        drop(held);
        watch.assert_home().await;
    });
}

#[test]
fn rs_2_10_an_error_needs_no_demand() {
    each(|subject| async move {
        let fits = subject.fits(4);
        let Rig { feed, mut stage, watch } = Rig::new(subject, fits);
        feed.fill(fits);
        feed.fail(&Failure::new("disk gone"));
        let held = take(&mut stage, u64::try_from(subject.expected(fits).len()).unwrap()).await;
        subject.assert_came(numbers(&held), subject.expected(fits));
        assert_eq!(stage.recv().await.unwrap_err().into_failure(), Failure::new("disk gone"));
        drop(held);
        watch.assert_home().await;
    });
}

#[test]
fn rs_2_13_a_closure_that_panics_cancels_what_is_before_it() {
    each_of(
        |subject| subject.panicking.is_some(),
        |subject| async move {
            let Rig { feed, mut stage, watch } = Rig::build(subject, subject.panicking.unwrap(), 4);
            let feeding = tokio::spawn(feed.run_on());
            let panicked = tokio::spawn(async move {
                let panicked = AssertUnwindSafe(drain(&mut stage)).catch_unwind().await;
                assert!(panicked.is_err(), "it goes through");
                // Whoever catches it finds the stage cancelled.
                drain(&mut stage).await
            });
            let reason = CancelReason::HandlerPanic;
            let (came, outcome) = panicked.await.unwrap();
            assert!(came.iter().all(|n| *n < THE_THIRD), "only what was done before it: {came:?}");
            assert_eq!(outcome, Err(StageError::cancelled(reason.clone())));
            let said = if subject.tells_why { reason } else { CancelReason::Dropped };
            for closed in feeding.await.unwrap() {
                assert_eq!(closed, Closed::Cancelled(said.clone()));
            }
            watch.assert_home().await;
        },
    );
}

/// That of `for_each` is user code like a closure's.
#[test]
fn rs_2_13_a_handler_that_panics_cancels_what_is_before_it() {
    each(|subject| async move {
        let Rig { feed, stage, watch } = Rig::new(subject, 4);
        let feeding = tokio::spawn(feed.run_on());
        let mut handled = 0;
        let handling = stage.for_each(move |chunk: Out| {
            handled += 1;
            async move {
                assert!(handled < 3, "on purpose: {}", chunk.n);
                Ok::<_, Failure>(())
            }
        });
        assert!(tokio::spawn(handling).await.unwrap_err().is_panic());
        let said = if subject.tells_why { CancelReason::HandlerPanic } else { CancelReason::Dropped };
        for closed in feeding.await.unwrap() {
            assert_eq!(closed, Closed::Cancelled(said.clone()));
        }
        until(|| watch.all_home() && watch.all_gone()).await;
        watch.assert_home().await;
    });
}

/// As an error of the handler does, with its text.
#[test]
fn rs_2_13_a_handler_that_fails_cancels_what_is_before_it() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        let feeding = tokio::spawn(feed.run_on());
        let failed = (&mut stage).for_each(|_| async { Err("no room on disk") }).await;
        assert_eq!(failed, Err(StageError::Handler("no room on disk".into())));
        let said = CancelReason::HandlerError("no room on disk".into());
        let (_, ended) = drain(&mut stage).await;
        assert_eq!(ended, Err(StageError::cancelled(said.clone())));
        let said = if subject.tells_why { said } else { CancelReason::Dropped };
        for closed in feeding.await.unwrap() {
            assert_eq!(closed, Closed::Cancelled(said.clone()));
        }
        watch.assert_home().await;
    });
}
