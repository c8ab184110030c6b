//! I9: a million sends that are given up leave nothing behind.
//!
//! A test binary of its own, so that the resident memory it measures is its own. (An allocator that counts would need
//! unsafe code, which this package forbids; so it reads what Linux says of the process.)
#![cfg(not(credit_channel_loom))]

mod support;

use credit_channel::{Window, channel};
use std::task::Waker;
use support::{LONG_WATCHDOG, assert_balanced, on_both_runtimes_within, poll_with};

/// A waker that was left behind would cost more than 24 bytes: 24 MB in all.
const ABORTS: u32 = 1_000_000;
const ALLOWED_KIB: u64 = 4 * 1024;

/// Resident memory in KiB, where the system says.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Astro36/qp#3: each acquire that was given up left its waker in the queue.
#[test]
fn report_67_million_aborted_calls_leave_nothing() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let in_hand = rx.recv().await.unwrap().unwrap();
        let mut abort_all = |times: u32| {
            for _ in 0..times {
                assert!(poll_with(Waker::noop(), std::pin::pin!(tx.send(1))).is_pending());
                assert!(poll_with(Waker::noop(), std::pin::pin!(rx.recv())).is_pending());
                assert!(poll_with(Waker::noop(), std::pin::pin!(tx.closed())).is_pending());
            }
        };
        // Once around to warm up what is kept.
        abort_all(1000);
        let before = resident_kib();
        abort_all(ABORTS);
        let after = resident_kib();
        assert_eq!((tx.stats().waiting, tx.stats().parks), (0, u64::from(ABORTS) + 1000));
        match (before, after) {
            (Some(before), Some(after)) => {
                assert!(after.saturating_sub(before) < ALLOWED_KIB, "grew from {before} to {after} KiB");
            }
            _ => println!("SKIPPED: this system does not say how much memory is resident; the counts were checked"),
        }
        drop(in_hand);
        assert_balanced(tx.stats(), true);
        tx.send(2).await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 2);
    });
}

/// A thousand senders in line at once, over and over: the room for them is given back.
#[test]
fn line_that_was_long_once_shrinks_again() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let in_hand = rx.recv().await.unwrap().unwrap();
        for _ in 0..100 {
            let mut line: Vec<_> = (0..1000).map(|item| Box::pin(tx.send(item))).collect();
            for send in &mut line {
                assert!(poll_with(Waker::noop(), send.as_mut()).is_pending());
            }
            assert_eq!(tx.stats().waiting, 1000);
            drop(line);
            assert_eq!(tx.stats().waiting, 0);
        }
        drop(in_hand);
        assert_balanced(tx.stats(), true);
    });
}
