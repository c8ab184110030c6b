//! Credit that goes back in batches, and is never kept where somebody could be waiting for it.

use crate::support::{FLAVOURS, WATCHDOG, on_both_runtimes, panics, poll_once, runtime, within};
use credit_channel::stages::{Banked, DemandError, PassThrough, Received, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Chunk, CreditConsumer, CreditGuard, CreditProducer, Window, channel};
use futures_util::stream;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;

type InHand = Vec<Chunk<u64, Banked<CreditGuard>>>;

/// A channel whose whole window has come out of such a stage.
async fn all_in_hand(
    window: u64,
    capacity: u64,
    low_water: u64,
) -> (CreditProducer<u64>, PassThrough<CreditConsumer<u64>>, InHand) {
    let (tx, rx) = channel(Window::messages(window)).unwrap();
    let mut stage = rx.pass_through(capacity, low_water).unwrap();
    let mut in_hand = Vec::new();
    for n in 0..window {
        tx.try_send(n).unwrap();
        in_hand.push(stage.recv().await.unwrap().unwrap());
    }
    (tx, stage, in_hand)
}

/// Without a poll of the stage.
#[test]
fn credit_goes_back_at_the_mark() {
    on_both_runtimes(|| async {
        let (tx, _stage, mut in_hand) = all_in_hand(64, 64, 48).await;
        in_hand.drain(..47);
        assert_eq!(tx.credit().messages(), 0);
        in_hand.pop();
        assert_eq!(tx.credit().messages(), 48);
        in_hand.drain(..15);
        assert_eq!(tx.credit().messages(), 48);
        in_hand.pop();
        assert_eq!(tx.credit().messages(), 64, "nothing is out any more");
    });
}

#[test]
fn a_mark_of_one_relays_one_for_one() {
    on_both_runtimes(|| async {
        let (tx, _stage, mut in_hand) = all_in_hand(8, 8, 1).await;
        for credit in 1..=8 {
            in_hand.pop();
            assert_eq!(tx.credit().messages(), credit);
        }
    });
}

/// D15: a consumer with one value at a time in hand never fills a batch.
#[test]
fn nothing_is_kept_when_nothing_is_out() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(8)).unwrap();
        let mut stage = rx.pass_through(8, 8).unwrap();
        for n in 0..100 {
            tx.try_send(n).unwrap();
            drop(stage.recv().await.unwrap().unwrap());
            assert_eq!(tx.credit().messages(), 8);
        }
    });
}

/// D15: the consumer holds one for ever and asks for another, which the producer needs the kept credit for. Whether it
/// asks before the first is done or after.
#[test]
fn nothing_is_kept_while_the_consumer_is_kept_waiting() {
    on_both_runtimes(|| async {
        for asks_first in [true, false] {
            let (tx, mut stage, mut in_hand) = all_in_hand(2, 2, 2).await;
            let parked = tokio::spawn(async move { tx.send(7).await.unwrap() });
            if asks_first {
                assert!(poll_once(&mut stage.recv()).await.is_pending());
                in_hand.pop();
            } else {
                in_hand.pop();
            }
            assert_eq!(*stage.recv().await.unwrap().unwrap(), 7);
            parked.await.unwrap();
        }
    });
}

/// Behind something that carries nothing, this is what bounds it; a mark of all of it is no stop either.
#[test]
fn no_more_than_the_capacity_is_out() {
    on_both_runtimes(|| async {
        let mut stage = from_stream(stream::iter(0..100_u64)).pass_through(3, 3).unwrap();
        let mut in_hand = Vec::new();
        for n in 0..100 {
            if in_hand.len() == 3 {
                assert!(poll_once(&mut stage.recv()).await.is_pending(), "three are out");
                drop(in_hand.remove(usize::try_from(n).unwrap() % 3));
            }
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!(*chunk, n);
            in_hand.push(chunk);
        }
        assert!(stage.recv().await.unwrap().is_none(), "the end needs no room");
        assert!(stage.recv().await.unwrap().is_none());
    });
}

