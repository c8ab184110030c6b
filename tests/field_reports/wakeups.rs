//! Lost wake-ups.

use crate::support::{Dice, LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, poll_once, soak, turns, until};
use credit_channel::{CancelReason, Closed, RecvError, SendError, SendTimeoutError, Window, channel, weighted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinSet;

/// tokio-rs/tokio#8260: a reservation of several slots that is given up after the close never told the receiver that
/// the channel is idle now.
#[test]
fn report_01_reservation_given_up_after_close_ends_the_consumers_wait() {
    on_both_runtimes(|| async {
        for (served, dropped) in [(false, true), (false, false), (true, true), (true, false)] {
            let (tx, mut rx) = channel::<u8>(Window::messages(4)).unwrap();
            let mut guards = Vec::new();
            for value in 0..2 {
                tx.send(value).await.unwrap();
                guards.push(rx.recv().await.unwrap().unwrap());
            }
            let mut reserving = Box::pin(tx.reserve_many(4));
            assert!(poll_once(&mut reserving).await.is_pending(), "two of four credits are out");
            if served {
                guards.clear(); // now it has what it asked for, and was not polled since
                assert_eq!(tx.stats().reserved.messages(), 4);
            }
            rx.drain();
            let wait = tokio::spawn(async move { rx.recv().await.map(drop) });
            turns(4).await;
            if dropped {
                drop(reserving);
            } else {
                let error = crate::support::refused(reserving.await);
                assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Drained)));
            }
            assert_eq!(wait.await.unwrap().unwrap_err(), RecvError::Cancelled(CancelReason::Drained));
            drop(guards);
            assert_eq!(tx.credit().messages(), 4);
        }
    });
}

/// golang/go#37852, embassy-rs/embassy#6964: the head of the line wanted much and gave up; those behind it slept on.
#[test]
fn report_02_big_waiter_cancelled_lets_small_one_pass() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(100)).unwrap();
        tx.send(vec![0; 60]).await.unwrap();
        let outstanding = rx.recv().await.unwrap().unwrap();
        let mut big = Box::pin(tx.send_timeout(vec![0; 80], Duration::from_millis(20)));
        assert!(poll_once(&mut big).await.is_pending());
        let small = tx.clone();
        let small = tokio::spawn(async move { small.send(vec![0; 30]).await });
        until(|| tx.stats().waiting == 2).await;

        let error = big.await.unwrap_err();
        assert!(matches!(error, SendTimeoutError::Timeout(ref value) if value.len() == 80));
        small.await.unwrap().unwrap();
        assert_eq!((tx.depth().bytes(), tx.stats().waiting), (90, 0), "no credit came home for it");
        drop(outstanding);
    });
}

/// smol-rs/async-channel#45, hephbuild/heph#238: a parked sender that is kept and never polled again swallowed every
/// later wake-up. Here it holds what it asked for and no more.
#[test]
fn report_04_sender_never_polled_again_holds_only_its_own_credit() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u8>(Window::messages(2)).unwrap();
        let mut guards = Vec::new();
        for value in 0..2 {
            tx.send(value).await.unwrap();
            guards.push(rx.recv().await.unwrap().unwrap());
        }
        let mut never_again = vec![tx.send(10)];
        assert!(poll_once(&mut never_again[0]).await.is_pending());
        let mut tasks = Vec::new();
        for (before, value) in [(1, 20), (2, 30)] {
            let sender = tx.clone();
            tasks.push(tokio::spawn(async move { sender.send(value).await }));
            until(|| tx.stats().waiting > before).await;
        }
        guards.clear();
        let second = tasks.remove(0);
        second.await.unwrap().unwrap();
        let stats = tx.stats();
        assert_eq!((stats.reserved.messages(), stats.waiting), (1, 1));
        never_again.clear();
        tasks.remove(0).await.unwrap().unwrap();
        for value in [20, 30] {
            assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), value);
        }
    });
}

