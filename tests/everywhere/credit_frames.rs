//! I3, I4 on the wire: flow goes on past every window, and credit goes home in no more frames than it is worth.

use crate::support::carrier::{Carrier, Open, everywhere, over};
use crate::support::tap::tapped;
use crate::support::{LONG_WATCHDOG, assert_balanced, on_both_runtimes, turns, until};
use credit_channel::{Chunk, CreditConsumer, Window};
use futures_util::StreamExt;
use std::sync::atomic::Ordering;

/// How the consumer takes what comes.
#[derive(Clone, Copy, Debug)]
enum Mode {
    OneByOne,
    Many(usize),
    Streaming,
}

async fn take_all<T>(rx: &mut CreditConsumer<T>, mode: Mode, mut take: impl FnMut(Chunk<T>)) {
    let mut buffer = Vec::new();
    loop {
        match mode {
            Mode::OneByOne => match rx.recv().await.unwrap() {
                Some(chunk) => take(chunk),
                None => return,
            },
            Mode::Many(limit) => {
                if rx.recv_many(&mut buffer, limit).await.unwrap() == 0 {
                    return;
                }
                buffer.drain(..).for_each(&mut take);
            }
            Mode::Streaming => match rx.next().await {
                Some(chunk) => take(chunk.unwrap()),
                None => return,
            },
        }
    }
}

/// ReactiveX/RxJava#6713: demand stopped at exactly one prefetch.
#[test]
fn report_31_flow_goes_on_past_every_window() {
    over(
        |_| true,
        LONG_WATCHDOG,
        |carrier| async move {
            let every = if carrier == Carrier::Duplex(24) { 5 } else { 1 };
            for window in (1..=32).step_by(every) {
                for mode in [Mode::OneByOne, Mode::Many(3), Mode::Streaming] {
                    let limit = match carrier {
                        Carrier::Mpsc => Window::messages(window),
                        _ if window % 2 == 0 => Window::bytes(window).and_messages(window),
                        _ => Window::messages(window),
                    };
                    let Open { tx, mut rx, line } = carrier.open_line::<Vec<u8>>(limit).await;
                    let items = 10 * window + 1;
                    let producer = tokio::spawn(async move {
                        for _ in 0..items {
                            tx.send(vec![7]).await.unwrap();
                        }
                        tx.end_and_wait().await
                    });
                    let mut next = 0;
                    take_all(&mut rx, mode, |chunk| {
                        assert_eq!(chunk.seq(), next, "window {window}");
                        next += 1;
                    })
                    .await;
                    assert_eq!(next, items);
                    producer.await.unwrap().unwrap();
                    line.over().await;
                    assert_balanced(rx.stats(), true);
                }
            }
        },
    );
}

/// The bound that is documented: a frame for each chunk at most and one to begin with; and where the producer
/// is never short of credit, one for each quarter of the window.
#[test]
fn report_31_credit_goes_home_in_a_bounded_number_of_frames() {
    on_both_runtimes(|| async {
        for window in 1..32_u64 {
            let items = 10 * window + 1;
            let (Open { tx, mut rx, line }, from_producer, from_consumer) = tapped(Window::messages(window)).await;
            let producer = tokio::spawn(async move {
                for item in 0..items {
                    tx.send(item).await.unwrap();
                }
                tx.end_and_wait().await
            });
            let mut received = 0;
            take_all(&mut rx, Mode::OneByOne, |chunk| received += 1 - u64::from(*chunk > items)).await;
            producer.await.unwrap().unwrap();
            line.over().await;
            assert_eq!(received, items);
            let credit = from_consumer.credit.load(Ordering::SeqCst);
            let blocked = from_producer.blocked.load(Ordering::SeqCst);
            assert!((1..=items + 1).contains(&credit), "window {window}: {credit} CREDIT for {items} chunks");
            assert!(blocked <= credit, "window {window}: {blocked} BLOCKED, {credit} CREDIT");
        }
    });
}

#[test]
fn producer_that_is_never_short_of_credit_is_told_of_a_quarter_of_the_window_at_a_time() {
    on_both_runtimes(|| async {
        let (Open { tx, mut rx, line }, from_producer, from_consumer) = tapped(Window::messages(400)).await;
        // One is in hand all the time, so that never nothing is outstanding; and half of the window is never used.
        tx.send(0).await.unwrap();
        let kept = rx.recv().await.unwrap();
        for item in 1..=1000_u64 {
            tx.send(item).await.unwrap();
            assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), item);
        }
        turns(50).await;
        let credit = from_consumer.credit.load(Ordering::SeqCst);
        assert!((2..=1 + 1000 / 101).contains(&credit), "the first, and one for each 101 at most: {credit}");
        assert_eq!(from_producer.blocked.load(Ordering::SeqCst), 0);
        drop(kept);
        tx.end_and_wait().await.unwrap();
        line.over().await;
    });
}

#[test]
fn producer_that_is_blocked_has_what_was_held_back() {
    on_both_runtimes(|| async {
        let (Open { tx, mut rx, .. }, from_producer, from_consumer) = tapped(Window::messages(40)).await;
        for item in 0..40 {
            tx.send(item).await.unwrap();
        }
        let mut in_hand = Vec::new();
        while in_hand.len() < 40 {
            in_hand.push(rx.recv().await.unwrap().unwrap());
        }
        drop(in_hand.pop());
        turns(20).await;
        assert_eq!(tx.credit().messages(), 0, "one of 40 is held back");
        tx.send(40).await.unwrap();
        assert_eq!(from_producer.blocked.load(Ordering::SeqCst), 1);
        assert_eq!(from_consumer.credit.load(Ordering::SeqCst), 2);
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(40));
    });
}

/// rust-lang/futures-rs#861: full, although all was drained. Who never waits has nobody else to say that it is blocked.
#[test]
fn report_74_credit_is_not_held_back_from_a_producer_that_only_tries() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(40)).await;
        let mut in_hand = Vec::new();
        for item in 0..40 {
            tx.send(item).await.unwrap();
            in_hand.push(rx.recv().await.unwrap());
        }
        for _ in 0..5 {
            drop(in_hand.pop());
            until(|| tx.try_send(40).is_ok()).await;
            in_hand.push(rx.recv().await.unwrap());
        }
        drop(in_hand.pop());
        until(|| tx.try_reserve().is_ok()).await;
    });
}

#[test]
fn window_of_one_is_stop_and_wait() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        for item in 0..20 {
            tx.send(item).await.unwrap();
            assert!(tx.try_send(99).unwrap_err().is_full());
            let in_hand = rx.recv().await.unwrap().unwrap();
            assert!(tx.try_send(99).unwrap_err().is_full(), "the work is not done");
            assert_eq!(in_hand.into_inner(), item);
            until(|| tx.credit().messages() == 1).await;
        }
        assert_eq!((tx.stats().peak_depth.messages(), rx.stats().peak_depth.messages()), (1, 1));
    });
}
