//! How a pool ends: errors, panics, cancels, each to both sides, and no credit lost.

use crate::support::{on_both_runtimes, poll_once, until};
use credit_channel::stages::{ErrorOrder, Stage, StageError};
use credit_channel::workers::Workers;
use credit_channel::{CancelReason, Closed, CreditConsumer, CreditProducer, Failure, RecvError, Window, channel};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Ten values, sent; the producer is still open.
fn ten() -> (CreditProducer<u64>, CreditConsumer<u64>) {
    let (tx, rx) = channel(Window::messages(10)).unwrap();
    for n in 0..10 {
        tx.try_send(n).unwrap();
    }
    (tx, rx)
}

/// Doors by number: a handler waits until its own is open.
#[derive(Clone)]
struct Doors(Arc<Vec<Semaphore>>);

impl Doors {
    fn new() -> Self {
        Self(Arc::new((0..10).map(|_| Semaphore::new(0)).collect()))
    }

    fn open(&self, n: usize) {
        self.0[n].add_permits(1);
    }

    async fn pass(&self, n: u64) {
        self.0[usize::try_from(n).unwrap()].acquire().await.unwrap().forget();
    }

    /// A handler that waits for its door, and then does this.
    fn then<R>(
        &self,
        work: impl Fn(u64) -> R + Clone + Send + Sync + 'static,
    ) -> impl Fn(u64) -> BoxFuture<'static, R> + Send + Sync + 'static {
        let doors = self.clone();
        move |n| {
            let (doors, work) = (doors.clone(), work.clone());
            Box::pin(async move {
                doors.pass(n).await;
                work(n)
            })
        }
    }
}

#[test]
fn the_end_comes_after_the_work() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        tx.end();
        let mut pool = rx.spawn_workers(Workers::new(3..=3), |n| async move { Ok::<_, Failure>(n) }).unwrap();
        let mut sum = 0;
        while let Some(n) = pool.recv().await.unwrap() {
            sum += *n;
        }
        assert_eq!(sum, 45);
        assert!(pool.recv().await.unwrap().is_none(), "and again");
    });
}

/// An error from before the workers, after or before what they have in hand.
#[test]
fn an_error_from_upstream_waits_for_the_work_or_not() {
    on_both_runtimes(|| async {
        for (order, expected) in [(ErrorOrder::InOrder, 10), (ErrorOrder::AtOnce, 0)] {
            let (tx, rx) = ten();
            let depth = tx.clone();
            let gate = Arc::new(Semaphore::new(0));
            let door = Arc::clone(&gate);
            let workers = Workers::new(3..=3).inbox(10).error_order(order);
            let mut pool = rx
                .spawn_workers(workers, move |n| {
                    let door = Arc::clone(&door);
                    async move {
                        door.acquire().await.unwrap().forget();
                        Ok::<_, Failure>(n)
                    }
                })
                .unwrap();
            until(|| pool.meter().stats().busy == 3).await;
            tx.fail("disk gone");
            if order == ErrorOrder::InOrder {
                assert!(poll_once(&mut pool.recv()).await.is_pending());
                gate.add_permits(10);
            }
            let mut count = 0;
            let error = loop {
                match pool.recv().await {
                    Ok(chunk) => drop(chunk.unwrap()),
                    Err(error) => break error,
                }
                count += 1;
            };
            assert_eq!((count, error), (expected, RecvError::Failed("disk gone".into()).into()), "{order:?}");
            assert_eq!(pool.recv().await.unwrap_err(), RecvError::Failed("disk gone".into()).into(), "and again");
            until(|| depth.depth().messages() == 0).await;
        }
    });
}

/// The fourth fails while the first to third are in work and the fifth and sixth are done. What is in front comes out.
#[test]
fn a_failure_in_order_comes_after_what_is_in_front() {
    on_both_runtimes(|| async {
        for panics in [false, true] {
            let (tx, rx) = ten();
            let doors = Doors::new();
            let mut pool = rx
                .spawn_workers(
                    Workers::new(8..=8).inbox(10).ordered(),
                    doors.then(move |n| {
                        assert!(n != 3 || !panics, "number three");
                        if n == 3 { Err("number three") } else { Ok(n) }
                    }),
                )
                .unwrap();
            let meter = pool.meter();
            doors.open(4);
            doors.open(5);
            until(|| meter.stats().served == 2).await;
            doors.open(3);
            let (reason, expected) = if panics {
                (CancelReason::HandlerPanic, StageError::HandlerPanic("number three".into()))
            } else {
                (CancelReason::HandlerError("number three".into()), StageError::Handler("number three".into()))
            };
            assert_eq!(tx.closed().await, Closed::Cancelled(reason), "at once");
            assert!(poll_once(&mut pool.recv()).await.is_pending(), "those in front are not done");
            (0..3).for_each(|n| doors.open(n));
            for n in 0..3 {
                assert_eq!(*pool.recv().await.unwrap().unwrap(), n);
            }
            for _ in 0..2 {
                assert_eq!(pool.recv().await.unwrap_err(), expected);
            }
            until(|| tx.depth().messages() == 0).await;
        }
    });
}

