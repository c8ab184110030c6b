//! Buffers that were frozen: when they are used again, and that nobody waits for them in vain.

use crate::support::{Dice, on_both_runtimes, poll_once};
use crate::{SIZE, pool};
use bytes::Bytes;
use std::collections::VecDeque;

async fn page(pool: &credit_channel::pool::BufferPool, n: u64) -> Bytes {
    let mut buf = pool.take().await;
    buf.extend_from_slice(&n.to_be_bytes());
    buf.freeze()
}

/// A window of four and a pool of five, frozen pages done in any order: five buffers for 10,000 pages, and no view ever
/// shows another page.
#[test]
fn frozen_buffers_are_used_again_once_their_views_are_gone() {
    on_both_runtimes(|| async {
        let pool = pool(5);
        let mut dice = Dice::new(5);
        let mut in_flight = Vec::new();
        for n in 0..10_000 {
            in_flight.push((n, page(&pool, n).await));
            let shown = in_flight.iter().all(|(n, page)| page[..] == n.to_be_bytes());
            assert!(shown, "a buffer was used again too early");
            if in_flight.len() > 4 {
                let which = dice.below(5);
                let (n, page) = in_flight.swap_remove(usize::try_from(which).unwrap());
                // Its last view is a part of it.
                let part = page.slice(4..);
                drop(page);
                assert_eq!(part[..], n.to_be_bytes()[4..]);
            }
        }
        let stats = pool.stats();
        assert_eq!((stats.made, stats.misses, stats.taken), (5, 0, 10_000));
        assert_eq!((stats.home + stats.frozen, stats.out, stats.waits), (5, 0, 0));
    });
}

/// `Bytes` says nothing when its last view goes: so nobody waits for that.
#[test]
fn nobody_waits_for_a_frozen_buffer() {
    on_both_runtimes(|| async {
        let pool = pool(2);
        let mut in_flight: VecDeque<Bytes> = VecDeque::new();
        for n in 0..10 {
            in_flight.push_back(page(&pool, n).await);
        }
        let stats = pool.stats();
        assert_eq!((stats.made, stats.misses, stats.frozen, stats.waits), (10, 8, 2, 0), "two of them are kept");
        for (n, page) in (0_u64..).zip(&in_flight) {
            assert_eq!(page[..], n.to_be_bytes());
        }
        in_flight.clear();
        for n in 0..10 {
            drop(page(&pool, n).await);
        }
        assert_eq!((pool.stats().made, pool.stats().misses), (10, 8), "the two are used again");
    });
}

/// A view that stays for ever costs one miss, and not the pool.
#[test]
fn a_straggler_is_let_go_of() {
    on_both_runtimes(|| async {
        let pool = pool(3);
        let straggler = page(&pool, 7).await;
        let mut in_flight = VecDeque::new();
        for n in 0..1000 {
            in_flight.push_back(page(&pool, n).await);
            if in_flight.len() > 2 {
                in_flight.pop_front();
            }
        }
        assert_eq!((pool.stats().made, pool.stats().misses), (4, 1));
        assert_eq!(straggler[..], 7_u64.to_be_bytes());
    });
}

/// Freezing frees the place: who waits for one is served, with another buffer if there is something in this one.
#[test]
fn freezing_serves_the_next_in_line() {
    on_both_runtimes(|| async {
        for (content, misses) in [(&b""[..], 0), (b"ledger", 1)] {
            let pool = pool(1);
            let mut held = pool.take().await;
            held.extend_from_slice(content);
            let mut waiting = Box::pin(pool.take());
            assert!(poll_once(&mut waiting).await.is_pending());
            let view = held.freeze();
            let next = waiting.await;
            assert!(next.is_empty() && next.capacity() >= SIZE);
            assert_eq!(view, content);
            assert_eq!(pool.stats().misses, misses);
        }
    });
}

/// The other way to a `Bytes`: it counts until its last view is gone, and its coming home is heard.
#[test]
fn bytes_that_own_their_buffer_keep_its_place() {
    on_both_runtimes(|| async {
        let pool = pool(1);
        let mut buf = pool.take().await;
        buf.extend_from_slice(b"ledger");
        let page = Bytes::from_owner(buf);
        let part = page.slice(..3);
        assert!(pool.try_take().is_none());
        let mut waiting = Box::pin(pool.take());
        assert!(poll_once(&mut waiting).await.is_pending());
        drop(page);
        assert!(poll_once(&mut waiting).await.is_pending(), "a part of it is left");
        assert_eq!(part[..], b"led"[..]);
        std::thread::spawn(move || drop(part));
        assert!(waiting.await.is_empty());
        assert_eq!((pool.stats().made, pool.stats().misses, pool.stats().waits), (1, 0, 1));
    });
}
