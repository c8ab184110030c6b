//! O6: what is too old to be of use.

use crate::support::{assert_balanced, on_a_paused_clock, panics, poll_with};
use crate::{Log, told};
use credit_channel::Window;
use credit_channel::overflow::{Builder, DropReason, Offering, Overflowed, Policy, Verdict};
use credit_channel::stages::Stage;
use std::pin::pin;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;
use tokio::time::advance;

fn living(policy: Policy<u64>, seconds: u64) -> (Offering<u64>, Overflowed<u64>, Log) {
    let log = Log::default();
    let hook = Arc::clone(&log);
    let (tx, rx) = Builder::new(policy, Window::messages(1))
        .time_to_live(Duration::from_secs(seconds))
        .on_drop(move |value, reason| hook.lock().unwrap().push((value, reason)))
        .open()
        .expect("legal limits");
    (tx, rx, log)
}

async fn seconds(n: u64) {
    advance(Duration::from_secs(n)).await;
}

#[test]
fn aged_values_are_dropped_when_one_is_asked_for() {
    on_a_paused_clock(|| async {
        let (tx, mut rx, log) = living(Policy::reject(8), 10);
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        seconds(4).await;
        assert_eq!(tx.offer(2), Ok(Verdict::Accepted));
        seconds(6).await;
        let chunk = rx.recv().await.unwrap().unwrap();
        assert_eq!((*chunk, chunk.seq(), rx.dropped_before()), (2, 1, 1));
        assert_eq!(told(&log), [(1, DropReason::Expired)]);
        drop(chunk);
        assert_eq!(tx.offer(3), Ok(Verdict::Accepted));
        tx.end();
        seconds(10).await;
        assert!(rx.recv().await.unwrap().is_none());
        assert_eq!((rx.stats().dropped.expired, rx.dropped_before()), (2, 1));
        assert_balanced(rx.meter().stats(), true);
    });
}

/// While all credit is out the values age, and what comes when it is back is still of use.
#[test]
fn values_age_while_the_consumer_is_busy() {
    on_a_paused_clock(|| async {
        let (tx, mut rx, log) = living(Policy::reject(8), 10);
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        let busy = rx.recv().await.unwrap().unwrap();
        for n in 2..=5 {
            assert_eq!(tx.offer(n), Ok(Verdict::Accepted));
            seconds(4).await;
        }
        drop(busy);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 4);
        assert_eq!(told(&log), [(2, DropReason::Expired), (3, DropReason::Expired)]);
    });
}

#[test]
fn aged_values_make_room_before_the_policy_is_asked() {
    on_a_paused_clock(|| async {
        let (tx, _rx, log) = living(Policy::drop_newest(1), 10);
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        seconds(9).await;
        assert_eq!(tx.offer(2), Ok(Verdict::Dropped(DropReason::Newest)));
        seconds(1).await;
        assert_eq!(tx.offer(3), Ok(Verdict::Accepted));
        assert_eq!(told(&log), [(2, DropReason::Newest), (1, DropReason::Expired)]);
    });
}

/// The room of an aged value is the first waiter's, and not that of the offer which found it.
#[test]
fn aged_values_make_room_for_those_who_wait() {
    on_a_paused_clock(|| async {
        let (tx, mut rx, log) = living(Policy::wait(1, 4), 10);
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(2).await }
        });
        crate::support::until(|| tx.stats().parked == 1).await;
        seconds(10).await;
        assert!(tx.offer(3).unwrap_err().is_full());
        assert_eq!(parked.await.unwrap(), Ok(Verdict::Accepted));
        assert_eq!(told(&log), [(1, DropReason::Expired)]);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 2, "it has aged since it was let in, and not in line");
    });
}

/// The hook's panic is the consumer's to see; the value that it came for is there at the next call, and no credit is
/// lost.
#[test]
fn a_hook_that_panics_in_the_consumers_poll_costs_nothing_else() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = Builder::new(Policy::reject(8), Window::messages(1))
            .time_to_live(Duration::from_secs(10))
            .on_drop(|_: u64, _| panic!("on purpose"))
            .open()
            .unwrap();
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        seconds(5).await;
        assert_eq!(tx.offer(2), Ok(Verdict::Accepted));
        seconds(5).await;
        assert!(panics(|| _ = poll_with(Waker::noop(), pin!(rx.recv()))));
        let chunk = rx.recv().await.unwrap().unwrap();
        assert_eq!((*chunk, rx.dropped_before()), (2, 1));
        drop(chunk);
        tx.end();
        assert!(rx.recv().await.unwrap().is_none());
        assert_balanced(rx.meter().stats(), true);
    });
}
