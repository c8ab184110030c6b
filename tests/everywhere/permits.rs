//! I3, I7: what is reserved is held, used once, or comes back.

use crate::support::carrier::{everywhere, is_back, wherever_bytes_count};
use crate::support::{assert_balanced, poll_once, until};
use credit_channel::{Credit, Window};

fn amounts(credit: Credit) -> (u64, u64) {
    (credit.messages(), credit.bytes())
}

#[test]
fn permit_holds_its_credit_until_it_is_used_or_dropped() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open::<Vec<u8>>(Window::messages(2).and_bytes(10)).await;
        let permit = tx.reserve_bytes(8).await.unwrap();
        assert_eq!((amounts(permit.credit()), amounts(tx.stats().reserved)), ((1, 8), (1, 8)));
        assert_eq!((amounts(tx.credit()), amounts(tx.depth())), ((1, 2), (0, 0)));
        assert!(tx.try_send(vec![0; 3]).unwrap_err().is_full());
        let mut waits = tx.send(vec![0; 3]);
        assert!(poll_once(&mut waits).await.is_pending());
        // A smaller value than was reserved for: the rest goes back, and to whom it lets through.
        permit.send(vec![0; 5]).unwrap();
        waits.await.unwrap();
        assert_eq!(amounts(tx.depth()), (2, 8));
        drop((rx.recv().await.unwrap(), rx.recv().await.unwrap()));
        drop(tx.reserve().await.unwrap());
        is_back(&tx).await;
    });
}

#[test]
fn permits_for_many_are_there_all_at_once_or_not_at_all() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        tx.send(0).await.unwrap();
        let mut four = Box::pin(tx.reserve_many(4));
        assert!(poll_once(&mut four).await.is_pending());
        assert_eq!((tx.stats().reserved.messages(), tx.credit().messages()), (0, 3), "nothing is held before all is");
        drop(rx.recv().await.unwrap());
        let mut four = four.await.unwrap();
        assert_eq!((four.len(), tx.credit().messages()), (4, 0));
        four.next().unwrap().send(1).unwrap();
        drop(four.next());
        assert_eq!((four.len(), tx.credit().messages()), (2, 1));
        let kept = four.next().unwrap();
        drop(four);
        assert_eq!((tx.credit().messages(), tx.stats().reserved.messages()), (2, 1));
        kept.send(2).unwrap();
        assert_eq!(tx.reserve_many(0).await.unwrap().count(), 0);
        for item in 1..=2 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
        is_back(&tx).await;
    });
}

#[test]
fn owned_permit_goes_into_a_task_and_gives_its_producer_back() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        let permit = tx.clone().reserve_owned().await.unwrap();
        assert_eq!(tx.stats().producers, 2);
        let task = tokio::spawn(async move { permit.send(1).unwrap().end() });
        task.await.unwrap();
        assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), 1);
        // Released, and dropped.
        let producer = tx.clone().reserve_owned().await.unwrap().release();
        is_back(&tx).await;
        drop(producer.try_reserve_owned().unwrap());
        is_back(&tx).await;
        assert_eq!(tx.stats().producers, 1);
        // The credit is back before the producer goes, so that whoever waits is served before the end.
        let last = tx.try_reserve_owned().unwrap();
        drop(last);
        assert!(rx.recv().await.is_err(), "it went without end");
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn reservation_given_up_in_line_loses_its_place_only() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(0).await.unwrap();
        for _ in 0..10 {
            let mut gives_up = Box::pin(tx.reserve());
            assert!(poll_once(&mut gives_up).await.is_pending());
        }
        let mut served = Box::pin(tx.reserve());
        assert!(poll_once(&mut served).await.is_pending());
        drop(rx.recv().await.unwrap());
        until(|| (tx.stats().reserved.messages(), tx.stats().waiting) == (1, 0)).await;
        drop(served);
        is_back(&tx).await;
    });
}