/// The one in front fails too, later: then that is the failure that comes first.
#[test]
fn of_two_failures_in_order_the_one_in_front_counts() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let doors = Doors::new();
        let mut pool = rx
            .spawn_workers(
                Workers::new(8..=8).inbox(10).ordered(),
                doors.then(|n| if n == 0 { Ok(n) } else { Err(format!("number {n}")) }),
            )
            .unwrap();
        doors.open(3);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError("number 3".into())));
        doors.open(1);
        doors.open(0);
        assert_eq!(*pool.recv().await.unwrap().unwrap(), 0);
        assert_eq!(pool.recv().await.unwrap_err(), StageError::Handler(Failure::from("number 1".to_owned())));
        until(|| tx.depth().messages() == 0).await;
    });
}

/// Without an order, what is under way may be finished; what is queued is not begun.
#[test]
fn a_failure_without_order_comes_after_what_is_under_way() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let doors = Doors::new();
        let mut pool = rx
            .spawn_workers(
                Workers::new(3..=3).inbox(10),
                doors.then(|n| if n == 0 { Err("number none") } else { Ok(n) }),
            )
            .unwrap();
        until(|| pool.meter().stats().busy == 3).await;
        doors.open(0);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError("number none".into())));
        doors.open(2);
        doors.open(1);
        let mut got = [*pool.recv().await.unwrap().unwrap(), *pool.recv().await.unwrap().unwrap()];
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
        assert_eq!(pool.recv().await.unwrap_err(), StageError::Handler("number none".into()));
        until(|| tx.depth().messages() == 0).await;
        assert_eq!(pool.meter().stats().served, 2);
    });
}

/// Another one that fails while the others are finished changes nothing.
#[test]
fn of_two_failures_without_order_the_first_counts() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let doors = Doors::new();
        let mut pool = rx
            .spawn_workers(
                Workers::new(3..=3).inbox(10),
                doors.then(|n| if n == 2 { Ok(n) } else { Err(format!("number {n}")) }),
            )
            .unwrap();
        until(|| pool.meter().stats().busy == 3).await;
        doors.open(1);
        let reason = CancelReason::HandlerError("number 1".into());
        assert_eq!(tx.closed().await, Closed::Cancelled(reason.clone()));
        doors.open(0);
        until(|| pool.meter().stats().busy == 1).await;
        doors.open(2);
        assert_eq!(*pool.recv().await.unwrap().unwrap(), 2);
        assert_eq!(pool.recv().await.unwrap_err(), StageError::Handler(Failure::from("number 1".to_owned())));
        assert_eq!(tx.closed().await, Closed::Cancelled(reason), "told once");
        until(|| tx.depth().messages() == 0).await;
    });
}

/// At once: nothing is waited for, and what was done and not taken is dropped too.
#[test]
fn a_failure_at_once_waits_for_nothing() {
    on_both_runtimes(|| async {
        for ordered in [true, false] {
            let (tx, rx) = ten();
            let doors = Doors::new();
            let workers = Workers::new(3..=3).inbox(10).error_order(ErrorOrder::AtOnce);
            let workers = if ordered { workers.ordered() } else { workers.unordered() };
            let mut pool =
                rx.spawn_workers(workers, doors.then(|n| if n == 2 { Err("number two") } else { Ok(n) })).unwrap();
            doors.open(0);
            until(|| pool.meter().stats().served == 1).await;
            doors.open(2);
            tx.closed().await;
            assert_eq!(pool.recv().await.unwrap_err(), StageError::Handler("number two".into()));
            until(|| tx.depth().messages() == 0).await;
        }
    });
}

