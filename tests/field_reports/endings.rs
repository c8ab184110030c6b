//! END, ERROR and CANCEL.

use crate::support::{on_both_runtimes, turns, until};
use credit_channel::{
    CancelReason, Closed, CreditConsumer, RecvError, SendError, TrySendError, Window, channel, weighted,
};

/// python-hyper/h2#1314, zigstack/zquic#179, libssh2/libssh2#108, microsoft/demikernel#686: an end that waited for
/// credit which would only come after it.
#[test]
fn report_41_end_needs_no_credit() {
    on_both_runtimes(|| async {
        // A full window whose last credit the consumer keeps until it has read the end.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(7).await.unwrap();
        tx.end();
        let last = rx.recv().await.unwrap().unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        assert_eq!(*last, 7);
        // Nothing sent at all.
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.end();
        assert!(rx.recv().await.unwrap().is_none());
        // A byte window that a shrink has overdrawn.
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(100)).unwrap();
        tx.send(vec![0; 100]).await.unwrap();
        rx.set_window(Window::bytes(1)).unwrap();
        tx.end();
        let last = rx.recv().await.unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        drop(last);
    });
}

/// rust-lang/futures-rs#931: a producer that went without a proper close looked like success.
#[test]
fn report_44_producer_lost_is_not_success() {
    async fn ends_abandoned(mut rx: CreditConsumer<u64>) {
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1, "what it had sent comes first");
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
    }
    on_both_runtimes(|| async {
        // (a) Dropped.
        let (tx, rx) = channel(Window::messages(2)).unwrap();
        tx.send(1).await.unwrap();
        drop(tx);
        ends_abandoned(rx).await;
        // (b) By a panic.
        let (tx, rx) = channel(Window::messages(2)).unwrap();
        let task = tokio::spawn(async move {
            tx.send(1).await.unwrap();
            std::panic::resume_unwind(Box::new("the producer fails"));
        });
        assert!(task.await.unwrap_err().is_panic());
        ends_abandoned(rx).await;
        // (c) By an abort.
        let (tx, rx) = channel(Window::messages(2)).unwrap();
        let task = tokio::spawn(async move {
            tx.send(1).await.unwrap();
            std::future::pending::<()>().await;
            tx.end();
        });
        until(|| rx.stats().sent == 1).await;
        task.abort();
        ends_abandoned(rx).await;
        // (d) One of two: nothing until the last one goes, which had ended properly.
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        drop(tx.clone());
        assert!(!tx.is_closed());
        assert!(matches!(rx.try_recv(), Err(credit_channel::TryRecvError::Empty)));
        tx.send(1).await.unwrap();
        tx.end();
        ends_abandoned(rx).await;
    });
}

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
