//! I5: after any terminal event every parked call returns, and says why.

use crate::support::carrier::{Carrier, Line, Open, everywhere};
use crate::support::{refused, turns, until};
use credit_channel::{CancelReason, Closed, CreditConsumer, CreditProducer, RecvError, SendError, Window};
use std::time::Duration;
use tokio::task::JoinSet;

/// Parks one call of each kind, and one hundred sends.
async fn park(tx: &CreditProducer<u64>, why: Closed) -> JoinSet<()> {
    const HOUR: Duration = Duration::from_secs(3600);
    let mut calls = JoinSet::new();
    for item in 0..100 {
        let (tx, why) = (tx.clone(), why.clone());
        calls.spawn(async move {
            let error = tx.send(item).await.unwrap_err();
            assert_eq!(error, SendError::Closed { value: item, reason: why });
        });
    }
    macro_rules! park {
        ($($call:expr),+ $(,)?) => {$({
            let (tx, why) = (tx.clone(), why.clone());
            let call = $call;
            calls.spawn(async move { assert_eq!(call(tx).await, why) });
        })+};
    }
    let closed = |error: SendError| error.closed().cloned().unwrap();
    park!(
        async move |tx: CreditProducer<u64>| closed(refused(tx.reserve().await)),
        async move |tx: CreditProducer<u64>| closed(refused(tx.reserve_many(2).await)),
        async move |tx: CreditProducer<u64>| closed(refused(tx.reserve_owned().await)),
        async move |tx: CreditProducer<u64>| {
            let error = tx.send_timeout(7, HOUR).await.unwrap_err();
            let credit_channel::SendTimeoutError::Refused(error) = error else { panic!("{error}") };
            error.closed().cloned().unwrap()
        },
        async move |tx: CreditProducer<u64>| tx.closed().await,
        async move |tx: CreditProducer<u64>| tx.finished().await.unwrap_err(),
        async move |tx: CreditProducer<u64>| tokio::task::spawn_blocking(move || {
            tx.blocking_send(8).unwrap_err().closed().cloned().unwrap()
        })
        .await
        .unwrap(),
    );
    let (tx2, why2) = (tx.clone(), why.clone());
    calls.spawn(async move {
        let expected = if let Closed::Cancelled(reason) = why2 { Some(reason) } else { None };
        assert_eq!(tx2.cancelled().await, expected);
    });
    // Parked are those in line; the watchers are given their turn.
    until(|| tx.stats().waiting == 105).await;
    turns(20).await;
    calls
}

async fn full(carrier: Carrier) -> (CreditProducer<u64>, CreditConsumer<u64>, Line) {
    let Open { tx, rx, line } = carrier.open_line(Window::messages(2)).await;
    tx.send(0).await.unwrap();
    tx.send(1).await.unwrap();
    (tx, rx, line)
}

async fn all_return(mut calls: JoinSet<()>) {
    while let Some(returned) = calls.join_next().await {
        returned.unwrap();
    }
}

#[test]
fn cancel_wakes_every_parked_call_once() {
    everywhere(|carrier| async move {
        let (tx, rx, _line) = full(carrier).await;
        let why = Closed::Cancelled(CancelReason::Shutdown);
        let calls = park(&tx, why.clone()).await;
        // From many places at once: one of them is what stopped it.
        let mut cancels = JoinSet::new();
        for _ in 0..64 {
            let canceller = rx.canceller();
            cancels.spawn(async move { canceller.cancel(CancelReason::Shutdown) });
        }
        let stopped = cancels.join_all().await;
        assert_eq!(stopped.iter().filter(|stopped| **stopped).count(), 1);
        all_return(calls).await;
        assert!(tx.is_closed() && tx.is_cancelled());
        assert_eq!((tx.stats().waiting, tx.stats().producers), (0, 1));
        // And ending is no more than going away then.
        assert_eq!(tx.end_and_wait().await, Err(why));
    });
}

#[test]
fn consumer_drop_wakes_every_parked_call() {
    everywhere(|carrier| async move {
        let (tx, rx, _line) = full(carrier).await;
        let calls = park(&tx, Closed::Cancelled(CancelReason::Dropped)).await;
        drop(rx);
        all_return(calls).await;
        assert!(tx.is_cancelled());
    });
}

#[test]
fn drain_wakes_every_parked_call_and_leaves_what_is_queued() {
    everywhere(|carrier| async move {
        let (tx, mut rx, line) = full(carrier).await;
        let calls = park(&tx, Closed::Cancelled(CancelReason::Drained)).await;
        rx.drain();
        all_return(calls).await;
        for item in 0..2 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
        assert!(rx.recv().await.is_err());
        line.over().await;
    });
}

#[test]
fn failure_of_a_clone_wakes_every_parked_call() {
    for now in [false, true] {
        everywhere(move |carrier| async move {
            let (tx, mut rx, line) = full(carrier).await;
            let calls = park(&tx, Closed::Failed("disk gone".into())).await;
            if now {
                tx.clone().fail_now("disk gone")
            } else {
                tx.clone().fail("disk gone")
            }
            all_return(calls).await;
            assert!(tx.is_closed() && !tx.is_cancelled());
            if now {
                line.over().await;
            } else {
                assert_eq!(*rx.recv().await.unwrap().unwrap(), 0);
                assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
            }
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Failed("disk gone".into()));
        });
    }
}

#[test]
fn parked_recv_returns_at_every_ending() {
    everywhere(|carrier| async move {
        for ending in 0..6 {
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(2)).await;
            let canceller = rx.canceller();
            let parked = tokio::spawn(async move { rx.recv().await.map(drop).map_err(|error| error.to_string()) });
            turns(10).await;
            let mut tx = Some(tx);
            let mut take = || tx.take().unwrap();
            match ending {
                0 => take().end(),
                1 => drop(take()),
                2 => take().fail("disk gone"),
                3 => take().fail_now("disk gone"),
                4 => assert!(canceller.cancel(CancelReason::Timeout)),
                _ => {
                    let _ = take().end_and_wait().await;
                }
            }
            let said = parked.await.unwrap();
            match ending {
                0 | 5 => assert_eq!(said, Ok(())),
                1 => assert_eq!(said.unwrap_err(), "producer dropped without end after 0 chunks"),
                4 => assert_eq!(said.unwrap_err(), "cancelled by this side: timed out"),
                _ => assert_eq!(said.unwrap_err(), "producer failed: disk gone"),
            }
        }
    });
}
