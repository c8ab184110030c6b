//! The runtime and the verbs.

use crate::support::{
    CountingWaker, Dice, LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, poll_with, turns, until,
};
use credit_channel::{CancelReason, SendTimeoutError, TryRecvError, TrySendError, Window, channel};
use futures_util::FutureExt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// tokio-rs/tokio#6044 and #7108: sends that are always ready never let another task run; a `select!` with a branch that
/// is always ready never saw the items.
#[test]
fn report_73_select_with_a_ready_branch_sees_every_item() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(2000)).unwrap();
        for item in 0..1000 {
            tx.send(item).await.unwrap();
        }
        let mut seen = 0;
        while seen < 1000 {
            tokio::select! {
                received = rx.recv() => {
                    assert_eq!(*received.unwrap().unwrap(), seen);
                    seen += 1;
                }
                // Without a yield here the task's budget would never come back: that is tokio's rule.
                () = std::future::ready(()) => tokio::task::yield_now().await,
            }
        }
    });
}

/// zesterer/flume#141: an idle receiver spun.
#[test]
fn report_73_idle_recv_is_polled_once() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let polls = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&polls);
        let idle = tokio::spawn(async move {
            let mut recv = pin!(rx.recv());
            std::future::poll_fn(|cx| {
                counted.fetch_add(1, Ordering::SeqCst);
                recv.as_mut().poll(cx).map(|received| received.map(|chunk| chunk.map(|chunk| *chunk)))
            })
            .await
        });
        until(|| polls.load(Ordering::SeqCst) > 0).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(polls.load(Ordering::SeqCst), 1);
        tx.send(3).await.unwrap();
        assert_eq!(idle.await.unwrap().unwrap(), Some(3));
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    });
}

/// rust-lang/futures-rs#861, tokio-rs/tokio#4118: `try_send` said Full of a drained channel, or of a closed one.
#[test]
fn report_74_full_means_that_credit_is_short_and_nothing_else() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(3)).unwrap();
        for _ in 0..1000 {
            for item in 0..3 {
                tx.try_send(item).unwrap();
            }
            assert!(tx.try_send(3).unwrap_err().is_full());
            assert!(crate::support::refused(tx.try_reserve()).is_full());
            for item in 0..3 {
                assert_eq!(rx.try_recv().unwrap().unwrap().into_inner(), item);
            }
            assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)));
        }
        // Closed wins over full, whether it is full or not.
        for full in [false, true] {
            for stop in [0, 1, 2] {
                let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
                let other = tx.clone();
                let in_hand = if full {
                    tx.try_send(0).unwrap();
                    rx.try_recv().unwrap()
                } else {
                    None
                };
                match stop {
                    0 => drop(rx.cancel(CancelReason::Requested)),
                    1 => rx.drain(),
                    _ => other.fail("over"),
                }
                let error = tx.try_send(1).unwrap_err();
                assert!(!error.is_full() && error.closed().is_some(), "full {full}, stop {stop}: {error}");
                assert_eq!(error.into_inner(), 1);
                assert!(crate::support::refused(tx.try_reserve()).closed().is_some());
                assert!(crate::support::refused(tx.try_reserve_many(2)).closed().is_some());
                drop(in_hand);
            }
        }
    });
}

/// zesterer/flume#104, fereidani/kanal#62: a cancelled send still went through, or lost its item.
#[test]
fn report_76_send_that_is_given_up_was_never_sent() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
        let mut taken = Vec::new();
        for item in 0..1000 {
            if tx.send(item).now_or_never().is_some() {
                taken.push(item);
            }
        }
        assert_eq!((taken.len(), tx.depth().messages()), (2, 2));
        for item in taken {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)));

        // Timeouts that race with credit: every item is delivered, or back in hand.
        let sender = tx.clone();
        let producer = tokio::spawn(async move {
            let mut dice = Dice::new(76);
            let (mut sent, mut back) = (Vec::new(), 0_u64);
            for item in 0..2000 {
                match sender.send_timeout(item, Duration::from_micros(dice.below(300))).await {
                    Ok(()) => sent.push(item),
                    Err(SendTimeoutError::Timeout(same)) => {
                        assert_eq!(same, item);
                        back += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
                turns(dice.below(3)).await;
            }
            sender.end();
            (sent, back)
        });
        tx.end();
        let mut received = Vec::new();
        let mut dice = Dice::new(77);
        while let Some(chunk) = rx.recv().await.unwrap() {
            received.push(*chunk);
            turns(dice.below(5)).await;
        }
        let (sent, back) = producer.await.unwrap();
        assert_eq!(received, sent);
        assert_eq!(sent.len() + usize::try_from(back).unwrap(), 2000);
    });
}

/// asynchronics/tachyonix#5: a batch that the close cut short reported the wrong item.
#[test]
fn report_76_batch_cut_short_gives_back_exactly_what_was_not_sent() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut permits = tx.reserve_many(4).await.unwrap();
        for item in 0..2 {
            permits.next().unwrap().send(item).unwrap();
        }
        rx.cancel(CancelReason::Timeout);
        for item in 2..4 {
            let error = permits.next().unwrap().send(item).unwrap_err();
            assert_eq!(error.into_inner(), item);
        }
        assert!(permits.next().is_none());
        drop(permits);
        assert!(rx.recv().await.is_err());
        assert_eq!(tx.depth().messages() + tx.stats().reserved.messages(), 0);

        // A served send that is dropped instead of polled hands its turn on.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let (count, waker) = CountingWaker::new();
        let (mut first, mut second) = (Box::pin(tx.send(1)), Box::pin(tx.send(2)));
        assert!(poll_with(&waker, first.as_mut()).is_pending());
        assert!(poll_with(&waker, second.as_mut()).is_pending());
        drop(rx.recv().await.unwrap());
        assert_eq!(count.wakes(), 1);
        drop(first);
        assert_eq!(count.wakes(), 2);
        second.await.unwrap();
        assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), 2);
        assert!(matches!(tx.try_send(3), Ok(()) | Err(TrySendError::Full(_))));
    });
}
