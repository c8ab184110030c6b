//! Side by side: as much of each as is asked for, none of any ahead, and one end for all.

use crate::probe::{endless, up_to};
use crate::sources::pair;
use crate::support::{LONG_WATCHDOG, on_a_paused_clock, on_both_runtimes, on_both_runtimes_within, poll_once, refused};
use credit_channel::stages::{NoInputs, Stage, StageError, from_stream, from_try_stream, zip_all};
use credit_channel::{CancelReason, Closed, CreditConsumer, Failure, RecvError};
use futures_util::stream;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::task::coop;
use tokio::time::{Instant, sleep};

fn failed(text: &'static str) -> StageError {
    StageError::Upstream(RecvError::Failed(Failure::from(text)))
}

fn told(text: &str) -> Closed {
    Closed::Cancelled(CancelReason::other(0, text))
}

#[test]
fn ten_downstream_are_ten_of_each_and_the_credit_of_both_is_carried() {
    on_both_runtimes(|| async {
        let (left, left_log) = endless();
        let (tx, rx) = pair(10);
        for n in 0..10 {
            tx.try_send(n * n).unwrap();
        }
        let mut stage = left.filter(|n| n % 2 == 0).zip(rx);
        let mut held = Vec::new();
        for n in 0..10 {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!((*chunk, chunk.seq()), ((2 * n, n * n), n), "numbered anew");
            held.push(chunk);
        }
        assert_eq!(left_log.pulled(), 19);
        assert_eq!(tx.credit().messages(), 0);
        for left in (0..10).rev() {
            held.pop();
            assert_eq!(tx.depth().messages(), left);
        }
    });
}

/// Contract S15: lengths 3, 5 and endless. What is held is one value of each, whoever waits for whom.
#[test]
fn it_ends_with_the_shortest_and_cancels_the_others() {
    on_both_runtimes(|| async {
        for short in 0..3 {
            let mut inputs = vec![up_to(5), endless()];
            inputs.insert(short, up_to(3));
            let (inputs, logs): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
            let mut stage = zip_all(inputs).unwrap();
            for n in 0..3 {
                let row = stage.recv().await.unwrap().unwrap();
                assert_eq!((&*row, row.seq()), (&vec![n; 3], n));
            }
            for _ in 0..2 {
                assert!(stage.recv().await.unwrap().is_none());
            }
            stage.cancel(CancelReason::Timeout);
            assert!(stage.recv().await.unwrap().is_none(), "it had ended before");
            for (number, log) in logs.iter().enumerate() {
                if number == short {
                    assert_eq!((log.pulled(), log.cancels().len()), (3, 0));
                } else {
                    assert!(log.pulled() <= 4, "{}", log.pulled());
                    let reason = CancelReason::other(0, format!("input {short} of the zip ended"));
                    assert_eq!(log.cancels(), [reason], "once");
                }
            }
        }
    });
}

#[test]
fn none_is_refused_and_one_is_a_map() {
    on_both_runtimes(|| async {
        assert_eq!(refused(zip_all(Vec::<CreditConsumer<u64>>::new())), NoInputs);
        let mut stage = zip_all(vec![up_to(2).0]).unwrap().map(|row| row[0]);
        for n in 0..2 {
            assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), n);
        }
        assert!(stage.recv().await.unwrap().is_none());
    });
}

