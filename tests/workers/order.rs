//! In order or as they are done.

use crate::support::{on_a_paused_clock, on_both_runtimes};
use credit_channel::stages::{Stage, from_stream};
use credit_channel::workers::Workers;
use credit_channel::{Failure, Window, channel};
use futures_util::stream;
use std::time::Duration;

/// The later, the sooner it is done.
async fn reversed(n: u64) -> Result<u64, Failure> {
    tokio::time::sleep(Duration::from_millis(100 - 10 * n)).await;
    Ok(n)
}

async fn results(workers: Workers) -> Vec<(u64, u64)> {
    let (tx, rx) = channel(Window::messages(10)).unwrap();
    for n in 0..10 {
        tx.try_send(n).unwrap();
    }
    tx.end();
    let mut pool = rx.spawn_workers(workers, reversed).unwrap();
    let mut results = Vec::new();
    while let Some(chunk) = pool.recv().await.unwrap() {
        results.push((chunk.seq(), *chunk));
    }
    results
}

#[test]
fn in_order_whatever_takes_how_long() {
    on_a_paused_clock(|| async {
        for batch in [1, 3] {
            let got = results(Workers::new(4..=4).inbox(10).batch(batch).ordered()).await;
            assert_eq!(got, (0..10).map(|n| (n, n)).collect::<Vec<_>>(), "batch {batch}");
        }
    });
}

#[test]
fn as_they_are_done_with_the_numbers_of_their_values() {
    on_a_paused_clock(|| async {
        let got = results(Workers::new(10..=10).inbox(10).unordered()).await;
        assert_eq!(got, (0..10).rev().map(|n| (n, n)).collect::<Vec<_>>());
    });
}

/// What waits for its turn is in the window: a slow first one stops the pool, and does not fill it.
#[test]
fn what_waits_for_its_turn_counts() {
    on_a_paused_clock(|| async {
        let (inbox, mut pool) = Workers::new(4..=4)
            .inbox(5)
            .ordered()
            .spawn(|n: u64| async move {
                tokio::time::sleep(Duration::from_secs(if n == 0 { 60 } else { 0 })).await;
                Ok::<_, Failure>(n)
            })
            .unwrap();
        for n in 0..5 {
            inbox.submit(n).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(pool.meter().stats().served, 4);
        assert!(inbox.try_submit(5).is_err());
        for n in 0..5 {
            assert_eq!(*pool.recv().await.unwrap().unwrap(), n);
        }
    });
}

/// Many small ones through many workers, from a source that is always ready.
#[test]
fn ten_thousand_in_order() {
    on_both_runtimes(|| async {
        let mut pool = from_stream(stream::iter(0..10_000_u64))
            .spawn_workers(Workers::new(8..=8).inbox(64).batch(4).ordered(), |n| async move {
                if n % 7 == 0 {
                    tokio::task::yield_now().await;
                }
                Ok::<_, Failure>(n)
            })
            .unwrap();
        let mut expected = 0;
        while let Some(chunk) = pool.recv().await.unwrap() {
            assert_eq!(*chunk, expected);
            expected += 1;
        }
        assert_eq!(expected, 10_000);
    });
}
