//! Stages on one another: what comes out, what is carried, and which way the end and a cancel go.

use crate::sources::pair;
use crate::support::on_both_runtimes;
use credit_channel::stages::{Stage, StageError, from_stream, from_try_stream};
use credit_channel::{CancelReason, Closed, Failure, RecvError};
use futures_util::{StreamExt, stream};

#[test]
fn values_and_numbers_come_through() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(4);
        let source = tokio::spawn(async move {
            for n in 0..1000 {
                tx.send(n).await.unwrap();
            }
            tx.end_and_wait().await.unwrap();
        });
        let mut stage =
            Stage::filter_map(Stage::map(rx, |n| n + 1).filter(|n| n % 2 == 0), |n| (n % 4 == 0).then_some(n / 4));
        let mut expected = 1;
        while let Some(chunk) = stage.recv().await.unwrap() {
            assert_eq!(*chunk, expected);
            assert_eq!(chunk.seq(), 4 * expected - 1, "the number shows what was dropped");
            expected += 1;
        }
        assert_eq!(expected, 251);
        assert_eq!(stage.recv().await.unwrap().map(|chunk| *chunk), None, "and again");
        source.await.unwrap();
    });
}

/// I1 through any number of stages: what the consumer holds counts, and nothing more is let in.
#[test]
fn the_credit_is_carried() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(2);
        let mut stage = Stage::map(rx, |n| n).filter(|_| true).map(|n| n).boxed();
        tx.try_send(0).unwrap();
        tx.try_send(1).unwrap();
        let first = stage.recv().await.unwrap().unwrap();
        let second = stage.recv().await.unwrap().unwrap();
        assert_eq!(tx.credit().messages(), 0);
        assert!(tx.try_send(2).unwrap_err().is_full());
        drop(first);
        assert_eq!(tx.credit().messages(), 1);
        let (_, guard) = second.into_parts();
        assert_eq!(tx.credit().messages(), 1, "the guard alone holds it");
        drop(guard);
        assert_eq!(tx.credit().messages(), 2);
    });
}

#[test]
fn detached_credit_goes_back_at_once_and_a_window_bounds_what_is_behind() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(2);
        let mut stage = Stage::detach(rx).windowed(3).unwrap();
        let meter = stage.meter();
        let source = tokio::spawn(async move {
            for n in 0..10 {
                tx.send(n).await.unwrap();
            }
            tx.end();
        });
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(stage.recv().await.unwrap().unwrap());
        }
        assert_eq!(meter.stats().depth.messages(), 3);
        let fourth = tokio::time::timeout(std::time::Duration::from_millis(20), stage.recv()).await;
        assert!(fourth.is_err(), "three are out");
        drop(held.remove(1));
        held.push(stage.recv().await.unwrap().unwrap());
        assert_eq!(held.iter().map(|chunk| **chunk).collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(meter.stats().peak_depth.messages(), 3);
        held.clear();
        while stage.recv().await.unwrap().is_some() {}
        assert_eq!(meter.stats().depth.messages(), 0);
        source.await.unwrap();
    });
}

/// RS 2.9: the end needs no demand. A consumer that holds as much as the window allows hears of it.
#[test]
fn the_end_needs_no_room() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(2);
        tx.try_send(0).unwrap();
        tx.try_send(1).unwrap();
        tx.end();
        let mut stage = rx.windowed(2).unwrap();
        let _held = (stage.recv().await.unwrap().unwrap(), stage.recv().await.unwrap().unwrap());
        assert!(stage.recv().await.unwrap().is_none());
    });
}

#[test]
fn errors_come_after_the_values_and_stay() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(4);
        tx.try_send(7).unwrap();
        tx.fail("disk gone");
        let mut stage = Stage::map(rx, |n| n).filter(|_| true).windowed(1).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 7);
        for _ in 0..2 {
            let error = stage.recv().await.unwrap_err();
            assert_eq!(error, StageError::Upstream(RecvError::Failed(Failure::from("disk gone"))));
        }
        let (tx, rx) = pair(4);
        drop(tx);
        let mut stage = Stage::map(rx, |n| n);
        let error = stage.recv().await.unwrap_err();
        assert_eq!(error, StageError::Upstream(RecvError::Abandoned { received: 0 }));
    });
}

