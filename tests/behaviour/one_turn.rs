//! One turn of the runtime before a park: I4 on the way of a sender that gives one, which is taken where parks are
//! brief, and that a consumer which gives one parks after it.

use crate::support::{
    CountingWaker, LONG_WATCHDOG, assert_balanced, on_both_runtimes, on_both_runtimes_within, poll_once, poll_with,
};
use credit_channel::{Builder, CancelReason, Chunk, CreditConsumer, Window, channel};
use std::pin::pin;

/// A sender that looked for credit took what had come home off the tray while others stood in line without a
/// waker: they looked into the tray, found nothing, and slept beside their credit.
#[test]
fn credit_that_another_sender_found_is_served_to_the_line() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for window in [1, 2, 4] {
            let (tx, mut rx) = Builder::new(Window::messages(window)).always_one_turn().open().unwrap();
            for producer in 0..4 {
                let tx = tx.clone();
                tokio::spawn(async move {
                    for item in 0..20_000_u64 {
                        tx.send(item * 4 + producer).await.unwrap();
                    }
                    tx.end();
                });
            }
            tx.end();
            let mut sum = 0;
            while let Some(item) = rx.recv().await.unwrap() {
                sum += *item;
            }
            assert_eq!(sum, (0..80_000).sum::<u64>());
            assert_balanced(rx.stats(), true);
        }
    });
}

/// The same where parks have become brief by themselves.
#[test]
fn senders_that_hardly_wait_are_all_served() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
        for _ in 0..3 {
            let tx = tx.clone();
            tokio::spawn(async move {
                for item in 0..30_000 {
                    tx.send(item).await.unwrap();
                }
                tx.end();
            });
        }
        tx.end();
        let mut received = 0;
        while let Some(chunk) = rx.recv().await.unwrap() {
            drop(chunk);
            received += 1;
        }
        assert_eq!((received, rx.stats().sent), (90_000, 90_000));
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn sender_that_gave_a_turn_has_its_place_and_counts_as_parked() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = Builder::new(Window::messages(1)).always_one_turn().open().unwrap();
        tx.send(0).await.unwrap();
        let (mut first, mut second) = (tx.send(1), tx.send(2));
        assert!(poll_once(&mut first).await.is_pending());
        assert!(poll_once(&mut second).await.is_pending());
        assert_eq!((tx.stats().waiting, tx.stats().parks), (2, 2));
        drop(rx.recv().await.unwrap());
        assert!(tx.try_send(3).unwrap_err().is_full(), "both were there before");
        assert!(poll_once(&mut second).await.is_pending());
        first.await.unwrap();
        drop(rx.recv().await.unwrap());
        second.await.unwrap();
        assert_eq!((tx.stats().waiting, tx.stats().parks), (0, 2));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(2));
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn sender_that_gave_a_turn_hears_of_the_cancel_and_leaves_the_line_when_dropped() {
    on_both_runtimes(|| async {
        let (tx, rx) = Builder::new(Window::messages(1)).always_one_turn().open().unwrap();
        tx.send(0).await.unwrap();
        {
            let mut reserving = pin!(tx.reserve());
            assert!(poll_once(&mut reserving).await.is_pending());
        }
        assert_eq!(tx.stats().waiting, 0);
        let mut parked = tx.send(1);
        assert!(poll_once(&mut parked).await.is_pending());
        rx.cancel(CancelReason::Requested);
        assert_eq!(parked.await.unwrap_err().into_inner(), 1);
        assert_eq!(tx.stats().waiting, 0);
    });
}

/// It comes back once of its own accord and no more: what looked like a park would else be a busy loop.
#[test]
fn consumer_that_gave_a_turn_parks() {
    let (tx, mut rx) = Builder::new(Window::messages(2)).recv_gives_one_turn().open().unwrap();
    let (count, waker) = CountingWaker::new();
    for item in 0..3 {
        let wakes = count.wakes();
        for _ in 0..2 {
            assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
            assert_eq!(count.wakes(), wakes + 1, "woken once, for its turn");
        }
        tx.try_send(item).unwrap();
        assert_eq!(count.wakes(), wakes + 2, "and by the send, since it parked");
        assert!(poll_with(&waker, pin!(rx.recv())).is_ready());
    }
}

/// What came by another way than a plain send, a chunk or the end of the channel, is there at once.
#[test]
fn consumer_gives_no_turn_while_there_is_something() {
    let open = || Builder::new(Window::messages(1)).recv_gives_one_turn().open().unwrap();
    let (_, waker) = CountingWaker::new();
    let ready = |rx: &mut CreditConsumer<u32>| poll_with(&waker, pin!(rx.recv())).is_ready();

    let (tx, mut rx) = open();
    tx.try_reserve().unwrap().send(0).unwrap();
    assert!(ready(&mut rx), "by a permit");
    let (tx, mut rx) = open();
    tx.try_send(0).unwrap();
    {
        let mut parked = pin!(tx.send(1));
        assert!(poll_with(&waker, parked.as_mut()).is_pending());
        assert!(ready(&mut rx));
        assert!(poll_with(&waker, parked).is_ready());
    }
    assert!(ready(&mut rx), "by a parked send");
    tx.end();
    assert!(ready(&mut rx), "the end");
    assert!(ready(&mut rx), "and again");

    let (tx, mut rx) = open();
    drop(tx);
    assert!(ready(&mut rx), "abandoned");
    let (tx, mut rx) = open();
    tx.fail("disk full");
    assert!(ready(&mut rx), "failed");
    let (_tx, mut rx) = open();
    rx.cancel(CancelReason::Requested);
    assert!(ready(&mut rx), "cancelled");
    let (_tx, mut rx) = open();
    rx.drain();
    assert!(ready(&mut rx), "drained");
}

#[test]
fn consumer_finds_after_its_turn_what_was_sent_meanwhile() {
    let (tx, mut rx) = Builder::new(Window::messages(2)).recv_gives_one_turn().open().unwrap();
    let (count, waker) = CountingWaker::new();
    for item in 0..3 {
        assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
        tx.try_send(item).unwrap();
        assert_eq!(count.wakes(), item + 1, "the send wakes nobody");
        assert!(poll_with(&waker, pin!(rx.recv())).is_ready());
    }
}

/// A consumer whose chunks come one by one, each after it has parked, gives hardly any turns.
#[test]
fn turns_that_bring_nothing_are_rare() {
    let (tx, mut rx) = channel(Window::messages(2)).unwrap();
    let (count, waker) = CountingWaker::new();
    let mut turns = 0;
    for item in 0..1000 {
        let wakes = count.wakes();
        assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
        if count.wakes() > wakes {
            turns += 1;
            assert!(poll_with(&waker, pin!(rx.recv())).is_pending());
        }
        tx.try_send(item).unwrap();
        assert!(poll_with(&waker, pin!(rx.recv())).is_ready());
    }
    assert!((1..=1000 / 8).contains(&turns), "{turns} of 1000");
}