/// In a batch of several, handled one by one, what came before the failure is not lost.
#[test]
fn a_failure_within_a_batch_keeps_what_came_before_it() {
    on_both_runtimes(|| async {
        for panics in [false, true] {
            let (tx, rx) = ten();
            let workers = Workers::new(1..=1).inbox(10).batch(10).ordered();
            let mut pool = rx
                .spawn_workers(workers, move |n| async move {
                    assert!(n != 4 || !panics, "number four");
                    if n == 4 { Err("number four") } else { Ok(n) }
                })
                .unwrap();
            for n in 0..4 {
                assert_eq!(*pool.recv().await.unwrap().unwrap(), n);
            }
            let failure = Failure::from("number four");
            let expected = if panics { StageError::HandlerPanic(failure) } else { StageError::Handler(failure) };
            assert_eq!(pool.recv().await.unwrap_err(), expected);
            until(|| tx.depth().messages() == 0).await;
        }
    });
}

/// A call that panics before there is a future, and a batch that panics with all its values.
#[test]
fn a_panic_anywhere_in_a_handler_gives_the_credit_back() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let mut pool = rx
            .spawn_workers(Workers::new(2..=2).inbox(10), |n: u64| {
                assert!(n < 5, "in the call");
                async move { Ok::<_, Failure>(n) }
            })
            .unwrap();
        while pool.recv().await.is_ok() {}
        assert_eq!(pool.recv().await.unwrap_err(), StageError::HandlerPanic("in the call".into()));
        until(|| tx.depth().messages() == 0).await;

        let (tx, rx) = ten();
        let workers = Workers::new(2..=2).inbox(10).batch(3);
        let mut pool = rx
            .spawn_batch_workers(workers, |_| async move {
                if true {
                    panic!("with {} in hand", 3);
                }
                Ok::<Vec<u8>, Failure>(Vec::new())
            })
            .unwrap();
        let failure = Failure::from("with 3 in hand".to_owned());
        assert_eq!(pool.recv().await.unwrap_err(), StageError::HandlerPanic(failure));
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
        until(|| tx.depth().messages() == 0).await;
    });
}

/// A destructor that panics in a worker leaves a place that nobody fills: the pool stops, and does not hang.
#[test]
fn a_destructor_that_panics_stops_the_pool() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "in the drop");
        }
    }
    on_both_runtimes(|| async {
        for ordered in [true, false] {
            let (tx, rx) = ten();
            let workers = Workers::new(2..=2).inbox(10);
            let workers = if ordered { workers.ordered() } else { workers };
            // Two results for one value are dropped by the worker, not by the handler.
            let mut pool =
                rx.spawn_batch_workers(workers, |_| async move { Ok::<_, Failure>(vec![Bomb, Bomb]) }).unwrap();
            for _ in 0..2 {
                assert_eq!(pool.recv().await.map(drop), Err(StageError::HandlerPanic("in the drop".into())));
            }
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
            until(|| tx.depth().messages() == 0).await;
        }
    });
}

/// A closure of a stage before the pool, which the pool's own task runs.
#[test]
fn a_stage_before_it_that_panics_stops_the_pool() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let mut pool = Stage::map(rx, |n: u64| if n == 5 { panic!("at five") } else { n })
            .spawn_workers(Workers::new(2..=2).inbox(10), |n| async move { Ok::<_, Failure>(n) })
            .unwrap();
        let error = loop {
            if let Err(error) = pool.recv().await {
                break error;
            }
        };
        assert_eq!(error, StageError::HandlerPanic("at five".into()));
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
        until(|| tx.depth().messages() == 0).await;
    });
}

#[test]
fn a_cancel_reaches_the_producer_with_its_reason_and_aborts_the_work() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let doors = Doors::new();
        let mut pool = rx.spawn_workers(Workers::new(3..=3).inbox(10), doors.then(Ok::<_, Failure>)).unwrap();
        doors.open(0);
        doors.open(1);
        let held = pool.recv().await.unwrap().unwrap();
        until(|| pool.meter().stats().served == 2).await;
        pool.cancel(CancelReason::Timeout);
        pool.cancel(CancelReason::Shutdown);
        for _ in 0..2 {
            assert_eq!(pool.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        }
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Timeout));
        until(|| tx.depth().messages() == 1).await;
        drop(held);
        assert_eq!(tx.depth().messages(), 0);
        let stats = pool.meter().stats();
        assert_eq!((stats.received, stats.served), (10, 2), "the numbers show what was not done");
    });
}

#[test]
fn a_dropped_pool_stops_its_workers() {
    on_both_runtimes(|| async {
        let (tx, rx) = ten();
        let pool = rx
            .spawn_workers(Workers::new(3..=3).inbox(10), |_| async move {
                std::future::pending::<()>().await;
                Ok::<_, Failure>(())
            })
            .unwrap();
        until(|| pool.meter().stats().busy == 3).await;
        drop(pool);
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
        until(|| tx.depth().messages() == 0).await;
    });
}
