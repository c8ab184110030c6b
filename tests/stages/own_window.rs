//! The accounts of a stage that has a window of its own, when it stops while it waits for room.

use crate::support::{assert_balanced, on_both_runtimes, poll_once};
use credit_channel::stages::{Page, Stage, paged};
use credit_channel::{CancelReason, Failure, Window, channel};
use std::future::ready;
use std::sync::Arc;

#[test]
fn windowed_waits_for_no_room_once_it_is_cancelled() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        (0..4).for_each(|n| tx.try_send(n).unwrap());
        let mut stage = rx.windowed(2).unwrap();
        let meter = stage.meter();
        let held = [stage.recv().await.unwrap(), stage.recv().await.unwrap()];
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(meter.stats().waiting, 1);
        stage.cancel(CancelReason::Timeout);
        assert_eq!((meter.stats().waiting, meter.stats().depth.messages()), (0, 2));
        drop(held);
        assert_balanced(meter.stats(), true);
        assert_balanced(tx.stats(), false);
    });
}

#[test]
fn paged_waits_for_no_room_once_it_is_cancelled() {
    on_both_runtimes(|| async {
        let fetch = |n| ready(Ok::<_, Failure>(Page::more(vec![7; usize::try_from(n).unwrap()])));
        let mut stage = paged(4, 2, fetch).unwrap();
        let meter = stage.meter();
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(stage.recv().await.unwrap());
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(meter.stats().waiting, 1);
        stage.cancel(CancelReason::Timeout);
        assert_eq!((meter.stats().waiting, meter.stats().depth.messages()), (0, 4));
        drop(held);
        assert_balanced(meter.stats(), true);
    });
}

/// RS 3.13: what the source holds goes when it is over, not with the stage.
#[test]
fn paged_lets_go_of_its_source_once_it_is_over() {
    on_both_runtimes(|| async {
        for cancelled in [false, true] {
            let connection = Arc::new(());
            let in_use = Arc::clone(&connection);
            let mut stage = paged(4, 2, move |_| {
                let _in_use = &in_use;
                ready(Ok::<_, Failure>(Page::last(vec![7])))
            })
            .unwrap();
            if cancelled {
                stage.cancel(CancelReason::Timeout);
            } else {
                assert_eq!(stage.recv().await.unwrap().map(|chunk| *chunk), Some(7));
            }
            assert_eq!(Arc::strong_count(&connection), 1, "cancelled: {cancelled}");
            assert_eq!(stage.recv().await.is_err(), cancelled);
        }
    });
}

/// Whoever catches the panic finds the source over; it is not asked again.
#[test]
fn paged_is_over_once_its_source_panics() {
    use credit_channel::stages::StageError;
    use futures_util::FutureExt;
    use std::panic::AssertUnwindSafe;
    on_both_runtimes(|| async {
        for in_the_closure in [true, false] {
            let mut stage = paged(4, 2, move |_| {
                assert!(!in_the_closure, "on purpose");
                async move { if in_the_closure { Ok::<_, Failure>(Page::end()) } else { panic!("on purpose") } }
            })
            .unwrap();
            let meter = stage.meter();
            let first: Result<Result<Option<credit_channel::Chunk<u64>>, _>, _> =
                AssertUnwindSafe(stage.recv()).catch_unwind().await;
            assert!(first.is_err());
            for _ in 0..2 {
                let after = stage.recv().await.map(drop);
                assert_eq!(after, Err(StageError::cancelled(CancelReason::HandlerPanic)));
            }
            assert_balanced(meter.stats(), true);
        }
    });
}