#[test]
fn the_end_and_an_error_keep_nothing_back() {
    on_both_runtimes(|| async {
        for fails in [false, true] {
            let (tx, mut stage, mut in_hand) = all_in_hand(4, 4, 4).await;
            let watcher = tx.downgrade();
            in_hand.pop();
            assert_eq!(watcher.stats().depth.messages(), 4);
            if fails {
                tx.fail("disk gone")
            } else {
                tx.end()
            }
            for _ in 0..2 {
                assert_eq!(stage.recv().await.is_err(), fails);
            }
            assert_eq!(watcher.stats().depth.messages(), 3);
            in_hand.pop();
            assert_eq!(watcher.stats().depth.messages(), 2, "one by one from there on");
        }
    });
}

#[test]
fn guards_outlive_the_stage_and_a_cancel() {
    on_both_runtimes(|| async {
        for cancelled in [false, true] {
            let (tx, mut stage, mut in_hand) = all_in_hand(4, 4, 4).await;
            in_hand.truncate(2);
            assert_eq!(tx.depth().messages(), 4);
            if cancelled {
                stage.cancel(CancelReason::Timeout);
                stage.cancel(CancelReason::Shutdown);
                assert_eq!(tx.depth().messages(), 2);
                assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
            } else {
                drop(stage);
            }
            assert_eq!(tx.depth().messages(), 2);
            in_hand.pop();
            assert_eq!(tx.depth().messages(), 1);
            in_hand.pop();
            assert_eq!(tx.depth().messages(), 0);
        }
    });
}

#[test]
fn guards_outlive_the_runtime() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "the test", move || {
            let runtime = runtime(flavour);
            let (tx, stage, in_hand) = runtime.block_on(all_in_hand(4, 4, 3));
            drop(runtime);
            thread::spawn(move || drop(in_hand)).join().unwrap();
            assert_eq!(tx.credit().messages(), 4);
            drop(stage);
        });
    }
}

#[test]
fn a_whole_window_is_given_back_from_many_threads() {
    on_both_runtimes(|| async {
        for _ in 0..50 {
            let (tx, _stage, in_hand) = all_in_hand(16, 16, 5).await;
            let workers: Vec<_> =
                in_hand.into_iter().map(|chunk| tokio::task::spawn_blocking(|| drop(chunk))).collect();
            for worker in workers {
                worker.await.unwrap();
            }
            assert_eq!(tx.credit().messages(), 16);
        }
    });
}

/// A stage whose guards do something when they are dropped.
struct Scripted(u64);
type Script = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;
struct Runs(Script);

impl Stage for Scripted {
    type Value = Script;
    type Guard = Runs;

    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Received<Script, Runs>> {
        self.0 += 1;
        let script = Script::default();
        Poll::Ready(Ok(Some(Chunk::from_parts(Arc::clone(&script), self.0, Runs(script)))))
    }

    fn cancel(&mut self, _: CancelReason) {}
}

impl Drop for Runs {
    fn drop(&mut self) {
        let script = self.0.lock().unwrap().take();
        if let Some(script) = script {
            script();
        }
    }
}

/// A guard that drops another of the same stage finds no lock, and one that panics keeps no room.
#[test]
fn guards_may_drop_others_and_panic() {
    on_both_runtimes(|| async {
        let mut stage = Scripted(0).pass_through(3, 2).unwrap();
        let mut in_hand = Vec::new();
        for _ in 0..3 {
            in_hand.push(stage.recv().await.unwrap().unwrap());
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        let other = in_hand.pop().unwrap();
        *in_hand[0].lock().unwrap() = Some(Box::new(move || drop(other)));
        drop(in_hand.remove(0));
        for _ in 0..2 {
            in_hand.push(stage.recv().await.unwrap().unwrap());
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending());

        *in_hand[0].lock().unwrap() = Some(Box::new(|| panic!("on purpose")));
        let fatal = in_hand.remove(0);
        assert!(panics(move || drop(fatal)));
        in_hand.push(stage.recv().await.unwrap().unwrap());
        assert!(poll_once(&mut stage.recv()).await.is_pending());
    });
}

/// S11: a mark of 0, or one that is never reached, is refused.
#[test]
fn refused_when_it_is_made() {
    let make = |capacity, low_water| from_stream(stream::empty::<u8>()).pass_through(capacity, low_water).map(drop);
    assert_eq!(make(0, 1), Err(DemandError::NoCapacity));
    assert_eq!(make(4, 0), Err(DemandError::LowWater { low_water: 0, capacity: 4 }));
    assert_eq!(make(4, 5), Err(DemandError::LowWater { low_water: 5, capacity: 4 }));
    assert_eq!(make(u64::MAX, u64::MAX), Ok(()));
}
