//! What lives on too long, and drops in awkward places.

use crate::support::{
    CountingWaker, FLAVOURS, WATCHDOG, assert_balanced, on_both_runtimes, panics, poll_with, runtime, turns, until,
    within,
};
use credit_channel::{CancelReason, Closed, CreditGuard, SendError, WeakProducer, Window, channel};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};
use std::thread;
use tokio::sync::oneshot;

/// crossbeam-rs/crossbeam#1102 and #669, rust-lang/rust#107466: queued items outlived the receiver, and whoever waited
/// for the reply handles in them waited for ever.
#[test]
fn report_68_queued_items_go_with_the_consumer() {
    on_both_runtimes(|| async {
        for (by_panic, one_in_hand) in [(false, false), (false, true), (true, false), (true, true)] {
            let (tx, mut rx) = channel::<oneshot::Sender<()>>(Window::messages(8)).unwrap();
            let mut replies = Vec::new();
            for _ in 0..5 {
                let (reply, wait) = oneshot::channel();
                tx.send(reply).await.unwrap();
                replies.push(wait);
            }
            if one_in_hand {
                // The consumer has taken the batch out of the queue, and handed out one of it.
                drop(rx.recv().await.unwrap());
            }
            if by_panic {
                assert!(panics(move || {
                    let _gone = rx;
                    panic!("the consumer fails");
                }));
            } else {
                drop(rx);
            }
            for wait in replies {
                assert!(wait.await.is_err(), "its item was dropped");
            }
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
            assert_balanced(tx.stats(), true);
        }
    });
}

/// tokio-rs/tokio#3043, #1916 and #2046, n0-computer/iroh#1747: drops that needed a runtime, and a shutdown that hung on
/// clones in blocking tasks.
#[test]
fn report_70_runtime_shuts_down_around_a_busy_channel() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "the shutdown", move || {
            let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
            let runtime = runtime(flavour);
            let survivor = runtime.block_on(async {
                tx.send(1).await.unwrap();
                tx.send(2).await.unwrap();
                let outside = rx.recv().await.unwrap().unwrap();
                let inside = rx.recv().await.unwrap().unwrap();
                for value in 10..15 {
                    let tx = tx.clone();
                    tokio::spawn(async move { tx.send(value).await });
                }
                let blocked = tx.clone();
                tokio::task::spawn_blocking(move || blocked.blocking_send(99).unwrap_err().into_inner());
                tokio::spawn(async move {
                    let _held = (rx, inside);
                    std::future::pending::<()>().await;
                });
                until(|| tx.stats().waiting == 6).await;
                outside
            });
            // Waits for the blocking task, which ends because the consumer goes with the runtime.
            drop(runtime);
            let stats = tx.stats();
            assert_eq!((stats.depth.messages(), stats.waiting, stats.producers), (1, 0, 1));
            assert!(matches!(tx.try_send(3).unwrap_err().closed(), Some(Closed::Cancelled(CancelReason::Dropped))));
            drop(survivor);
            assert_balanced(tx.stats(), true);
        });
    }
}

/// The same reports: handles and guards dropped on a plain thread, while it panics, and after the runtime is gone.
#[test]
fn report_70_everything_drops_outside_a_runtime() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "dropping outside a runtime", move || {
            let runtime = runtime(flavour);
            let (tx, rx, guards) = runtime.block_on(async {
                let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
                let mut guards = Vec::new();
                for value in 0..4 {
                    tx.send(value).await.unwrap();
                    guards.push(rx.recv().await.unwrap().unwrap());
                }
                (tx, rx, guards)
            });
            drop(runtime);
            let mut guards = guards.into_iter();
            let (first, second, clone) = (guards.next(), guards.next(), tx.clone());
            thread::spawn(move || drop(first)).join().unwrap();
            let failed = thread::spawn(move || {
                let _in_hand = (second, clone);
                std::panic::resume_unwind(Box::new("the thread fails"));
            });
            assert!(failed.join().is_err());
            assert_eq!((tx.credit().messages(), tx.stats().producers), (2, 1));
            drop(rx);
            drop(guards);
            assert_balanced(tx.stats(), true);
        });
    }
}

/// An item whose drop calls back into its own channel.
#[derive(Default)]
struct Meddler {
    channel: Option<WeakProducer<Self>>,
    guard: Option<CreditGuard>,
}

