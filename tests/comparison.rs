//! What the README's table says of tokio's channel and of the semaphore idiom, shown beside what this crate does.
#![cfg(not(credit_channel_loom))]

use credit_channel::{CancelReason, Closed, RecvError, SendError, Window, channel, weighted};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

/// On a paused clock: long enough for anything that happens at all.
const FOR_EVER: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn slot_is_free_on_receipt_there_and_after_the_work_here() {
    let (tx, mut rx) = mpsc::channel(1);
    tx.send(1).await.unwrap();
    let _in_hand = rx.recv().await.unwrap();
    tx.try_send(2).expect("the slot is free although the work has not begun");

    let (tx, mut rx) = channel(Window::messages(1)).unwrap();
    tx.send(1).await.unwrap();
    let in_hand = rx.recv().await.unwrap();
    assert!(tx.try_send(2).unwrap_err().is_full());
    drop(in_hand);
    tx.try_send(2).unwrap();
}

#[tokio::test(start_paused = true)]
async fn parked_sender_of_the_idiom_hangs_when_the_consumer_goes() {
    let (tx, mut rx) = mpsc::unbounded_channel();
    let permits = Arc::new(Semaphore::new(1));
    tx.send((1, Arc::clone(&permits).acquire_owned().await.unwrap())).unwrap();
    let parked = tokio::spawn(timeout(FOR_EVER, Arc::clone(&permits).acquire_owned()));
    tokio::task::yield_now().await;
    // The chunk is in work elsewhere, and the receiver is dropped: nobody closes the semaphore.
    let _in_work = rx.recv().await.unwrap();
    drop(rx);
    assert!(parked.await.unwrap().is_err(), "it waits for ever");

    let (tx, mut rx) = channel(Window::messages(1)).unwrap();
    tx.send(1).await.unwrap();
    let _in_work = rx.recv().await.unwrap();
    let parked = tokio::spawn(async move { timeout(FOR_EVER, tx.send(2)).await });
    tokio::task::yield_now().await;
    drop(rx);
    let error = parked.await.unwrap().expect("at once").unwrap_err();
    assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Dropped)));
    assert_eq!(error.into_inner(), 2);
}

#[tokio::test(start_paused = true)]
async fn more_than_the_window_waits_for_ever_there_and_is_refused_here() {
    let permits = Semaphore::new(1000);
    assert!(timeout(FOR_EVER, permits.acquire_many(1001)).await.is_err());

    let (tx, _rx) = weighted(Window::bytes(1000)).unwrap();
    let refused = timeout(FOR_EVER, tx.send(vec![0_u8; 1001])).await.expect("at once");
    assert!(matches!(refused, Err(SendError::TooLarge { .. })));
}

#[tokio::test]
async fn producer_that_panics_looks_like_the_end_there_and_not_here() {
    let (tx, mut rx) = mpsc::channel(4);
    let producer = tokio::spawn(async move {
        tx.send(1).await.unwrap();
        panic!("before the rest was sent");
    });
    assert!(producer.await.is_err());
    assert_eq!((rx.recv().await, rx.recv().await), (Some(1), None::<i32>));

    let (tx, mut rx) = channel(Window::messages(4)).unwrap();
    let producer = tokio::spawn(async move {
        tx.send(1).await.unwrap();
        panic!("before the rest was sent");
    });
    assert!(producer.await.is_err());
    assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
    assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
}
