//! I3 in bytes: each value is weighed once, and what comes home is what was spent.

use crate::support::{CountingWaker, assert_balanced, on_both_runtimes};
use credit_channel::{Builder, Weigh, Window, weighted};
use futures_util::SinkExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Context;
use std::time::Duration;

#[test]
fn every_verb_weighs_a_value_once() {
    on_both_runtimes(|| async {
        let weighed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&weighed);
        let weigh = move |value: &Vec<u8>| {
            count.fetch_add(1, Ordering::SeqCst);
            value.len()
        };
        let (tx, mut rx) = Builder::new(Window::bytes(10)).weigh_with(weigh).open().unwrap();
        let times = || weighed.swap(0, Ordering::SeqCst);
        tx.try_send(vec![0; 10]).unwrap();
        assert_eq!(times(), 1);
        drop(tx.try_send(vec![0; 1]).unwrap_err());
        assert_eq!(times(), 1);
        // Waiting weighs no more, and neither does receiving.
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send_timeout(vec![0; 2], Duration::from_secs(60)).await }
        });
        crate::support::until(|| tx.stats().waiting == 1).await;
        drop(rx.recv().await.unwrap());
        parked.await.unwrap().unwrap();
        drop(rx.recv().await.unwrap());
        assert_eq!(times(), 1);
        tx.reserve_bytes(5).await.unwrap().send(vec![0; 3]).unwrap();
        assert_eq!(times(), 1);
        let mut sink = tx.clone().into_sink();
        let (_wakes, waker) = CountingWaker::new();
        sink.start_send_unpin(vec![0; 9]).unwrap();
        assert!(sink.poll_flush_unpin(&mut Context::from_waker(&waker)).is_pending());
        drop(rx.try_recv().unwrap());
        assert!(sink.poll_flush_unpin(&mut Context::from_waker(&waker)).is_ready());
        assert_eq!(times(), 1);
        drop(rx.try_recv().unwrap());
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn window_without_bytes_never_weighs() {
    let weigh = |_: &u64| -> usize { panic!("nobody asked for it") };
    let (tx, mut rx) = Builder::new(Window::messages(2)).weigh_with(weigh).open().unwrap();
    tx.try_send(1).unwrap();
    let chunk = rx.try_recv().unwrap().unwrap();
    assert_eq!((chunk.cost().messages(), chunk.cost().bytes()), (1, 0));
}

#[test]
fn plain_types_weigh_what_they_are_long() {
    fn is(value: &impl Weigh, weight: usize) {
        assert_eq!(value.weight_bytes(), weight);
    }
    is(&vec![0_u8; 7], 7);
    is(&vec![0_u8; 7].into_boxed_slice(), 7);
    is(&"sieben", 6);
    is(&String::from("grün"), 5);
    is(&&b"seven"[..], 5);
    is(&String::new(), 0);
}

#[test]
fn what_is_done_to_the_value_changes_nothing_about_its_cost() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(10)).unwrap();
        tx.send(vec![0; 4]).await.unwrap();
        let mut chunk = rx.recv().await.unwrap().unwrap();
        chunk.resize(4000, 1);
        assert_eq!((chunk.cost().bytes(), tx.credit().bytes()), (4, 6));
        drop(chunk);
        assert_balanced(tx.stats(), true);
    });
}