/// ReactiveX/RxJava#867 and #2924: what came of the fast source piled up. Here one value of it is held, and its producer
/// is parked at its window.
#[test]
fn report_62_a_fast_source_waits_for_a_slow_one() {
    on_a_paused_clock(|| async {
        let (fast, fast_rx) = pair(8);
        let (slow, slow_rx) = pair(8);
        let (read, log) = endless();
        let began = Instant::now();
        tokio::spawn(async move {
            for n in 0..20 {
                sleep(Duration::from_millis(10)).await;
                slow.send(n).await.unwrap();
            }
            slow.end();
        });
        let flood = tokio::spawn(async move {
            let mut n = 0;
            while fast.send(n).await.is_ok() {
                n += 1;
                assert!(u128::from(n) <= 8 + began.elapsed().as_millis() / 10, "no more than its window ahead");
            }
            (n, fast)
        });
        let mut stage = zip_all(vec![fast_rx.boxed(), slow_rx.boxed()]).unwrap().zip(read);
        for n in 0..20 {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!(chunk.into_inner(), (vec![n, n], n));
            assert_eq!(log.pulled(), n + 1, "of what needs no window either");
            assert!(poll_once(&mut stage.recv()).await.is_pending() || n == 19);
        }
        assert!(stage.recv().await.unwrap().is_none());
        let (sent, fast) = flood.await.unwrap();
        assert!((20..=28).contains(&sent), "{sent}");
        assert_eq!(fast.closed().await, told("input 1 of the zip ended"));
        assert_eq!(
            fast.depth().messages(),
            0,
            "what was ahead went, and with it its credit, though the stage is there"
        );
    });
}

#[test]
fn report_62_a_fast_source_fails_and_one_is_empty() {
    on_both_runtimes(|| async {
        let (fast, fast_rx) = pair(8);
        let (slow, slow_rx) = pair(8);
        for n in 0..8 {
            fast.try_send(n).unwrap();
        }
        slow.try_send(0).unwrap();
        fast.fail("disk gone");
        let mut stage = Stage::zip(fast_rx, slow_rx);
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), (0, 0));
        for n in 1..8 {
            assert!(poll_once(&mut stage.recv()).await.is_pending());
            slow.try_send(n).unwrap();
            assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), (n, n), "the error has its place");
        }
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), failed("disk gone"));
        }
        assert_eq!(slow.closed().await, told("input 0 of the zip failed: producer failed: disk gone"));

        for swap in [false, true] {
            let (full, full_rx) = pair(4);
            let (empty, empty_rx) = pair(4);
            full.try_send(0).unwrap();
            full.try_send(1).unwrap();
            empty.end();
            let (a, b) = if swap { (empty_rx, full_rx) } else { (full_rx, empty_rx) };
            let mut stage = Stage::zip(a, b);
            assert!(stage.recv().await.unwrap().is_none());
            assert_eq!(full.closed().await, told(&format!("input {} of the zip ended", u8::from(!swap))));
            assert_eq!(full.depth().messages(), 0);
        }
    });
}

/// What waited for a partner is dropped, and its credit goes back, with the error and not with the stage.
#[test]
fn an_error_of_one_cancels_all_and_stays() {
    on_both_runtimes(|| async {
        let (held, held_rx) = pair(4);
        let (silent, silent_rx) = pair(4);
        let (failing, failing_rx) = pair(4);
        held.try_send(0).unwrap();
        held.try_send(1).unwrap();
        let mut stage = zip_all(vec![held_rx, silent_rx, failing_rx]).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        drop(failing);
        for _ in 0..2 {
            let error = stage.recv().await.unwrap_err();
            assert_eq!(error, StageError::Upstream(RecvError::Abandoned { received: 0 }));
        }
        let reason = told("input 2 of the zip failed: producer dropped without end after 0 chunks");
        for other in [held, silent] {
            assert_eq!(other.closed().await, reason);
            assert_eq!(other.depth().messages(), 0);
        }
    });
}

/// reactor/reactor-core#2618: the end of one source hid that another had failed. Whoever is asked first: where the
/// failure was there before the end, it is the outcome.
#[test]
fn report_43_one_fails_as_the_other_ends() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for round in 0..20_000 {
            let (ending, ending_rx) = pair(1);
            let (failing, failing_rx) = pair(1);
            let elsewhere = tokio::spawn(async move {
                failing.fail("torn");
                ending.end();
            });
            let (a, b) = if round % 2 == 0 { (ending_rx, failing_rx) } else { (failing_rx, ending_rx) };
            let mut stage = Stage::zip(a, b);
            assert_eq!(stage.recv().await.expect_err("not complete"), failed("torn"), "round {round}");
            elsewhere.await.unwrap();
        }
    });
}

