//! Who goes first.

use crate::support::{LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, poll_once, turns, until};
use credit_channel::{Window, channel, weighted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// golang/go#56910, smol-rs/async-lock#23: a big request starved behind a stream of small ones, or a woken waiter found
/// its permit snatched.
#[test]
fn report_37_nobody_who_came_later_passes_the_big_one() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(1000)).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let counts: Vec<_> = (0..20).map(|_| Arc::new(AtomicU64::new(0))).collect();
        let mut producers = Vec::new();
        for count in &counts {
            let (tx, count, over) = (tx.clone(), Arc::clone(count), Arc::clone(&over));
            producers.push(tokio::spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    tx.send(vec![0; 10]).await.unwrap();
                    count.fetch_add(1, Ordering::SeqCst);
                }
                tx.end();
            }));
        }
        // The window is full of small ones, and small ones wait.
        until(|| tx.stats().waiting == 20).await;
        let before = tx.stats();
        let mut big = tx.send(vec![0; 900]);
        assert!(poll_once(&mut big).await.is_pending());
        let consumer = tokio::spawn(async move {
            let mut small_before_big = None;
            let mut received = 0_u64;
            while let Some(chunk) = rx.recv().await.unwrap() {
                if chunk.len() == 900 {
                    small_before_big = Some(received);
                }
                received += 1;
                turns(1).await;
            }
            (small_before_big, received)
        });
        big.await.unwrap();
        // The small ones go on afterwards, every one of them.
        let target: Vec<_> = counts.iter().map(|count| count.load(Ordering::SeqCst) + 50).collect();
        until(|| counts.iter().zip(&target).all(|(count, target)| count.load(Ordering::SeqCst) >= *target)).await;
        over.store(true, Ordering::SeqCst);
        for producer in producers {
            producer.await.unwrap();
        }
        tx.end();
        let (small_before_big, received) = consumer.await.unwrap();
        assert_eq!(small_before_big, Some(before.sent + before.waiting), "exactly those who were there before");
        assert!(received > 20 * 50);
    });
}

/// ausimian/tricep#164: direct callers took each freed slot before the waiter who had been told of it.
#[test]
fn report_38_try_send_never_takes_the_parked_senders_credit() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let parked = tx.clone();
        let parked = tokio::spawn(async move { parked.send(1).await });
        until(|| tx.stats().waiting == 1).await;
        let spinner = tokio::spawn({
            let tx = tx.clone();
            async move {
                let mut refusals = 0_u64;
                while let Err(error) = tx.try_send(2) {
                    assert!(error.is_full());
                    refusals += 1;
                    turns(1).await;
                }
                refusals
            }
        });
        turns(10).await;
        let mut order = Vec::new();
        for _ in 0..3 {
            order.push(rx.recv().await.unwrap().unwrap().into_inner());
            turns(3).await;
        }
        assert_eq!(order, [0, 1, 2], "the first credit went to who waited for it");
        parked.await.unwrap().unwrap();
        spinner.await.unwrap();
    });
}
