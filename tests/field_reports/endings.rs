//! END, ERROR and CANCEL.

use crate::support::{on_both_runtimes, turns};
use credit_channel::{CancelReason, Closed, RecvError, SendError, TrySendError, Window, channel};

/// akka/akka-core#28852: a second terminal signal in the wrong state blew up.
#[test]
fn report_47_second_terminal_changes_nothing() {
    on_both_runtimes(|| async {
        let cancelled = || Closed::Cancelled(CancelReason::Shutdown);
        // A cancel that crosses an end: the consumer knows what it did.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.end();
        assert!(rx.cancel(CancelReason::Shutdown));
        assert!(!rx.cancel(CancelReason::Timeout));
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(CancelReason::Shutdown));
        // A cancel after the end was read: too late.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.end();
        assert!(rx.recv().await.unwrap().is_none());
        assert!(!rx.cancel(CancelReason::Shutdown));
        assert!(rx.recv().await.unwrap().is_none());
        // An error after a cancel, and ends after an error.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let (second, third) = (tx.clone(), tx.clone());
        assert!(rx.cancel(CancelReason::Shutdown));
        tx.fail("too late");
        second.end();
        assert_eq!(third.closed().await, cancelled());
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(CancelReason::Shutdown));
        // Two errors: the first counts, for the clone that goes on sending as well.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        let (second, third) = (tx.clone(), tx.clone());
        tx.fail("first");
        second.fail_now("second");
        let refused = third.try_send(1).unwrap_err();
        assert_eq!(
            refused,
            TrySendError::Refused(SendError::Closed { value: 1, reason: Closed::Failed("first".into()) })
        );
        third.end();
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Failed("first".into()));
    });
}

/// The same report as a race: however END, ERROR and CANCEL cross, each side sees one outcome and keeps to it.
#[test]
fn report_47_terminals_that_race_leave_one_outcome() {
    on_both_runtimes(|| async {
        for round in 0..1000 {
            let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
            let second = tx.clone();
            let canceller = rx.canceller();
            let tasks = [
                tokio::spawn(async move {
                    turns(round % 3).await;
                    tx.fail("failed");
                }),
                tokio::spawn(async move {
                    turns(round % 2).await;
                    second.end();
                }),
                tokio::spawn(async move {
                    turns(round % 4).await;
                    canceller.cancel(CancelReason::Requested);
                }),
            ];
            let first = rx.recv().await.map(drop);
            for task in tasks {
                task.await.unwrap();
            }
            assert!(
                matches!(first, Err(RecvError::Failed(_) | RecvError::Cancelled(CancelReason::Requested))),
                "{first:?}"
            );
            assert_eq!(rx.recv().await.map(drop), first, "it stays at that");
        }
    });
}
