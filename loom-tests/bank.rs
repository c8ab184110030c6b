//! Credit that a stage gives back in batches, on its way home.

use crate::support::{Pair, Payload, assert_at_rest, model, pair};
use credit_channel::stages::{Received, Stage};
use credit_channel::{CancelReason, Chunk};
use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use std::sync::Arc;
use std::task::{Context, Poll};

fn sent(window: u64, ids: std::ops::Range<u32>) -> Pair {
    let (tx, rx) = pair(window);
    ids.for_each(|id| tx.try_send(Payload::new(id)).expect("credit"));
    (tx, rx)
}

/// The last two come home at once, to a batch that they do not fill. If the race is lost, each takes the other for the
/// one that will bring the rest.
///
/// Seen failing when a batch is not due with the last.
#[test]
fn deposit_vs_deposit() {
    model(3, || {
        let (tx, rx) = sent(2, 0..2);
        let mut stage = rx.pass_through(3, 3).expect("they suit");
        let work = [(); 2].map(|()| block_on(stage.recv()).expect("open").expect("not ended"));
        let workers = work.map(|chunk| thread::spawn(move || drop(chunk)));
        drop(block_on(tx.reserve_many(2)).expect("open"));
        workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
        assert_at_rest(tx.stats());
    });
}

/// A guard comes home just as the stage finds nothing and waits, for a value that is to be sent on the credit of this
/// guard. If the race is lost, it waits in the bank for another, which the consumer keeps in hand.
///
/// Seen failing when a stage that finds nothing empties the bank and does not ask for what comes.
#[test]
fn deposit_vs_want() {
    model(None, || {
        let (tx, rx) = sent(2, 0..2);
        let mut stage = rx.pass_through(2, 2).expect("they suit");
        let [first, second] = [(); 2].map(|()| block_on(stage.recv()).expect("open").expect("not ended"));
        let worker = thread::spawn(move || {
            drop(first);
            block_on(tx.send(Payload::new(2))).expect("open");
            tx
        });
        let third = block_on(stage.recv()).expect("open").expect("not ended");
        assert_eq!(third.id(), 2);
        drop((second, third));
        assert_at_rest(worker.join().expect("no panic").stats());
    });
}

/// A guard comes home just as the stage, with a value in hand, finds no room and waits for it.
///
/// Seen failing when a stage that finds no room does not ask for what comes.
#[test]
fn deposit_vs_admit() {
    model(None, || {
        let (tx, rx) = sent(3, 0..3);
        let mut stage = rx.pass_through(2, 2).expect("they suit");
        let [first, second] = [(); 2].map(|()| block_on(stage.recv()).expect("open").expect("not ended"));
        let worker = thread::spawn(move || drop(first));
        let third = block_on(stage.recv()).expect("open").expect("not ended");
        worker.join().expect("no panic");
        drop((second, third));
        assert_at_rest(tx.stats());
    });
}

/// The stage goes just as a guard comes home to its bank, which another may keep.
///
/// Seen failing when a bank that is closed keeps what it has.
#[test]
fn deposit_vs_stage_drop() {
    model(None, || {
        let (tx, rx) = sent(2, 0..2);
        let mut stage = rx.pass_through(2, 2).expect("they suit");
        let [first, second] = [(); 2].map(|()| block_on(stage.recv()).expect("open").expect("not ended"));
        let worker = thread::spawn(move || drop(first));
        drop(stage);
        worker.join().expect("no panic");
        assert_eq!(tx.depth().messages(), 1);
        drop(second);
        assert_at_rest(tx.stats());
    });
}

/// Values without end; the guard of the first says when it is gone.
struct Source {
    first_is_gone: Arc<AtomicBool>,
    count: u64,
}

struct Says(Option<Arc<AtomicBool>>);

impl Drop for Says {
    fn drop(&mut self) {
        if let Some(gone) = &self.0 {
            gone.store(true, Ordering::Relaxed);
        }
    }
}

impl Stage for Source {
    type Value = u64;
    type Guard = Says;

    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Received<u64, Says>> {
        let seq = self.count;
        self.count += 1;
        let says = Says((seq == 0).then(|| Arc::clone(&self.first_is_gone)));
        Poll::Ready(Ok(Some(Chunk::from_parts(seq, seq, says))))
    }

    fn cancel(&mut self, _: CancelReason) {}
}

/// A value is let out on the room of another just as the guard of that one is dropped. If the race is lost, more is out
/// than the capacity for a moment.
///
/// Seen failing when there is room as soon as a guard is taken out of the bank.
#[test]
fn leaving_vs_admit() {
    model(None, || {
        let first_is_gone = Arc::new(AtomicBool::new(false));
        let source = Source { first_is_gone: Arc::clone(&first_is_gone), count: 0 };
        let mut stage = source.pass_through(1, 1).expect("they suit");
        let first = block_on(stage.recv()).expect("open").expect("not ended");
        let worker = thread::spawn(move || drop(first));
        let second = block_on(stage.recv()).expect("open").expect("not ended");
        assert!(first_is_gone.load(Ordering::Relaxed), "only one at once");
        worker.join().expect("no panic");
        drop(second);
    });
}
