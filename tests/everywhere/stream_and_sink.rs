//! The consumer as a stream and the producer as a sink keep the same promises.

use crate::support::carrier::{everywhere, is_back, wherever_bytes_count};
use crate::support::{CountingWaker, assert_balanced, poll_once, turns, until};
use credit_channel::{CancelReason, RecvError, Window};
use futures_util::stream::{FusedStream, iter};
use futures_util::{SinkExt, StreamExt};
use std::task::{Context, Poll, Waker};

#[test]
fn stream_gives_the_chunks_one_error_and_then_the_end() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        tx.send(1).await.unwrap();
        tx.fail("disk gone");
        assert_eq!(rx.next().await.unwrap().unwrap().into_inner(), 1);
        assert_eq!(rx.next().await.unwrap().unwrap_err(), RecvError::Failed("disk gone".into()));
        assert!(rx.next().await.is_none() && rx.next().await.is_none());

        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        tx.end();
        assert!(rx.next().await.is_none() && rx.next().await.is_none());
    });
}

#[test]
fn stream_adaptors_keep_the_credit_with_the_chunk() {
    everywhere(|carrier| async move {
        let (tx, rx) = carrier.open::<u64>(Window::messages(2)).await;
        let (numbers, books) = (tx.clone(), rx.canceller());
        let producer = tokio::spawn(async move {
            let mut source = iter((0..20).map(Ok));
            tx.into_sink().send_all(&mut source).await.unwrap();
        });
        let mut chunks = rx.map(Result::unwrap).take(20);
        let first = chunks.next().await.unwrap();
        let second = chunks.next().await.unwrap();
        turns(10).await;
        assert_eq!((numbers.depth().messages(), numbers.stats().sent), (2, 2), "two in hand, and no third sent");
        drop((first, second));
        let rest: Vec<_> = chunks.map(|chunk| chunk.into_inner()).collect().await;
        assert_eq!(rest, (2..20).collect::<Vec<_>>());
        producer.await.unwrap();
        assert_balanced(books.stats(), true);
    });
}

#[test]
fn sink_that_is_ready_holds_nothing_and_keeps_one_value_if_another_was_faster() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        let mut sink = tx.clone().into_sink();
        assert!(matches!(sink.poll_ready_unpin(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(()))));
        // Being ready was a hint: it holds nothing.
        is_back(&tx).await;
        tx.try_send(2).unwrap();
        sink.start_send_unpin(3).unwrap();
        assert!(
            sink.poll_flush_unpin(&mut Context::from_waker(Waker::noop())).is_pending(),
            "it is kept and not in flight"
        );
        assert_eq!(tx.depth().messages(), 1);
        drop(rx.recv().await.unwrap());
        sink.flush().await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 3);
    });
}

#[test]
fn sink_that_closes_ends_and_one_that_is_dropped_does_not() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open::<Vec<u8>>(Window::bytes(4).and_messages(9)).await;
        let mut sink = tx.into_sink();
        sink.feed(vec![1; 4]).await.unwrap();
        sink.start_send_unpin(vec![2; 3]).unwrap();
        let mut closes = Box::pin(async move {
            sink.close().await.unwrap();
            sink
        });
        assert!(poll_once(&mut closes).await.is_pending(), "the one that it keeps goes first");
        assert_eq!(rx.recv().await.unwrap().unwrap().len(), 4);
        let mut sink = closes.await;
        assert_eq!(rx.recv().await.unwrap().unwrap().len(), 3);
        assert!(rx.recv().await.unwrap().is_none());
        assert!(sink.producer().is_none() && sink.send(vec![3]).await.is_err());

        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        let mut sink = tx.into_sink();
        sink.send(1).await.unwrap();
        drop(sink);
        drop(rx.recv().await.unwrap());
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
    });
}

#[test]
fn sink_that_waits_for_readiness_is_told_of_the_cancel_and_leaves_the_line_when_dropped() {
    everywhere(|carrier| async move {
        let (tx, rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(0).await.unwrap();
        let (mut stays, mut goes) = (tx.clone().into_sink(), tx.clone().into_sink());
        let (count, waker) = CountingWaker::new();
        assert!(goes.poll_ready_unpin(&mut Context::from_waker(&waker)).is_pending());
        assert!(stays.poll_ready_unpin(&mut Context::from_waker(&waker)).is_pending());
        drop(goes);
        assert_eq!(tx.stats().waiting, 1);
        rx.cancel(CancelReason::Requested);
        until(|| count.wakes() == 1).await;
        assert!(matches!(stays.poll_ready_unpin(&mut Context::from_waker(&waker)), Poll::Ready(Err(_))));
        assert!(stays.start_send_unpin(7).unwrap_err().into_inner() == Some(7));
    });
}

#[test]
fn fused_stream_sees_the_end_once() {
    everywhere(|carrier| async move {
        let (tx, rx) = carrier.open::<u64>(Window::messages(1)).await;
        let mut stream = rx.fuse();
        drop(tx);
        assert!(stream.next().await.unwrap().is_err());
        assert!(stream.next().await.is_none() && stream.is_terminated());
    });
}
