//! I3, I7: what is reserved is held, used once, or comes back.

use crate::support::{assert_balanced, on_both_runtimes, panics, poll_once};
use credit_channel::{Builder, Credit, Window, channel, weighted};

fn amounts(credit: Credit) -> (u64, u64) {
    (credit.messages(), credit.bytes())
}

#[test]
fn permit_holds_its_credit_until_it_is_used_or_dropped() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::messages(2).and_bytes(10)).unwrap();
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
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn permits_for_many_are_there_all_at_once_or_not_at_all() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
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
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn owned_permit_goes_into_a_task_and_gives_its_producer_back() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let permit = tx.clone().reserve_owned().await.unwrap();
        assert_eq!(tx.stats().producers, 2);
        let task = tokio::spawn(async move { permit.send(1).unwrap().end() });
        task.await.unwrap();
        assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), 1);
        // Released, and dropped.
        let producer = tx.clone().reserve_owned().await.unwrap().release();
        assert_balanced(tx.stats(), true);
        drop(producer.try_reserve_owned().unwrap());
        assert_balanced(tx.stats(), true);
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
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        for _ in 0..10 {
            let mut gives_up = Box::pin(tx.reserve());
            assert!(poll_once(&mut gives_up).await.is_pending());
        }
        let mut served = Box::pin(tx.reserve());
        assert!(poll_once(&mut served).await.is_pending());
        drop(rx.recv().await.unwrap());
        assert_eq!((tx.stats().reserved.messages(), tx.stats().waiting), (1, 0));
        drop(served);
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn permit_survives_a_panicking_weigher() {
    let weigh = |value: &u64| if *value == 13 { std::panic::resume_unwind(Box::new("unlucky")) } else { 4 };
    let (tx, mut rx) = Builder::new(Window::bytes(10)).weigh_with(weigh).open().unwrap();
    let permit = tx.try_reserve_bytes(5).unwrap();
    assert!(panics(|| drop(permit.send(13))));
    assert_balanced(tx.stats(), true);
    let owned = tx.clone().try_reserve_owned().unwrap();
    assert!(panics(|| drop(owned.send(13).map(drop))));
    assert_balanced(tx.stats(), true);
    assert!(panics(|| drop(tx.try_send(13))));
    assert!(panics(|| drop(tx.send(13))));
    tx.try_send(12).unwrap();
    drop(rx.try_recv().unwrap());
    assert_balanced(tx.stats(), true);
}

#[test]
fn send_polled_after_completion_costs_no_credit() {
    on_both_runtimes(|| async {
        let (tx, _rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut send = tx.send(1);
        assert!(poll_once(&mut send).await.is_ready());
        let again = panics(|| drop(crate::support::poll_with(std::task::Waker::noop(), std::pin::Pin::new(&mut send))));
        assert!(again, "a future that is over says so");
        drop(send);
        assert_eq!((tx.depth().messages(), tx.stats().reserved.messages()), (1, 0));
    });
}