/// frostyplanet/crossfire-rs#22: a sender that got its slot by another path left a stale waker that ate the wake-up.
#[test]
fn report_05_mixed_senders_never_sleep_beside_free_credit() {
    let (patience, run_for) = if soak() {
        (Duration::from_secs(60), Duration::from_secs(15))
    } else {
        (Duration::ZERO, Duration::from_millis(600))
    };
    for window in [1, 2] {
        on_both_runtimes_within(LONG_WATCHDOG + patience, move || async move {
            let (tx, rx) = channel::<u64>(Window::messages(window)).unwrap();
            let (sent, received) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
            let over = Arc::new(AtomicBool::new(false));
            let mut tasks = JoinSet::new();
            for number in 0..100 {
                let (tx, sent, over) = (tx.clone(), Arc::clone(&sent), Arc::clone(&over));
                tasks.spawn(async move {
                    let mut dice = Dice::new(number);
                    while !over.load(Ordering::SeqCst) {
                        let went = match dice.below(3) {
                            0 => tx.try_send(number).is_ok(),
                            1 => tx.send(number).await.is_ok(),
                            _ => tx.send_timeout(number, Duration::from_millis(2)).await.is_ok(),
                        };
                        sent.fetch_add(u64::from(went), Ordering::SeqCst);
                        turns(dice.below(3)).await;
                    }
                    tx.end();
                });
            }
            let rx = Arc::new(Mutex::new(rx));
            for number in 0..10 {
                let (rx, received) = (Arc::clone(&rx), Arc::clone(&received));
                tasks.spawn(async move {
                    let mut dice = Dice::new(1000 + number);
                    loop {
                        let Some(work) = rx.lock().await.recv().await.unwrap() else { break };
                        received.fetch_add(1, Ordering::SeqCst);
                        turns(dice.below(4)).await;
                        drop(work);
                    }
                });
            }
            let start = Instant::now();
            while start.elapsed() < run_for {
                let stats = tx.stats();
                assert!(stats.waiting == 0 || stats.credit.is_zero(), "credit lies beside a parked sender: {stats:?}");
                assert!(stats.depth.messages() <= window, "{stats:?}");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            over.store(true, Ordering::SeqCst);
            tx.end();
            while let Some(done) = tasks.join_next().await {
                done.unwrap();
            }
            assert!(sent.load(Ordering::SeqCst) > 0);
            assert_eq!(sent.load(Ordering::SeqCst), received.load(Ordering::SeqCst));
        });
    }
}

/// Kotlin/kotlinx.coroutines#359: a send that raced with the close was queued in a channel that nobody drains.
#[test]
fn report_07_send_racing_with_close_always_resolves() {
    let rounds = if soak() { 100_000 } else { 10_000 };
    on_both_runtimes_within(LONG_WATCHDOG, move || async move {
        let mut dice = Dice::new(7);
        for _ in 0..rounds {
            let (tx, mut rx) = channel::<u8>(Window::messages(1)).unwrap();
            tx.send(0).await.unwrap();
            let sender = tx.clone();
            let (wait, skew) = (dice.below(3), dice.below(3));
            let send = tokio::spawn(async move {
                turns(wait).await;
                sender.send(1).await
            });
            turns(skew).await;
            let first = rx.recv().await.unwrap().unwrap();
            drop(first);
            let queued_may_be_lost = dice.below(2) == 0;
            if queued_may_be_lost {
                rx.cancel(CancelReason::Requested);
            } else {
                rx.drain();
            }
            match send.await.unwrap() {
                // Taken before a drain it has to be there.
                Ok(()) if !queued_may_be_lost => assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), 1),
                Ok(()) => assert!(rx.recv().await.is_err()),
                Err(SendError::Closed { value, .. }) => assert_eq!(value, 1),
                Err(error) => panic!("unexpected: {error}"),
            }
            assert_eq!(tx.depth().messages(), 0);
        }
    });
}

/// n0-computer/iroh#2536 and #2533: a `recv` that lost a `select!` took the notification with it.
#[test]
fn report_10_recv_that_lost_a_select_loses_no_item() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let (ask, mut asked) = tokio::sync::mpsc::channel::<oneshot::Sender<()>>(1);
        tokio::spawn(async move {
            let mut dice = Dice::new(10);
            let mut item = 0;
            while let Some(go) = asked.recv().await {
                let _ = go.send(());
                turns(dice.below(6)).await;
                tx.send(item).await.unwrap();
                item += 1;
            }
            tx.end();
        });
        let mut dice = Dice::new(11);
        for round in 0..10_000 {
            let (go, gone) = oneshot::channel();
            ask.send(go).await.unwrap();
            gone.await.unwrap();
            let mut got = None;
            for _ in 0..dice.below(6) {
                tokio::select! {
                    received = rx.recv() => got = received.unwrap(),
                    () = turns(dice.below(3)) => {}
                }
                if got.is_some() {
                    break;
                }
            }
            let got = match got {
                Some(got) => got,
                None => rx.recv().await.unwrap().unwrap(),
            };
            assert_eq!(*got, round);
        }
    });
}
