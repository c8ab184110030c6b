//! I4: first come, first served, and nobody sleeps whose turn it is.

use crate::support::{
    CountingWaker, Dice, LONG_WATCHDOG, assert_balanced, on_both_runtimes, poll_once, poll_with, refused, within,
};
use credit_channel::{Builder, Oversize, SendError, TrySendError, Window, channel, weighted};
use std::hint::spin_loop;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn parked_sends_are_served_in_the_order_in_which_they_came() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let mut line: Vec<_> = (1..=100).map(|item| tx.send(item)).collect();
        let mut wakers = Vec::new();
        for send in &mut line {
            let (count, waker) = CountingWaker::new();
            assert!(poll_with(&waker, Pin::new(send)).is_pending());
            wakers.push(count);
        }
        for (place, send) in line.into_iter().enumerate() {
            drop(rx.recv().await.unwrap().unwrap());
            let woken: Vec<_> = wakers.iter().map(|count| count.wakes()).collect();
            assert!(woken[..=place].iter().all(|wakes| *wakes == 1), "each up to {place} was woken, and once");
            assert!(woken[place + 1..].iter().all(|wakes| *wakes == 0), "one credit wakes one sender");
            send.await.unwrap();
            assert_eq!(tx.depth().messages(), 1);
        }
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 100);
    });
}

#[test]
fn credit_for_many_at_once_wakes_exactly_so_many() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.send(0).await.unwrap();
        let (count, waker) = CountingWaker::new();
        let mut line: Vec<_> = (1..=100).map(|item| tx.send(item)).collect();
        for send in &mut line {
            assert!(poll_with(&waker, Pin::new(send)).is_pending());
        }
        rx.set_window(Window::messages(31)).unwrap();
        assert_eq!((count.wakes(), tx.stats().waiting, tx.stats().reserved.messages()), (30, 70, 30));
        rx.set_window(Window::messages(101)).unwrap();
        assert_eq!((count.wakes(), tx.stats().waiting), (100, 0));
        for send in line {
            send.await.unwrap();
        }
        for item in 0..=100 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
    });
}

#[test]
fn nobody_overtakes_the_line_whatever_the_verb() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::messages(9).and_bytes(10)).unwrap();
        tx.send(vec![0; 4]).await.unwrap();
        let mut big = tx.send(vec![0; 8]);
        assert!(poll_once(&mut big).await.is_pending());
        // There are 6 bytes and 8 messages left, and all of these would fit.
        assert!(tx.try_send(vec![0]).unwrap_err().is_full());
        assert!(refused(tx.try_reserve()).is_full());
        assert!(refused(tx.try_reserve_many(2)).is_full());
        let mut small = tx.send(vec![1]);
        assert!(poll_once(&mut small).await.is_pending());
        let mut reserving = pin!(tx.reserve());
        assert!(poll_once(&mut reserving).await.is_pending());
        // What can never be sent is refused at once, line or no line.
        assert!(matches!(tx.try_send(vec![0; 11]), Err(TrySendError::Refused(SendError::TooLarge { .. }))));
        assert!(matches!(tx.send(vec![0; 11]).await, Err(SendError::TooLarge { .. })));
        // The big one goes: those behind it are served from what was there all the time.
        drop(big);
        small.await.unwrap();
        drop(reserving.await.unwrap());
        assert_eq!(tx.depth().bytes(), 5);
        drop((rx.recv().await.unwrap(), rx.recv().await.unwrap()));
        assert_balanced(tx.stats(), true);
    });
}

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