/// RS 3.12 and the note to 4: a cancel behind five stages reaches a parked producer, with its reason; so does a drop.
#[test]
fn a_cancel_crosses_every_stage() {
    on_both_runtimes(|| async {
        for asked in [true, false] {
            let (tx, rx) = pair(1);
            tx.try_send(0).unwrap();
            let parked = tokio::spawn(async move { (tx.send(1).await.unwrap_err(), tx) });
            let mut stage = Stage::map(rx, |n| n).filter(|_| true).map(|n| n).filter_map(Some).windowed(4).unwrap();
            let held = stage.recv().await.unwrap().unwrap();
            let expected = if asked {
                stage.cancel(CancelReason::other(9, "enough"));
                stage.cancel(CancelReason::Timeout);
                let error = stage.recv().await.unwrap_err();
                assert_eq!(error, StageError::cancelled(CancelReason::other(9, "enough")), "the first reason counts");
                CancelReason::other(9, "enough")
            } else {
                drop(stage);
                CancelReason::Dropped
            };
            let (error, tx) = parked.await.unwrap();
            assert_eq!(error.closed(), Some(&Closed::Cancelled(expected)));
            assert_eq!(error.into_inner(), 1);
            drop(held);
            assert_eq!(tx.depth().messages(), 0);
        }
    });
}

#[test]
fn a_closure_that_panics_gives_the_credit_back_and_says_so() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(1);
        tx.try_send(0).unwrap();
        let stage = tokio::spawn(async move {
            let mut stage = Stage::map(rx, |n: u64| if n == 0 { panic!("on purpose") } else { n }).filter(|_| true);
            stage.recv().await.map(drop)
        });
        assert!(stage.await.unwrap_err().is_panic());
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn for_each_handles_all_or_says_why() {
    on_both_runtimes(|| async {
        let done = from_stream(stream::iter(0..10)).for_each(|_| async { Ok::<(), Failure>(()) }).await;
        assert_eq!(done, Ok(10));
        let (tx, rx) = pair(4);
        tx.try_send(0).unwrap();
        let failed = Stage::map(rx, |n| n).for_each(|_| async { Err("no room on disk") }).await;
        assert_eq!(failed, Err(StageError::Handler("no room on disk".into())));
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerError("no room on disk".into())));
        assert_eq!(tx.depth().messages(), 0);
    });
}

#[test]
fn streams_are_sources_and_stages_are_streams() {
    on_both_runtimes(|| async {
        let squares = from_stream(stream::iter(1..=4_u64)).map(|n| n * n).into_stream();
        let got: Vec<u64> = squares.map(|chunk| chunk.unwrap().into_inner()).collect().await;
        assert_eq!(got, [1, 4, 9, 16]);

        let mut failing = from_try_stream(stream::iter([Ok(1), Err("torn"), Ok(2)]));
        assert_eq!(*failing.recv().await.unwrap().unwrap(), 1);
        for _ in 0..2 {
            assert_eq!(failing.recv().await.unwrap_err(), StageError::Source("torn".into()));
        }
        let mut ended = failing.into_stream();
        assert!(ended.next().await.unwrap().is_err());
        assert!(ended.next().await.is_none());
    });
}

/// RS 3.3: a stage that drops everything from a source that is always ready lets others run.
#[test]
fn a_filter_that_drops_everything_lets_others_run() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    on_both_runtimes(|| async {
        let stop = Arc::new(AtomicBool::new(false));
        let other = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move { stop.store(true, Ordering::Relaxed) }
        });
        let endless = from_stream(
            stream::repeat(0)
                .take_while(move |_| {
                    let go_on = !stop.load(Ordering::Relaxed);
                    async move { go_on }
                })
                .boxed(),
        );
        assert!(endless.filter(|_| false).recv().await.unwrap().is_none());
        other.await.unwrap();
    });
}
