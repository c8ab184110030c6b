//! Plain threads: the blocking verbs wait, are woken and told as the others are.

use crate::support::{FLAVOURS, WATCHDOG, assert_balanced, runtime, within};
use credit_channel::{CancelReason, Closed, Window, channel};
use std::thread;

#[test]
fn threads_hand_work_over_without_a_runtime() {
    within(WATCHDOG, "the threads", || {
        let (tx, mut rx) = channel::<u64>(Window::messages(3)).unwrap();
        let producers: Vec<_> = (0..4)
            .map(|_| {
                let tx = tx.clone();
                thread::spawn(move || {
                    (0..500).for_each(|item| tx.blocking_send(item).unwrap());
                    tx.end();
                })
            })
            .collect();
        tx.end();
        let mut sum = 0;
        while let Some(chunk) = rx.blocking_recv().unwrap() {
            assert!(rx.stats().depth.messages() <= 3);
            sum += *chunk;
        }
        assert_eq!(sum, 4 * (0..500).sum::<u64>());
        producers.into_iter().for_each(|producer| producer.join().unwrap());
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn thread_parked_in_send_is_told_of_the_cancel() {
    within(WATCHDOG, "the parked threads", || {
        let (tx, rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.blocking_send(0).unwrap();
        let parked: Vec<_> = (1..=10)
            .map(|item| {
                let tx = tx.clone();
                thread::spawn(move || tx.blocking_send(item).unwrap_err())
            })
            .collect();
        while tx.stats().waiting < 10 {
            thread::yield_now();
        }
        rx.cancel(CancelReason::Shutdown);
        for (item, parked) in (1..).zip(parked) {
            let error = parked.join().unwrap();
            assert_eq!(error.closed(), Some(&Closed::Cancelled(CancelReason::Shutdown)));
            assert_eq!(error.into_inner(), item);
        }
    });
}

#[test]
fn thread_parked_in_recv_is_told_of_the_end() {
    for clean in [false, true] {
        within(WATCHDOG, "the parked thread", move || {
            let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
            let parked = thread::spawn(move || rx.blocking_recv().map(|end| end.is_none()));
            if clean {
                tx.end()
            } else {
                drop(tx)
            }
            assert_eq!(parked.join().unwrap().ok(), clean.then_some(true));
        });
    }
}

/// It is not meant for a thread that runs tasks; but it must not hang on chunks that are there, however much of the
/// task's budget is spent.
#[test]
fn blocking_recv_takes_what_is_there_whatever_the_budget() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "the task that blocks", move || {
            let runtime = runtime(flavour);
            let task = runtime.spawn(async {
                let (tx, mut rx) = channel::<u64>(Window::messages(1000)).unwrap();
                for item in 0..1000 {
                    tx.try_send(item).unwrap();
                }
                for item in 0..1000 {
                    assert_eq!(*rx.blocking_recv().unwrap().unwrap(), item);
                }
            });
            runtime.block_on(task).unwrap();
        });
    }
}
