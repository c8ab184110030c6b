//! Section 1: a stage as a producer.

use super::rig::{Rig, assert_nothing_comes, drain, each, each_of, take};
use super::subjects::subjects;
use crate::support::until;
use credit_channel::stages::{Stage, StageError};
use credit_channel::{CancelReason, Failure};

/// From a source that could flood it. What came out is dropped at once, or kept as long as it may be.
#[test]
fn rs_1_1_no_more_out_than_asked_for_and_no_more_in_than_that_needs() {
    each(|subject| async move {
        for keeping in [false, true] {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 64);
            feed.fill(64);
            let mut kept = std::collections::VecDeque::new();
            for asked in 1..=u64::try_from(subject.expected(64).len()).unwrap() {
                let allowed = subject.needed(asked) + subject.ahead;
                kept.extend(take(&mut stage, 1).await);
                assert!(watch.brought() <= allowed, "{} for {asked}, not {allowed}", watch.brought());
                let most = if keeping { usize::try_from(subject.out_at_most).unwrap_or(usize::MAX) } else { 1 };
                if kept.len() == most {
                    kept.pop_front();
                }
            }
            assert_nothing_comes(&mut stage).await;
            drop((feed, stage, kept));
            watch.assert_home().await;
        }
    });
}

#[test]
fn rs_1_2_it_may_end_before_as_much_came_as_was_asked_for() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 10);
        let asking = tokio::spawn(async move { drain(&mut stage).await });
        feed.run(3).await;
        let (came, ended) = asking.await.unwrap();
        subject.assert_came(came, subject.expected(3));
        assert_eq!(ended, Ok(()));
        watch.assert_home().await;
    });
}

#[test]
fn rs_1_3_all_comes_once_and_in_order() {
    each(|subject| async move {
        for window in [1, 2, 7, 100] {
            let Rig { feed, mut stage, watch } = Rig::new(subject, window);
            let feeding = tokio::spawn(feed.run(300));
            let (came, ended) = drain(&mut stage).await;
            subject.assert_came(came, subject.expected(300));
            assert_eq!(ended, Ok(()));
            feeding.await.unwrap();
            watch.assert_home().await;
        }
    });
}

#[test]
fn rs_1_4_a_failure_is_an_error_and_so_is_a_source_that_was_dropped() {
    each(|subject| async move {
        for (failed, said) in [(true, "disk gone"), (false, "dropped without end")] {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 3);
            feed.fill(3);
            if failed {
                feed.fail(&Failure::new("disk gone"));
            } else {
                drop(feed);
            }
            let (came, ended) = drain(&mut stage).await;
            subject.assert_came(came, subject.expected(3));
            let error = ended.expect_err("no end is made of it");
            assert!(error.to_string().contains(said), "{error}");
            watch.assert_home().await;
        }
    });
}

#[test]
fn rs_1_5_success_is_an_end_also_of_nothing() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 2);
        feed.end();
        assert_eq!(drain(&mut stage).await, (subject.expected(0), Ok(())));
        watch.assert_home().await;
    });
}

/// The end, a failure, an abandoned source, a cancel: said once, said for ever.
#[test]
fn rs_1_7_nothing_comes_after_a_terminal() {
    each(|subject| async move {
        for terminal in ["end", "fail", "abandon", "cancel"] {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
            feed.fill(4);
            match terminal {
                "end" => feed.end(),
                "fail" => feed.fail(&Failure::new("disk gone")),
                "abandon" => drop(feed),
                _ => stage.cancel(CancelReason::Timeout),
            }
            let (_, first) = drain(&mut stage).await;
            match terminal {
                "end" => assert_eq!(first, Ok(())),
                "cancel" => assert_eq!(first, Err(StageError::cancelled(CancelReason::Timeout))),
                _ => assert!(first.is_err()),
            }
            for _ in 0..100 {
                assert_eq!(stage.recv().await.map(|received| assert!(received.is_none())), first);
            }
            watch.assert_home().await;
        }
    });
}

#[test]
fn rs_1_8_cancelled_it_stops_and_so_does_the_source() {
    each(|subject| async move {
        let reason = CancelReason::other(9, "enough");
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        let feeding = tokio::spawn(feed.run_on());
        drop(take(&mut stage, 2).await);
        stage.cancel(reason.clone());
        let brought = watch.brought();
        for _ in 0..10 {
            assert_eq!(stage.recv().await.map(drop), Err(StageError::cancelled(reason.clone())));
        }
        let said = if subject.tells_why { reason } else { CancelReason::Dropped };
        for closed in feeding.await.unwrap() {
            assert_eq!(closed, credit_channel::Closed::Cancelled(said.clone()));
        }
        assert!(!subject.is_pulled || watch.brought() == brought, "it takes no more in");
        watch.assert_home().await;
    });
}

/// Neither making nor dropping one needs a runtime.
#[test]
fn rs_1_9_whoever_makes_one_gets_one() {
    for subject in subjects().into_iter().filter(|subject| subject.is_pulled) {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 4);
        feed.fill(4);
        stage.cancel(CancelReason::Shutdown);
        stage.cancel(CancelReason::Timeout);
        drop((feed, stage));
        assert!(watch.all_gone(), "{}", subject.name);
    }
}

#[test]
fn rs_2_1_nothing_is_taken_that_was_not_asked_for() {
    each_of(
        |subject| subject.is_pulled,
        |subject| async move {
            let Rig { feed, stage, watch } = Rig::new(subject, 4);
            feed.fill(4);
            crate::support::turns(20).await;
            assert_eq!(watch.brought(), 0);
            drop((feed, stage));
            until(|| watch.all_home() && watch.all_gone()).await;
        },
    );
}
