//! Times that are counted: how full the window was, how long the ends waited, how long work took. On a paused clock
//! they are exact.

use crate::support::on_a_paused_clock;
use credit_channel::{Stats, Window, WorkTimes, channel, weighted};
use std::time::Duration;
use tokio::time::sleep;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn assert_sums(stats: &Stats) {
    assert_eq!(stats.depth_times.total(), stats.elapsed, "every moment is at some depth: {stats:?}");
    assert_eq!(stats.work.histogram.iter().sum::<u64>(), stats.work.timed, "{stats:?}");
}

/// Full while a sender is parked, part of the window otherwise.
#[test]
fn depth_times_follow_the_depth() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(4)).unwrap();
        sleep(ms(10)).await;
        assert_eq!(tx.stats().depth_times.empty, ms(10));
        tx.send(0).await.unwrap();
        let _look = tx.stats();
        sleep(ms(20)).await;
        assert_eq!(tx.stats().depth_times.quarters, [ms(20), ms(0), ms(0), ms(0)]);
        for n in 1..4 {
            tx.send(n).await.unwrap();
        }
        let parked = tokio::spawn(async move {
            tx.send(4).await.unwrap();
            tx
        });
        sleep(ms(40)).await;
        assert_eq!(rx.stats().depth_times.full, ms(40), "the park in progress counts");
        drop(rx.recv().await.unwrap());
        let tx = parked.await.unwrap();
        sleep(ms(5)).await;
        let stats = tx.stats();
        assert_eq!(stats.depth_times.full, ms(45), "four are in flight again");
        assert_eq!((stats.park_time, stats.transport_park_time), (ms(40), ms(0)));
        assert!((stats.depth_times.share_full() - 0.6).abs() < 1e-9, "{stats:?}");
        assert_sums(&stats);
    });
}

/// Idle is who waits with nothing in flight, and not who waits while others work.
#[test]
fn idle_time_is_waiting_with_nothing_in_flight() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(4)).unwrap();
        let numbers = rx.meter();
        let consumer = tokio::spawn(async move {
            let first = rx.recv().await.unwrap().unwrap();
            let second = rx.recv().await.unwrap().unwrap();
            drop((first, second));
            drop(rx.recv().await.unwrap());
            rx
        });
        sleep(ms(10)).await;
        assert_eq!(numbers.stats().idle_time, ms(10), "the wait in progress counts");
        tx.send(0).await.unwrap();
        sleep(ms(20)).await;
        assert_eq!(numbers.stats().idle_time, ms(10), "the first is being worked on");
        tx.send(1).await.unwrap();
        sleep(ms(40)).await;
        tx.send(2).await.unwrap();
        let _rx = consumer.await.unwrap();
        assert_eq!(numbers.stats().idle_time, ms(50));
        assert_sums(&numbers.stats());
    });
}

/// Slow work is timed chunk by chunk, from the first that is found to be slow.
#[test]
fn slow_work_is_timed() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(4)).unwrap();
        for n in 0..100_u64 {
            tx.send(n).await.unwrap();
            let chunk = rx.recv().await.unwrap().unwrap();
            sleep(ms(3)).await;
            assert_eq!(tx.stats().oldest_work.is_some(), n > 0, "all but the first");
            assert_eq!(tx.stats().oldest_work.unwrap_or_else(|| ms(3)), ms(3));
            drop(chunk);
        }
        let stats = tx.stats();
        assert_eq!((stats.work.timed, stats.work.mean()), (99, Some(ms(3))));
        assert_eq!(stats.oldest_work, None);
        assert_eq!(WorkTimes::upper_end(6), Some(Duration::from_micros(4096)));
        assert_eq!(stats.work.histogram[6], 99, "{stats:?}");
        assert_sums(&stats);
    });
}

/// Where work is fast ever fewer chunks are timed: those after 1, 2, 4, ... 1,024, and then one in 1,024.
#[test]
fn fast_work_is_sampled() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(4)).unwrap();
        for n in 0..6400 {
            tx.send(n).await.unwrap();
            drop(rx.recv().await.unwrap());
        }
        assert_eq!(tx.stats().work.timed, 11 + 5);
        assert_eq!(tx.stats().work.histogram[0], 11 + 5);
    });
}

/// Work that was fast for long and becomes slow is noticed within a batch, not after a thousand chunks more.
#[test]
fn work_that_becomes_slow_is_timed() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(8)).unwrap();
        for n in 0..5000 {
            tx.send(n).await.unwrap();
            drop(rx.recv().await.unwrap());
        }
        let fast = tx.stats().work.timed;
        let producer = tokio::spawn(async move {
            for n in 0..100 {
                tx.send(n).await.unwrap();
            }
            tx.end();
        });
        while let Some(chunk) = rx.recv().await.unwrap() {
            sleep(ms(3)).await;
            drop(chunk);
        }
        producer.await.unwrap();
        let work = rx.stats().work;
        assert!(work.timed - fast >= 100 - 2 * 8, "{work:?}");
        assert_eq!(work.histogram[6], work.timed - fast, "3 ms each");
    });
}

/// However the work ends it was work; parts that come home early are not its end.
#[test]
fn work_ends_with_the_last_of_its_guard() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(1000)).unwrap();
        for _ in 0..4 {
            tx.send(vec![0; 100]).await.unwrap();
        }
        drop(rx.recv().await.unwrap());
        let mut split = rx.recv().await.unwrap().unwrap();
        split.guard_mut().release(60).unwrap();
        let part = split.guard_mut().split(20).unwrap();
        sleep(ms(2)).await;
        assert_eq!(tx.stats().work.timed, 0);
        drop(split);
        assert_eq!((tx.stats().work.timed, tx.stats().work.total), (1, ms(2)));
        drop(part);
        assert_eq!(tx.stats().work.timed, 1);

        let forgotten = rx.recv().await.unwrap().unwrap();
        forgotten.into_parts().1.forget();
        assert_eq!((tx.stats().work.timed, tx.stats().oldest_work), (1, None), "nobody will say when that is done");

        let leaked = rx.recv().await.unwrap().unwrap();
        std::mem::forget(leaked.into_parts().1);
        sleep(ms(70)).await;
        assert_eq!(tx.stats().oldest_work, Some(ms(70)));
        drop(rx);
        assert_eq!(tx.stats().oldest_work, Some(ms(70)), "the consumer is gone, and it is still out");
    });
}
