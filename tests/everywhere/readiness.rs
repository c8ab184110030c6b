//! Report 11 (grpc/grpc-java#875: in process the signal that one may send again was never given): one and the same suite
//! over every carrier. Whoever waits for readiness is told after a release, and not before, whatever the verb.

use crate::support::carrier::{Carrier, everywhere};
use crate::support::{CountingWaker, poll_with, turns, until};
use credit_channel::{Chunk, CreditConsumer, CreditProducer, Window};
use futures_util::SinkExt;
use std::pin::pin;
use std::task::{Context, Waker};

/// A window of 2, full, with both chunks in the consumer's hand.
async fn full(carrier: Carrier) -> (CreditProducer<u64>, CreditConsumer<u64>, Chunk<u64>, Chunk<u64>) {
    let (tx, mut rx) = carrier.open::<u64>(Window::messages(2)).await;
    tx.send(1).await.unwrap();
    tx.send(2).await.unwrap();
    let first = rx.recv().await.unwrap().unwrap();
    let second = rx.recv().await.unwrap().unwrap();
    (tx, rx, first, second)
}

/// Long enough for news that there should not be.
async fn a_while() {
    turns(30).await;
}

#[test]
fn report_11_sink_is_ready_after_a_release_and_not_before() {
    everywhere(|carrier| async move {
        let (tx, mut rx, first, _second) = full(carrier).await;
        let mut sink = tx.into_sink();
        let (count, waker) = CountingWaker::new();
        assert!(sink.poll_ready_unpin(&mut Context::from_waker(&waker)).is_pending());
        a_while().await;
        assert_eq!(count.wakes(), 0);
        assert!(sink.poll_ready_unpin(&mut Context::from_waker(&waker)).is_pending());
        drop(first);
        until(|| count.wakes() == 1).await;
        assert!(sink.poll_ready_unpin(&mut Context::from_waker(&waker)).is_ready());
        sink.send(3).await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 3);
    });
}

#[test]
fn report_11_send_is_through_after_a_release_and_not_before() {
    everywhere(|carrier| async move {
        let (tx, mut rx, first, _second) = full(carrier).await;
        let (count, waker) = CountingWaker::new();
        let mut send = pin!(tx.send(3));
        assert!(poll_with(&waker, send.as_mut()).is_pending());
        a_while().await;
        assert_eq!((count.wakes(), tx.stats().waiting), (0, 1));
        drop(first);
        until(|| count.wakes() == 1).await;
        assert!(poll_with(Waker::noop(), send).is_ready());
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 3);
    });
}

#[test]
fn report_11_reservation_is_there_after_a_release_and_not_before() {
    everywhere(|carrier| async move {
        let (tx, mut rx, first, second) = full(carrier).await;
        let (count, waker) = CountingWaker::new();
        let mut reserve = pin!(tx.reserve_many(2));
        assert!(poll_with(&waker, reserve.as_mut()).is_pending());
        drop(first);
        until(|| tx.credit().messages() == 1).await;
        a_while().await;
        assert_eq!(count.wakes(), 0, "one is not two");
        drop(second);
        until(|| count.wakes() == 1).await;
        let permits = reserve.await.unwrap();
        for (item, permit) in (3..).zip(permits) {
            permit.send(item).unwrap();
        }
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 3);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 4);
    });
}

#[test]
fn report_11_one_release_makes_one_of_them_ready() {
    everywhere(|carrier| async move {
        let (tx, _rx, first, second) = full(carrier).await;
        let mut sends: Vec<_> = (0..5).map(|item| Box::pin(tx.send(item))).collect();
        let mut counts = Vec::new();
        for send in &mut sends {
            let (count, waker) = CountingWaker::new();
            assert!(poll_with(&waker, send.as_mut()).is_pending());
            counts.push(count);
        }
        let woken = || counts.iter().map(|count| count.wakes()).collect::<Vec<_>>();
        drop(first);
        until(|| tx.stats().waiting == 4).await;
        a_while().await;
        assert_eq!(woken(), [1, 0, 0, 0, 0]);
        drop(second);
        until(|| tx.stats().waiting == 3).await;
        a_while().await;
        assert_eq!(woken(), [1, 1, 0, 0, 0]);
    });
}

#[test]
fn report_11_growth_of_the_window_makes_ready_too() {
    everywhere(|carrier| async move {
        let (tx, rx, _first, _second) = full(carrier).await;
        let mut sink = tx.into_sink();
        let (count, waker) = CountingWaker::new();
        assert!(sink.poll_ready_unpin(&mut Context::from_waker(&waker)).is_pending());
        rx.set_window(Window::messages(3)).unwrap();
        until(|| count.wakes() == 1).await;
        assert!(sink.poll_ready_unpin(&mut Context::from_waker(&waker)).is_ready());
    });
}

#[test]
fn report_11_receiver_is_ready_after_a_send_and_not_before() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(2)).await;
        let (count, waker) = CountingWaker::new();
        assert!(rx.poll_recv(&mut Context::from_waker(&waker)).is_pending());
        a_while().await;
        assert_eq!(count.wakes(), 0);
        tx.send(7).await.unwrap();
        until(|| count.wakes() == 1).await;
        assert_eq!(rx.try_recv().unwrap().map(Chunk::into_inner), Some(7));
        // And what says that nothing will come.
        assert!(rx.poll_recv(&mut Context::from_waker(&waker)).is_pending());
        tx.end();
        until(|| count.wakes() == 2).await;
        assert!(rx.try_recv().unwrap().is_none());
    });
}
