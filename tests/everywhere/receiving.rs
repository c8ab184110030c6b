//! I4, I6 at the consumer: everything is received once and in order, and a consumer that waits is woken.

use crate::support::carrier::everywhere;
use crate::support::{poll_once, turns, until};
use credit_channel::{RecvError, TryRecvError, Window};
use std::pin::pin;
use tokio::task::JoinSet;

#[test]
fn many_producers_lose_and_repeat_nothing_and_each_keeps_its_order() {
    everywhere(|carrier| async move {
        const PRODUCERS: usize = 16;
        const EACH: u64 = 200;
        let (tx, mut rx) = carrier.open::<(usize, u64)>(Window::messages(5)).await;
        let mut producers = JoinSet::new();
        for number in 0..PRODUCERS {
            let tx = tx.clone();
            producers.spawn(async move {
                for item in 0..EACH {
                    tx.send((number, item)).await.unwrap();
                }
                tx.end();
            });
        }
        tx.end();
        let mut next = [0; PRODUCERS];
        let mut seq = 0;
        while let Some(chunk) = rx.recv().await.unwrap() {
            let (number, item) = *chunk;
            assert_eq!((chunk.seq(), item), (seq, next[number]));
            next[number] += 1;
            seq += 1;
        }
        assert_eq!(next, [EACH; PRODUCERS]);
        assert_eq!((rx.stats().sent, rx.stats().released.messages()), (seq, seq));
    });
}

#[test]
fn recv_many_waits_for_the_first_only_and_keeps_the_ending_for_later() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(8)).await;
        let mut buffer = Vec::new();
        assert_eq!(rx.recv_many(&mut buffer, 0).await, Ok(0), "a limit of 0 asks for nothing");
        {
            let mut waits = pin!(rx.recv_many(&mut buffer, 3));
            assert!(poll_once(&mut waits).await.is_pending());
        }
        for item in 0..5 {
            tx.send(item).await.unwrap();
        }
        until(|| rx.stats().sent == 5).await;
        tx.fail("disk gone");
        assert_eq!(rx.recv_many(&mut buffer, 3).await, Ok(3));
        assert_eq!(rx.recv_many(&mut buffer, 100).await, Ok(2), "what is there, without the error behind it");
        let seen: Vec<_> = buffer.iter().map(|chunk| (chunk.seq(), **chunk)).collect();
        assert_eq!(seen, (0..5).map(|n| (n, n)).collect::<Vec<_>>());
        assert_eq!(rx.stats().depth.messages(), 5, "each chunk in the buffer holds its own credit");
        assert_eq!(rx.recv_many(&mut buffer, 3).await, Err(RecvError::Failed("disk gone".into())));
        buffer.drain(1..3);
        assert_eq!(rx.stats().depth.messages(), 3);

        let (tx, mut rx) = carrier.open::<u64>(Window::messages(8)).await;
        tx.end();
        assert_eq!(rx.recv_many(&mut Vec::new(), 3).await, Ok(0));
    });
}

#[test]
fn every_verb_takes_from_the_same_queue() {
    everywhere(|carrier| async move {
        use futures_util::StreamExt;
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(8)).await;
        for item in 0..5 {
            tx.send(item).await.unwrap();
        }
        until(|| rx.stats().sent == 5).await;
        assert_eq!(*rx.try_recv().unwrap().unwrap(), 0);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
        assert_eq!(*rx.next().await.unwrap().unwrap(), 2);
        let mut buffer = Vec::new();
        assert_eq!(rx.recv_many(&mut buffer, 1).await, Ok(1));
        assert_eq!(*std::future::poll_fn(|cx| rx.poll_recv(cx)).await.unwrap().unwrap(), 4);
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)));
        tx.end();
        until(|| matches!(rx.try_recv(), Ok(None))).await;
        assert!(rx.try_recv().unwrap().is_none());
        assert!(rx.recv().await.unwrap().is_none());
    });
}

#[test]
fn work_may_be_finished_in_any_order_and_anywhere() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(3)).await;
        let producer = tokio::spawn(async move {
            for item in 0..60 {
                tx.send(item).await.unwrap();
            }
            tx.end_and_wait().await
        });
        let mut workers = JoinSet::new();
        while let Some(chunk) = rx.recv().await.unwrap() {
            workers.spawn(async move {
                turns(7 - *chunk % 7).await;
                drop(chunk);
            });
        }
        while let Some(done) = workers.join_next().await {
            done.unwrap();
        }
        producer.await.unwrap().unwrap();
    });
}