/// The same at the worst moment: the one was asked and had nothing, and fails before the other ends.
#[test]
fn report_43_one_fails_between_two_looks() {
    on_both_runtimes(|| async {
        let (failing, failing_rx) = pair(1);
        let mut failing = Some(failing);
        let ending = from_stream(stream::poll_fn(move |_| {
            failing.take().expect("asked once").fail("torn");
            Poll::Ready(None::<u64>)
        }));
        let mut stage = Stage::zip(failing_rx, ending);
        assert_eq!(stage.recv().await.expect_err("not complete"), failed("torn"));
    });
}

/// The same with everything there beforehand, and the task's budget used up at any moment.
#[test]
fn report_43_a_used_up_budget_hides_no_failure() {
    on_both_runtimes(|| async {
        for spent in 0..130 {
            for swap in [false, true] {
                let (ending, ending_rx) = pair(1);
                let (failing, failing_rx) = pair(1);
                ending.end();
                failing.fail("torn");
                // It takes two units of the budget to hear of it.
                let failing_rx = failing_rx.expand(|n| [n]).detach().boxed();
                let ending_rx = Stage::detach(ending_rx).boxed();
                let (a, b) = if swap { (failing_rx, ending_rx) } else { (ending_rx, failing_rx) };
                let mut stage = a.zip(b);
                tokio::task::yield_now().await;
                for _ in 0..spent {
                    tokio::task::consume_budget().await;
                }
                assert_eq!(stage.recv().await.expect_err("not complete"), failed("torn"), "{spent} spent");
            }
        }
    });
}

/// And used up by something else in the same task, before it is polled.
#[test]
fn report_43_a_budget_used_up_by_another_hides_no_failure() {
    on_both_runtimes(|| async {
        let (failing, failing_rx) = pair(1);
        failing.fail("torn");
        let mut stage = up_to(0).0.zip(failing_rx);
        let mut polls = 0;
        let received = poll_fn(|cx| {
            polls += 1;
            while polls <= 3 && coop::has_budget_remaining() {
                let Poll::Ready(unit) = coop::poll_proceed(cx) else { break };
                unit.made_progress();
            }
            stage.poll_next(cx)
        });
        assert_eq!(received.await.expect_err("not complete"), failed("torn"));
    });
}

/// One that is always busy, and never brings anything, keeps the end of the other from nobody.
#[test]
fn the_end_does_not_wait_for_one_that_uses_up_every_budget() {
    on_both_runtimes(|| async {
        let busy = from_stream(stream::repeat(0)).filter(|_| false);
        let mut stage = up_to(0).0.zip(busy);
        assert!(stage.recv().await.unwrap().is_none());
    });
}

#[test]
fn a_cancel_reaches_all_once_and_drops_what_is_held() {
    on_both_runtimes(|| async {
        let (held, held_rx) = pair(4);
        let (silent, silent_rx) = pair(4);
        let (source, log) = endless();
        held.try_send(0).unwrap();
        let mut stage = Stage::zip(held_rx, silent_rx).zip(source);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        stage.cancel(CancelReason::Timeout);
        stage.cancel(CancelReason::Shutdown);
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        }
        for other in [held, silent] {
            assert_eq!(other.closed().await, Closed::Cancelled(CancelReason::Timeout));
            assert_eq!(other.depth().messages(), 0);
        }
        assert_eq!(log.cancels(), [CancelReason::Timeout]);
    });
}

#[test]
fn inputs_of_different_kinds_by_a_box() {
    on_both_runtimes(|| async {
        let words = from_stream(stream::iter(["a", "b"])).map(str::len);
        let sizes = from_try_stream(stream::iter([Ok(7), Err("torn")]));
        let mut stage = zip_all(vec![words.boxed(), sizes.boxed()]).unwrap();
        assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), [1, 7]);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::Source("torn".into()));
    });
}