impl Drop for Meddler {
    fn drop(&mut self) {
        let Some(tx) = self.channel.take().and_then(|channel| channel.upgrade()) else { return };
        let _ = tx.stats();
        drop(self.guard.take());
        drop(tx.try_send(Self::default()));
        drop(tx.try_reserve());
        tx.end();
    }
}

/// tokio-rs/tokio#5578: an item's drop ran under the channel's lock and called back into it.
#[test]
fn report_71_items_that_call_back_when_dropped_do_no_harm() {
    on_both_runtimes(|| async {
        for ending in 0..4 {
            let (tx, mut rx) = channel::<Meddler>(Window::messages(4)).unwrap();
            tx.send(Meddler::default()).await.unwrap();
            let guard = rx.recv().await.unwrap().unwrap().into_parts().1;
            for guard in [Some(guard), None, None] {
                tx.send(Meddler { channel: Some(tx.downgrade()), guard }).await.unwrap();
            }
            match ending {
                0 => drop(rx),
                1 => {
                    rx.cancel(CancelReason::Requested);
                }
                2 => tx.clone().fail_now("stop"),
                _ => {
                    for _ in 0..3 {
                        drop(rx.recv().await.unwrap());
                    }
                    drop(rx);
                }
            }
            assert!(tx.is_closed());
            assert_balanced(tx.stats(), true);
        }
    });
}

/// Does something when it is woken or dropped. A waker's clone cannot be had without unsafe code.
struct Meddling(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Meddling {
    fn waker(act: impl FnOnce() + Send + 'static) -> Waker {
        Waker::from(Arc::new(Self(Mutex::new(Some(Box::new(act))))))
    }
}

impl Wake for Meddling {
    fn wake(self: Arc<Self>) {
        let act = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(act) = act {
            act();
        }
    }
}

impl Drop for Meddling {
    fn drop(&mut self) {
        if let Some(act) = self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
            act();
        }
    }
}

/// tokio-rs/tokio#1886: a waker ran under the lock, or its panic kept the others asleep.
#[test]
fn report_71_waker_that_panics_keeps_nobody_asleep() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
        let mut guards = Vec::new();
        for value in 0..2 {
            tx.send(value).await.unwrap();
            guards.push(rx.recv().await.unwrap().unwrap());
        }
        let (count, good) = CountingWaker::new();
        let bad = Meddling::waker(|| std::panic::resume_unwind(Box::new("a waker fails")));
        let (mut first, mut second) = (tx.send(10), tx.send(20));
        assert!(poll_with(&bad, Pin::new(&mut first)).is_pending());
        assert!(poll_with(&good, Pin::new(&mut second)).is_pending());
        drop(bad);
        // Both at once, so that the one that fails comes first.
        assert!(panics(|| rx.set_window(Window::messages(4)).unwrap()), "the panic is not swallowed");
        assert_eq!(count.wakes(), 1);
        first.await.unwrap();
        second.await.unwrap();
        guards.clear();
        drop((rx.recv().await.unwrap(), rx.recv().await.unwrap()));
        assert_balanced(tx.stats(), true);
    });
}

/// The same report: wakers that call back into the channel or drop parts of it when woken or dropped.
#[test]
fn report_71_waker_that_meddles_with_the_channel_does_not_deadlock() {
    on_both_runtimes(|| async {
        for dropped in [false, true] {
            let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
            tx.send(0).await.unwrap();
            let guard = rx.recv().await.unwrap().unwrap();
            let (other, other_guard) = (tx.clone(), Mutex::new(Some(guard)));
            let other_guard = Arc::new(other_guard);
            let in_waker = Arc::clone(&other_guard);
            let waker = Meddling::waker(move || {
                let _ = other.stats();
                drop(in_waker.lock().unwrap().take());
                drop(other.try_send(5));
                other.end();
            });
            let mut parked = tx.send(1);
            assert!(poll_with(&waker, Pin::new(&mut parked)).is_pending());
            drop(waker);
            if dropped {
                drop(parked);
                assert_eq!(rx.recv().await.unwrap().unwrap().into_inner(), 5);
            } else {
                rx.cancel(CancelReason::Requested);
                assert!(matches!(parked.await, Err(SendError::Closed { value: 1, .. })));
            }
            turns(2).await;
            assert_balanced(tx.stats(), true);
        }
    });
}
