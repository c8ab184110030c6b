//! I2, I3: guards taken apart, shared, joined and let go, in each kind of window.

use crate::support::carrier::{Carrier, Open, everywhere, is_back, wherever_bytes_count};
use crate::support::{assert_balanced, panics, poll_once, until};
use credit_channel::{Chunk, Credit, CreditConsumer, CreditProducer, GuardError, Window};

/// The kinds of windows; over a transport one of bytes counts messages too.
fn kinds(carrier: Carrier) -> Vec<Window> {
    let mut kinds = vec![Window::messages(4)];
    if carrier != Carrier::Mpsc {
        kinds.extend([Window::bytes(100).and_messages(100), Window::messages(4).and_bytes(100)]);
    }
    if carrier == Carrier::InProcess {
        kinds.push(Window::bytes(100));
    }
    kinds
}

async fn one(tx: &CreditProducer<Vec<u8>>, rx: &mut CreditConsumer<Vec<u8>>, size: usize) -> Chunk<Vec<u8>> {
    tx.send(vec![7; size]).await.unwrap();
    rx.recv().await.unwrap().unwrap()
}

fn amounts(credit: Credit) -> (u64, u64) {
    (credit.messages(), credit.bytes())
}

#[test]
fn part_of_the_bytes_comes_home_early_and_the_message_last() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open(Window::messages(1).and_bytes(100)).await;
        let (_value, mut guard) = one(&tx, &mut rx, 100).await.into_parts();
        let mut next = tx.send(vec![0; 60]);
        assert!(poll_once(&mut next).await.is_pending());
        guard.release(60).unwrap();
        assert_eq!(amounts(guard.cost()), (1, 40));
        until(|| amounts(tx.credit()) == (0, 60)).await;
        assert!(poll_once(&mut next).await.is_pending(), "the bytes are there, the message is not");
        guard.release(40).unwrap();
        assert_eq!(amounts(guard.cost()), (1, 0));
        until(|| amounts(tx.credit()) == (0, 100)).await;
        assert!(poll_once(&mut next).await.is_pending());
        drop(guard);
        next.await.unwrap();
    });
}

#[test]
fn guard_gives_no_more_than_it_holds() {
    everywhere(|carrier| async move {
        for kind in kinds(carrier) {
            let (tx, mut rx) = carrier.open(kind).await;
            let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
            let held = if kind.byte_limit().is_some() { 10 } else { 1 };
            assert_eq!(guard.release(held + 1), Err(GuardError { asked: held + 1, held }));
            assert_eq!(guard.split(u64::MAX).map(drop), Err(GuardError { asked: u64::MAX, held }));
            assert_eq!(amounts(tx.depth()), amounts(guard.cost()), "nothing was given");
            guard.release(0).unwrap();
            guard.release(held).unwrap();
            drop(guard);
            is_back(&tx).await;
        }
    });
}

#[test]
fn split_guards_return_their_parts_each_and_merge_again() {
    everywhere(|carrier| async move {
        for kind in kinds(carrier) {
            let (tx, mut rx) = carrier.open(kind).await;
            let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
            let whole = guard.cost();
            let part = guard.split(1).unwrap();
            assert_eq!(amounts(tx.depth()), amounts(whole), "splitting returns nothing");
            let task = tokio::spawn(async move { drop(part) });
            task.await.unwrap();
            let home = if kind.byte_limit().is_some() { (0, 1) } else { (1, 0) };
            assert_eq!(amounts(rx.stats().released), home);

            let (_other, second) = one(&tx, &mut rx, 5).await.into_parts();
            guard.merge(second).unwrap();
            assert_eq!(amounts(guard.cost()), amounts(rx.stats().depth));
            drop(guard);
            is_back(&tx).await;
        }
    });
}

#[test]
fn guards_of_two_channels_do_not_merge() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open(Window::bytes(100).and_messages(9)).await;
        let (other_tx, mut other_rx) = carrier.open(Window::bytes(100).and_messages(9)).await;
        let (_value, mut guard) = one(&tx, &mut rx, 10).await.into_parts();
        let (_other, foreign) = one(&other_tx, &mut other_rx, 20).await.into_parts();
        let foreign = guard.merge(foreign).unwrap_err();
        assert_eq!((guard.cost().bytes(), foreign.cost().bytes()), (10, 20));
        drop((guard, foreign));
        is_back(&tx).await;
        is_back(&other_tx).await;
    });
}

#[test]
fn forgotten_credit_is_gone_and_counted_and_nobody_waits_for_it() {
    everywhere(|carrier| async move {
        for kind in kinds(carrier) {
            for last in [false, true] {
                let Open { tx, mut rx, line } = carrier.open_line(kind).await;
                let (first, second) = (one(&tx, &mut rx, 10).await, one(&tx, &mut rx, 10).await);
                let cost = first.cost();
                let (forgotten, returned) = if last { (second, first) } else { (first, second) };
                let credit = tx.credit();
                if last {
                    drop(returned);
                    forgotten.into_parts().1.forget();
                } else {
                    forgotten.into_parts().1.forget();
                    drop(returned);
                }
                let stats = rx.stats();
                assert_eq!((stats.forgotten, stats.depth), (cost, cost));
                assert_balanced(stats, false);
                tx.finished().await.unwrap();
                let one_home = (credit.messages() + cost.messages(), credit.bytes() + cost.bytes());
                until(|| amounts(tx.credit()) == one_home).await;
                tx.end_and_wait().await.unwrap();
                assert!(rx.recv().await.unwrap().is_none());
                line.over().await;
            }
        }
    });
}

#[test]
fn map_carries_the_credit_also_through_a_panic() {
    everywhere(|carrier| async move {
        for kind in kinds(carrier) {
            let (tx, mut rx) = carrier.open(kind).await;
            let chunk = one(&tx, &mut rx, 10).await;
            let (cost, seq) = (chunk.cost(), chunk.seq());
            let mut length = chunk.map(|value| value.len());
            assert_eq!((*length, length.cost(), length.seq(), rx.stats().depth), (10, cost, seq, cost));
            *length += 90; // what it cost stays what it cost
            assert_eq!(length.cost(), cost);
            assert!(panics(|| drop(length.map(|_| std::panic::resume_unwind(Box::new("no"))))));
            is_back(&tx).await;
        }
    });
}

#[test]
fn into_inner_returns_at_once_and_into_parts_with_the_guard() {
    everywhere(|carrier| async move {
        for kind in kinds(carrier) {
            let (tx, mut rx) = carrier.open(kind).await;
            let value = one(&tx, &mut rx, 10).await.into_inner();
            is_back(&tx).await;
            let (second, guard) = one(&tx, &mut rx, 10).await.into_parts();
            drop((value, second));
            assert_eq!(tx.depth(), guard.cost(), "the guard is what counts");
            drop(guard);
            is_back(&tx).await;
        }
    });
}

#[test]
fn empty_values_cost_one_byte() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open(Window::bytes(3).and_messages(9)).await;
        for _ in 0..3 {
            tx.try_send(vec![]).unwrap();
        }
        assert!(tx.try_send(vec![]).unwrap_err().is_full(), "a stream of empty values is bounded too");
        assert_eq!(rx.recv().await.unwrap().unwrap().cost().bytes(), 1);
        until(|| tx.credit().bytes() == 1).await;
        tx.try_send(vec![]).unwrap();
    });
}
