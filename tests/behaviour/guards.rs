//! I2, I3: guards taken apart, shared, joined and let go, in each kind of window.

use crate::support::{assert_balanced, on_both_runtimes, panics, poll_once};
use credit_channel::{
    Chunk, Credit, CreditConsumer, CreditProducer, GuardError, WeakProducer, Window, channel, weighted,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const KINDS: [fn() -> Window; 3] =
    [|| Window::messages(4), || Window::bytes(100), || Window::messages(4).and_bytes(100)];

async fn one(tx: &CreditProducer<Vec<u8>>, rx: &mut CreditConsumer<Vec<u8>>, size: usize) -> Chunk<Vec<u8>> {
    tx.send(vec![7; size]).await.unwrap();
    rx.recv().await.unwrap().unwrap()
}

fn amounts(credit: Credit) -> (u64, u64) {
    (credit.messages(), credit.bytes())
}

#[test]
fn part_of_the_bytes_comes_home_early_and_the_message_last() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted(Window::messages(1).and_bytes(100)).unwrap();
        let (_value, mut guard) = one(&tx, &mut rx, 100).await.into_parts();
        let mut next = tx.send(vec![0; 60]);
        guard.release(60).unwrap();
        assert_eq!(amounts(guard.cost()), (1, 40));
        assert_eq!(amounts(tx.credit()), (0, 60));
        assert!(poll_once(&mut next).await.is_pending(), "the bytes are there, the message is not");
        guard.release(40).unwrap();
        assert_eq!(amounts(guard.cost()), (1, 0));
        assert!(poll_once(&mut next).await.is_pending());
        drop(guard);
        next.await.unwrap();
    });
}

#[test]
fn guard_gives_no_more_than_it_holds() {
    on_both_runtimes(|| async {
        for kind in KINDS {
            let (tx, mut rx) = weighted(kind()).unwrap();
            let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
            let held = if kind().byte_limit().is_some() { 10 } else { 1 };
            assert_eq!(guard.release(held + 1), Err(GuardError { asked: held + 1, held }));
            assert_eq!(guard.split(u64::MAX).map(drop), Err(GuardError { asked: u64::MAX, held }));
            assert_eq!(amounts(tx.depth()), amounts(guard.cost()), "nothing was given");
            guard.release(0).unwrap();
            guard.release(held).unwrap();
            drop(guard);
            assert_balanced(tx.stats(), true);
        }
    });
}

#[test]
fn split_guards_return_their_parts_each_and_merge_again() {
    on_both_runtimes(|| async {
        for kind in KINDS {
            let (tx, mut rx) = weighted(kind()).unwrap();
            let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
            let whole = guard.cost();
            let part = guard.split(1).unwrap();
            assert_eq!(amounts(tx.depth()), amounts(whole), "splitting returns nothing");
            let task = tokio::spawn(async move { drop(part) });
            task.await.unwrap();
            let home = if kind().byte_limit().is_some() { (0, 1) } else { (1, 0) };
            assert_eq!(amounts(tx.stats().released), home);

            let (_other, second) = one(&tx, &mut rx, 5).await.into_parts();
            guard.merge(second).unwrap();
            assert_eq!(amounts(guard.cost()), amounts(tx.depth()));
            drop(guard);
            assert_balanced(tx.stats(), true);
        }
    });
}

#[test]
fn guards_of_two_channels_do_not_merge() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted(Window::bytes(100)).unwrap();
        let (other_tx, mut other_rx) = weighted(Window::bytes(100)).unwrap();
        let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
        let (_other, foreign) = one(&other_tx, &mut other_rx, 20).await.into_parts();
        let foreign = guard.merge(foreign).unwrap_err();
        assert_eq!((guard.cost().bytes(), foreign.cost().bytes()), (10, 20));
        drop((guard, foreign));
        assert_balanced(tx.stats(), true);
        assert_balanced(other_tx.stats(), true);
    });
}

#[test]
fn forgotten_credit_is_gone_and_counted_and_nobody_waits_for_it() {
    on_both_runtimes(|| async {
        for kind in KINDS {
            let (tx, mut rx) = weighted(kind()).unwrap();
            let cost = one(&tx, &mut rx, 10).await.cost();
            one(&tx, &mut rx, 10).await.into_parts().1.forget();
            let stats = tx.stats();
            assert_eq!((stats.forgotten, stats.depth), (cost, cost));
            assert_balanced(stats, false);
            tx.finished().await.unwrap();
            tx.end_and_wait().await.unwrap();
        }
    });
}

#[test]
fn map_carries_the_credit_also_through_a_panic() {
    on_both_runtimes(|| async {
        for kind in KINDS {
            let (tx, mut rx) = weighted(kind()).unwrap();
            let chunk = one(&tx, &mut rx, 10).await;
            let (cost, seq) = (chunk.cost(), chunk.seq());
            let mut length = chunk.map(|value| value.len());
            assert_eq!((*length, length.cost(), length.seq(), tx.depth()), (10, cost, seq, cost));
            *length += 90; // what it cost stays what it cost
            assert_eq!(length.cost(), cost);
            assert!(panics(|| drop(length.map(|_| std::panic::resume_unwind(Box::new("no"))))));
            assert_balanced(tx.stats(), true);
        }
    });
}

#[test]
fn into_inner_returns_at_once_and_into_parts_with_the_guard() {
    on_both_runtimes(|| async {
        for kind in KINDS {
            let (tx, mut rx) = weighted(kind()).unwrap();
            let value = one(&tx, &mut rx, 10).await.into_inner();
            assert_balanced(tx.stats(), true);
            let (second, guard) = one(&tx, &mut rx, 10).await.into_parts();
            drop((value, second));
            assert_eq!(tx.depth(), guard.cost(), "the guard is what counts");
            drop(guard);
            assert_balanced(tx.stats(), true);
        }
    });
}

#[test]
fn empty_values_cost_one_byte() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted(Window::bytes(3)).unwrap();
        for _ in 0..3 {
            tx.try_send(vec![]).unwrap();
        }
        assert!(tx.try_send(vec![]).unwrap_err().is_full(), "a stream of empty values is bounded too");
        assert_eq!(rx.recv().await.unwrap().unwrap().cost().bytes(), 1);
        tx.try_send(vec![]).unwrap();
    });
}

/// Notes the depth of its channel at the moment of its drop.
struct Sees {
    channel: WeakProducer<Self>,
    depth: Arc<AtomicU64>,
}

impl Drop for Sees {
    fn drop(&mut self) {
        if let Some(tx) = self.channel.upgrade() {
            self.depth.store(tx.depth().messages(), Ordering::SeqCst);
            tx.end();
        }
    }
}

#[test]
fn value_is_gone_before_its_credit_is_back() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<Sees>(Window::messages(2)).unwrap();
        let depth = Arc::new(AtomicU64::new(0));
        tx.send(Sees { channel: tx.downgrade(), depth: Arc::clone(&depth) }).await.unwrap();
        drop(rx.recv().await.unwrap());
        assert_eq!((depth.load(Ordering::SeqCst), tx.depth().messages()), (1, 0));
    });
}
