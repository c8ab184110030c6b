//! Guards coming home.

use crate::support::{Payload, assert_at_rest, byte_pair, model, pair, receive_all};
use credit_channel::Window;
use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use std::sync::Arc;

/// Two guards come home at once while a sender waits for the credit of both. If the race is lost, one
/// return overwrites the other, or the sender is served on the first and nobody looks at the second.
///
/// Seen failing when a guard adds its credit to the tray with a load and a store.
#[test]
fn guard_drop_vs_guard_drop() {
    model(3, || {
        let (tx, mut rx) = pair(2);
        tx.try_send(Payload::new(0)).expect("credit for two");
        tx.try_send(Payload::new(1)).expect("credit for two");
        let work = [(); 2].map(|()| rx.try_recv().expect("sent").expect("not ended"));
        let workers = work.map(|chunk| thread::spawn(move || drop(chunk)));
        let both = block_on(tx.reserve_many(2)).expect("open");
        for (permit, id) in both.zip(2..) {
            permit.send(Payload::new(id)).expect("open");
        }
        for worker in workers {
            worker.join().expect("no panic");
        }
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![2, 3], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// The next value is sent on credit that came home, without the lock, from work in another thread. If the
/// race is lost, that work is not seen as done: what it freed or wrote is not yet, for the sender.
///
/// Seen failing when a guard's addition to the tray is relaxed.
#[test]
fn work_vs_next_send() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let done = Arc::new(AtomicBool::new(false));
        let worker = thread::spawn({
            let done = Arc::clone(&done);
            move || {
                // Relaxed: the credit alone has to carry it over.
                done.store(true, Ordering::Relaxed);
                drop(chunk);
            }
        });
        block_on(tx.send(Payload::new(1))).expect("open");
        assert!(done.load(Ordering::Relaxed), "the work is done whose credit this send took");
        worker.join().expect("no panic");
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![1], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// A window of messages and bytes, whose returns are two words: a sender that runs short takes what lies in
/// both just as a guard puts into both. If the race is lost, it takes the one without the other, is not told
/// of the rest, and sleeps although the credit is there.
///
/// Seen failing when a guard puts the bytes down before the message: the bytes are what tells.
#[test]
fn both_units_put_vs_take() {
    model(None, || {
        let (tx, mut rx) = byte_pair(Window::messages(1).and_bytes(2));
        tx.try_send(Payload::of_bytes(0, 2)).expect("credit for one of two bytes");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let worker = thread::spawn(move || drop(chunk));
        block_on(tx.send(Payload::of_bytes(1, 2))).expect("open");
        worker.join().expect("no panic");
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![1], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// The two halves of a guard come home from two tasks while a sender waits for the bytes of both. If the race
/// is lost, the sender is woken for the first half and forgotten before the second.
///
/// Seen failing when the line is served and the guards are told that nobody waits, although somebody does.
#[test]
fn split_guard_vs_park() {
    model(3, || {
        let (tx, mut rx) = byte_pair(Window::bytes(2));
        tx.try_send(Payload::of_bytes(0, 2)).expect("credit for two bytes");
        let (payload, mut half) = rx.try_recv().expect("sent").expect("not ended").into_parts();
        let other = half.split(1).expect("it holds two bytes");
        let workers = [half, other].map(|guard| thread::spawn(move || drop(guard)));
        block_on(tx.send(Payload::of_bytes(1, 2))).expect("open");
        for worker in workers {
            worker.join().expect("no panic");
        }
        drop(payload);
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![1], Ok(())));
        assert_at_rest(rx.stats());
    });
}

/// The last guard comes home just as the producer ends and waits for all the work to be done. If the race is
/// lost, the guard tells nobody, and the producer waits for work that has been done.
///
/// Seen failing when only senders in line make guards tell, and not who waits for the end of the work.
#[test]
fn guard_drop_vs_end_and_wait() {
    model(None, || {
        let (tx, mut rx) = pair(1);
        tx.try_send(Payload::new(0)).expect("credit for one");
        let chunk = rx.try_recv().expect("sent").expect("not ended");
        let worker = thread::spawn(move || drop(chunk));
        block_on(tx.end_and_wait()).expect("a clean end");
        assert_at_rest(rx.stats());
        worker.join().expect("no panic");
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
    });
}

/// A guard is forgotten, which counts as work done, just as the producer waits for all work to be done. If
/// the race is lost, it waits for credit that will never come.
///
/// Seen failing when forgetting does not look who waits for it.
#[test]
fn guard_forget_vs_finished() {
    model(None, || {
        let (tx, mut rx) = pair(2);
        tx.try_send(Payload::new(0)).expect("credit for two");
        let (payload, guard) = rx.try_recv().expect("sent").expect("not ended").into_parts();
        let worker = thread::spawn(move || guard.forget());
        block_on(tx.finished()).expect("open");
        worker.join().expect("no panic");
        drop(payload);
        tx.end();
        assert_eq!(receive_all(&mut rx), (vec![], Ok(())));
        let stats = rx.stats();
        assert_eq!((stats.credit.messages(), stats.forgotten.messages()), (1, 1));
    });
}
