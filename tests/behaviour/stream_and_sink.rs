//! The consumer as a stream and the producer as a sink keep the same promises.

use crate::support::{CountingWaker, assert_balanced, on_both_runtimes, poll_once};
use credit_channel::{CancelReason, RecvError, Window, channel, weighted};
use futures_util::stream::{FusedStream, iter};
use futures_util::{SinkExt, StreamExt};
use std::task::{Context, Poll};

#[test]
fn stream_gives_the_chunks_one_error_and_then_the_end() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        tx.fail("disk gone");
        assert_eq!(rx.next().await.unwrap().unwrap().into_inner(), 1);
        assert_eq!(rx.next().await.unwrap().unwrap_err(), RecvError::Failed("disk gone".into()));
        assert!(rx.next().await.is_none() && rx.next().await.is_none());

        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.end();
        assert!(rx.next().await.is_none() && rx.next().await.is_none());
    });
}

#[test]
fn stream_adaptors_keep_the_credit_with_the_chunk() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(2)).unwrap();
        let numbers = tx.clone();
        let producer = tokio::spawn(async move {
            let mut source = iter((0..20).map(Ok));
            tx.into_sink().send_all(&mut source).await.unwrap();
        });
        let mut chunks = rx.map(Result::unwrap).take(20);
        let first = chunks.next().await.unwrap();
        let second = chunks.next().await.unwrap();
        crate::support::turns(10).await;
        assert_eq!((numbers.depth().messages(), numbers.stats().sent), (2, 2), "two in hand, and no third sent");
        drop((first, second));
        let rest: Vec<_> = chunks.map(|chunk| chunk.into_inner()).collect().await;
        assert_eq!(rest, (2..20).collect::<Vec<_>>());
        producer.await.unwrap();
        assert_balanced(numbers.stats(), true);
    });
}

#[test]
fn sink_is_ready_after_a_release_and_not_before() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let mut sink = tx.clone().into_sink();
        sink.send(1).await.unwrap();
        let in_hand = rx.recv().await.unwrap().unwrap();
        let (count, waker) = CountingWaker::new();
        let mut cx = Context::from_waker(&waker);
        assert!(sink.poll_ready_unpin(&mut cx).is_pending());
        assert_eq!(count.wakes(), 0);
        drop(in_hand);
        assert_eq!(count.wakes(), 1);
        assert!(matches!(sink.poll_ready_unpin(&mut cx), Poll::Ready(Ok(()))));
        // Being ready was a hint: it holds nothing.
        assert_balanced(tx.stats(), true);
        tx.try_send(2).unwrap();
        sink.start_send_unpin(3).unwrap();
        assert!(sink.poll_flush_unpin(&mut cx).is_pending(), "another was faster: it is kept and not in flight");
        assert_eq!(tx.depth().messages(), 1);
        drop(rx.try_recv().unwrap());
        assert!(matches!(sink.poll_flush_unpin(&mut cx), Poll::Ready(Ok(()))));
        assert_eq!(*rx.try_recv().unwrap().unwrap(), 3);
    });
}

#[test]
fn sink_that_closes_ends_and_one_that_is_dropped_does_not() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(4)).unwrap();
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

        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let mut sink = tx.into_sink();
        sink.send(1).await.unwrap();
        drop(sink);
        drop(rx.recv().await.unwrap());
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
    });
}

#[test]
fn sink_that_waits_for_readiness_is_told_of_the_cancel_and_leaves_the_line_when_dropped() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let (mut stays, mut goes) = (tx.clone().into_sink(), tx.clone().into_sink());
        let (count, waker) = CountingWaker::new();
        let mut cx = Context::from_waker(&waker);
        assert!(goes.poll_ready_unpin(&mut cx).is_pending());
        assert!(stays.poll_ready_unpin(&mut cx).is_pending());
        drop(goes);
        assert_eq!(tx.stats().waiting, 1);
        rx.cancel(CancelReason::Requested);
        assert_eq!(count.wakes(), 1);
        assert!(matches!(stays.poll_ready_unpin(&mut cx), Poll::Ready(Err(_))));
        assert!(stays.start_send_unpin(7).unwrap_err().into_inner() == Some(7));
    });
}

#[test]
fn fused_stream_sees_the_end_once() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(1)).unwrap();
        let mut stream = rx.fuse();
        drop(tx);
        assert!(stream.next().await.unwrap().is_err());
        assert!(stream.next().await.is_none() && stream.is_terminated());
    });
}
