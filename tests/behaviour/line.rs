//! I4 for what only a channel in one process has, and for the races of threads that share it.

use crate::support::{
    CountingWaker, Dice, LONG_WATCHDOG, assert_balanced, on_both_runtimes, poll_once, poll_with, refused, within,
};
use credit_channel::{Builder, Oversize, SendError, TrySendError, Window, weighted};
use std::hint::spin_loop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn oversized_chunk_waits_its_turn_and_passes_alone() {
    on_both_runtimes(|| async {
        let open = Builder::new(Window::bytes(10)).weigh_with(|value: &Vec<u8>| value.len()).oversize(Oversize::Alone);
        let (tx, mut rx) = open.open().unwrap();
        tx.try_send(vec![0; 25]).unwrap();
        assert!(tx.try_send(vec![]).unwrap_err().is_full(), "nothing more until it is paid back");
        let mut half = rx.recv().await.unwrap().unwrap();
        half.guard_mut().release(20).unwrap();
        assert_eq!((tx.depth().bytes(), tx.credit().bytes()), (5, 5), "paid back down to the window");
        drop(half);
        // Not beside a permit either.
        let permit = tx.try_reserve().unwrap();
        let mut big = tx.send(vec![0; 11]);
        assert!(poll_once(&mut big).await.is_pending());
        drop(permit);
        big.await.unwrap();
        assert_eq!(tx.depth().bytes(), 11);
        drop(rx.recv().await.unwrap());
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn many_small_values_are_no_oversized_chunk() {
    on_both_runtimes(|| async {
        let (tx, _rx) = Builder::<u8>::new(Window::messages(4)).oversize(Oversize::Alone).open().unwrap();
        for n in [5, 1000, usize::MAX] {
            assert!(matches!(refused(tx.try_reserve_many(n)), TrySendError::Refused(SendError::TooLarge { .. })));
            assert!(matches!(refused(tx.reserve_many(n).await), SendError::TooLarge { .. }));
        }
        assert_eq!(tx.reserve_many(4).await.unwrap().len(), 4);
    });
}

/// The last return of a guard that gave its bytes back before puts down a message and no bytes. A sender that parks at
/// that very moment has to notice. A race of two threads that nothing holds in step, so that they meet often.
#[test]
fn sender_that_parks_while_a_bare_message_comes_home_is_woken() {
    within(LONG_WATCHDOG, "the race", || {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::messages(1).and_bytes(10)).unwrap();
        let done = Arc::new(AtomicU64::new(0));
        let finished = Arc::clone(&done);
        let worker = thread::spawn(move || {
            let mut dice = Dice::new(5);
            for spins in 1_u32.. {
                match rx.try_recv() {
                    Ok(Some(chunk)) => {
                        let (_, mut guard) = chunk.into_parts();
                        guard.release(10).unwrap();
                        (0..dice.below(100)).for_each(|_| spin_loop());
                        drop(guard);
                        finished.fetch_add(1, Ordering::SeqCst);
                    }
                    Ok(None) => break,
                    Err(_empty) => give_way(spins),
                }
            }
        });
        let until = Instant::now() + Duration::from_secs(1);
        for sent in 1.. {
            let (count, waker) = CountingWaker::new();
            let mut send = tx.send(vec![0; 10]);
            if poll_with(&waker, Pin::new(&mut send)).is_pending() {
                // Once all work is done the sender was woken, or it never will be.
                (1..).take_while(|_| done.load(Ordering::SeqCst) + 1 < sent).for_each(give_way);
                assert_eq!(count.wakes(), 1, "it sleeps beside free credit, after {sent} sends");
                assert!(poll_with(&waker, Pin::new(&mut send)).is_ready());
            }
            if Instant::now() > until {
                break;
            }
        }
        tx.end();
        worker.join().unwrap();
    });
}

/// Spins, so that both threads go on within nanoseconds; but there may be one core for both.
fn give_way(spins: u32) {
    if spins % 1000 == 0 {
        thread::yield_now();
    }
    spin_loop();
}
