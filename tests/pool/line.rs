//! Taking: at once, in line, or not at all; and coming home.

use crate::support::{CountingWaker, on_both_runtimes, poll_once, poll_with, until};
use crate::{SIZE, pool};
use credit_channel::pool::PooledBuf;
use credit_channel::{Weigh, Window, weighted};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn a_buffer_comes_home_cleared_and_whole() {
    on_both_runtimes(|| async {
        let pool = pool(1);
        let mut buf = pool.take().await;
        assert!(buf.is_empty() && buf.capacity() >= SIZE);
        buf.extend_from_slice(b"ledger");
        assert_eq!((buf.weight_bytes(), buf.as_ref()), (6, &b"ledger"[..]));
        let address = buf.as_ptr().addr();
        // What was split off and is gone, and what was read from the front, is no loss.
        drop(buf.split_to(2));
        bytes::Buf::advance(&mut *buf, 2);
        drop(buf);
        let buf = pool.take().await;
        assert_eq!((buf.len(), buf.as_ptr().addr()), (0, address));
        assert!(buf.capacity() >= SIZE);
        drop(buf);
        let stats = pool.stats();
        assert_eq!((stats.home, stats.out, stats.frozen), (1, 0, 0));
        assert_eq!((stats.taken, stats.made, stats.misses, stats.outgrown), (2, 1, 0, 0));
    });
}

/// What the pool keeps stays what was asked for, whatever is done with a buffer.
#[test]
fn one_that_has_grown_or_was_swapped_does_not_stay() {
    on_both_runtimes(|| async {
        let pool = pool(1);
        let mut buf = pool.take().await;
        buf.resize(10 * SIZE, 7);
        drop(buf);
        assert_eq!((pool.stats().home, pool.stats().outgrown), (0, 1));
        // Also if what is left of it looks small: views that are gone, and a front that was read.
        let mut buf = pool.take().await;
        buf.resize(10 * SIZE, 7);
        bytes::Buf::advance(&mut *buf, 9 * SIZE);
        drop(buf);
        assert_eq!((pool.stats().home, pool.stats().outgrown), (0, 2));
        let mut buf = pool.take().await;
        buf.resize(10 * SIZE, 7);
        let view = buf.split_to(9 * SIZE + 1);
        drop(buf);
        drop(view);
        let mut buf = pool.take().await;
        assert_eq!((pool.stats().home, pool.stats().outgrown), (0, 3));
        // Taken out of it: it is the caller's, and another takes its place.
        let theirs = std::mem::take(&mut *buf);
        drop(buf);
        assert!(theirs.capacity() >= SIZE);
        assert!(pool.take().await.capacity() >= SIZE);
        let stats = pool.stats();
        assert_eq!((stats.home, stats.misses, stats.made), (1, 1, 5));
    });
}

#[test]
fn who_finds_none_waits_in_line() {
    on_both_runtimes(|| async {
        let pool = pool(2);
        let (first, second) = (pool.take().await, pool.take().await);
        assert!(pool.try_take().is_none());
        let (wakes, waker) = CountingWaker::new();
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(pool.take())).collect();
        for take in &mut waiting {
            assert!(poll_with(&waker, take.as_mut()).is_pending());
        }
        assert_eq!((pool.stats().waiting, pool.stats().waits), (3, 3));
        drop(second);
        assert_eq!(wakes.wakes(), 1, "one for one");
        assert!(pool.try_take().is_none(), "it is the first one's");
        for late in [2, 1] {
            assert!(poll_with(&waker, waiting[late].as_mut()).is_pending(), "{late}");
        }
        // The first gives up what it was served: to the second.
        drop(waiting.remove(0));
        assert_eq!(wakes.wakes(), 2);
        let third = poll_once(&mut waiting[0]).await;
        assert!(third.is_ready());
        drop(waiting);
        drop((first, third));
        assert_eq!((pool.stats().home, pool.stats().out, pool.stats().waiting), (2, 0, 0));
    });
}

#[test]
fn a_take_that_is_dropped_loses_nothing() {
    on_both_runtimes(|| async {
        let pool = pool(1);
        for _ in 0..1000 {
            let held = pool.take().await;
            {
                let mut waiting = pin!(pool.take());
                assert!(poll_once(&mut waiting).await.is_pending());
            }
            drop(held);
        }
        assert!(pool.try_take().is_some());
        assert_eq!((pool.stats().made, pool.stats().taken), (1, 1001));
    });
}

/// From many tasks at once: never more out than there are, and nobody is forgotten.
#[test]
fn as_many_are_out_as_there_are() {
    on_both_runtimes(|| async {
        const COUNT: u64 = 3;
        let pool = pool(COUNT);
        let (out, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let tasks: Vec<_> = (0..8)
            .map(|task: u64| {
                let (pool, out, most) = (pool.clone(), Arc::clone(&out), Arc::clone(&most));
                tokio::spawn(async move {
                    for turn in 0..200_u64 {
                        let mut buf = pool.take().await;
                        most.fetch_max(out.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        assert!(buf.is_empty());
                        buf.extend_from_slice(&task.to_be_bytes());
                        tokio::task::yield_now().await;
                        assert_eq!(buf[..], task.to_be_bytes());
                        out.fetch_sub(1, Ordering::SeqCst);
                        if turn % 3 == 0 {
                            drop(buf.freeze());
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let stats = pool.stats();
        assert_eq!(most.load(Ordering::SeqCst), COUNT);
        assert_eq!((stats.out, stats.home + stats.frozen, stats.taken), (0, COUNT, 1600));
        // A view may be looked at just before it goes: then another buffer was made.
        assert_eq!(stats.made, COUNT + stats.misses);
    });
}

/// The pool and its handles may be gone; and the buffer may come home in a panic.
#[test]
fn a_buffer_may_outlive_the_pool() {
    let pool = pool(1);
    let buf = pool.try_take().unwrap();
    drop(pool);
    let page = buf.freeze();
    assert!(page.is_empty());

    let pool = crate::pool(1);
    let unwound = std::thread::spawn({
        let pool = pool.clone();
        move || {
            let _buf = pool.try_take().unwrap();
            panic!("on purpose");
        }
    });
    assert!(unwound.join().is_err());
    assert!(pool.try_take().is_some());
}

/// A pool of one more than the window: the window is what is waited for.
#[test]
fn pooled_buffers_are_payloads() {
    on_both_runtimes(|| async {
        let pool = pool(5);
        let (tx, mut rx) = weighted::<PooledBuf>(Window::messages(4).and_bytes(1 << 20)).unwrap();
        let source = tokio::spawn({
            let pool = pool.clone();
            async move {
                for n in 0..1000_u64 {
                    let mut buf = pool.take().await;
                    buf.extend_from_slice(&n.to_be_bytes());
                    assert!(tx.send(buf).await.is_ok());
                }
                tx.end_and_wait().await.unwrap();
            }
        });
        let mut expected = 0_u64;
        while let Some(page) = rx.recv().await.unwrap() {
            assert_eq!(page[..], expected.to_be_bytes());
            expected += 1;
        }
        source.await.unwrap();
        until(|| pool.stats().out == 0).await;
        let stats = pool.stats();
        assert_eq!(expected, 1000);
        assert_eq!((stats.waits, stats.misses, stats.taken), (0, 0, 1000));
        assert!(stats.made <= 5);
    });
}
