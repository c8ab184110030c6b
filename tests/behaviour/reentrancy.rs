//! No user code runs under the lock: values, weighers and wakers may call back, fail or drop parts of the channel.

use crate::support::{WATCHDOG, assert_balanced, on_both_runtimes, panics, poll_with, within};
use credit_channel::{Builder, CancelReason, Chunk, CreditProducer, Window, channel};
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Wake, Waker};

/// A value whose drop panics, unless a panic is under way already.
struct Fails(bool);

impl Drop for Fails {
    fn drop(&mut self) {
        if self.0 && !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a drop fails"));
        }
    }
}

#[test]
fn value_that_panics_in_its_drop_costs_no_credit() {
    for ending in 0..4 {
        let (tx, mut rx) = channel::<Fails>(Window::messages(8)).unwrap();
        for fails in [false, false, true, false] {
            tx.try_send(Fails(fails)).unwrap();
        }
        if ending == 3 {
            // Part of it in the consumer's batch, and one that fails in the queue behind it.
            drop(rx.try_recv().unwrap());
            drop(rx.try_recv().unwrap());
            tx.try_send(Fails(true)).unwrap();
            assert!(panics(|| drop(rx.try_recv().unwrap())));
        }
        let panicked = match ending {
            0 | 3 => panics(move || drop(rx)),
            1 => panics(|| _ = rx.cancel(CancelReason::Requested)),
            _ => panics(|| tx.clone().fail_now("stop")),
        };
        assert!(panicked, "the panic is the caller's to see");
        assert!(tx.is_closed());
        assert_balanced(tx.stats(), true);
    }
}

#[test]
fn batch_is_accounted_for_when_a_queued_value_panics() {
    let (tx, mut rx) = channel::<Fails>(Window::messages(4)).unwrap();
    tx.try_send(Fails(false)).unwrap();
    tx.try_send(Fails(false)).unwrap();
    drop(rx.try_recv().unwrap());
    tx.try_send(Fails(true)).unwrap();
    assert!(panics(|| drop(rx)));
    assert_balanced(tx.stats(), true);
}

/// A value that holds its own channel: a chunk of it, and a producer.
#[derive(Default)]
#[expect(dead_code, reason = "they are there to be dropped")]
struct Inward {
    chunk: Option<Chunk<Box<Self>>>,
    producer: Option<CreditProducer<Box<Self>>>,
}

#[test]
fn channel_that_holds_itself_is_freed_with_its_consumer() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<Box<Inward>>(Window::messages(4)).unwrap();
        tx.send(Box::default()).await.unwrap();
        let first = rx.recv().await.unwrap();
        tx.send(Box::new(Inward { chunk: first, producer: Some(tx.clone()) })).await.unwrap();
        tx.send(Box::new(Inward { chunk: None, producer: Some(tx.clone()) })).await.unwrap();
        assert_eq!(tx.stats().producers, 3);
        drop(rx);
        assert_eq!(tx.stats().producers, 1);
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn weigher_may_use_the_channel_that_it_weighs_for() {
    within(WATCHDOG, "the weigher", || {
        let inside: Arc<OnceLock<CreditProducer<u64>>> = Arc::default();
        let weighs = Arc::clone(&inside);
        let weigh = move |value: &u64| {
            if let (Some(tx), true) = (weighs.get(), *value > 100) {
                let _ = tx.stats();
                drop(tx.try_send(1));
            }
            2
        };
        let (tx, mut rx) = Builder::new(Window::bytes(10)).weigh_with(weigh).open().unwrap();
        inside.set(tx.clone()).ok().unwrap();
        tx.try_send(200).unwrap();
        assert_eq!(rx.try_recv().unwrap().unwrap().into_inner(), 1);
        assert_eq!(rx.try_recv().unwrap().unwrap().into_inner(), 200);
        assert_balanced(tx.stats(), true);
        drop(rx);
    });
}

/// Acts once when it is woken, or when its last clone goes without that. (What a waker's clone does cannot be chosen
/// without unsafe code.)
struct Acts(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Acts {
    fn waker(act: impl FnOnce() + Send + 'static) -> Waker {
        Waker::from(Arc::new(Self(Mutex::new(Some(Box::new(act))))))
    }

    fn act(&self) {
        let act = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        act.into_iter().for_each(|act| act());
    }
}

impl Wake for Acts {
    fn wake(self: Arc<Self>) {
        self.act();
    }
}

impl Drop for Acts {
    fn drop(&mut self) {
        self.act();
    }
}

#[test]
fn wakers_of_every_kind_may_use_the_channel_when_woken_or_dropped() {
    within(WATCHDOG, "the wakers", || {
        for woken in [false, true] {
            let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
            tx.try_send(0).unwrap();
            let in_hand = rx.try_recv().unwrap();
            let acts = || {
                let tx = tx.clone();
                Acts::waker(move || {
                    let _ = tx.stats();
                    drop(tx.try_send(9));
                    tx.end();
                })
            };
            {
                let mut send = pin!(tx.send(1));
                let mut reserve = pin!(tx.reserve());
                let mut closed = pin!(tx.closed());
                let mut finished = pin!(tx.finished());
                assert!(poll_with(&acts(), send.as_mut()).is_pending());
                assert!(poll_with(&acts(), reserve.as_mut()).is_pending());
                assert!(poll_with(&acts(), closed.as_mut()).is_pending());
                assert!(poll_with(&acts(), finished.as_mut()).is_pending());
                // Polled again with another waker, the first is dropped: outside the lock.
                assert!(poll_with(&acts(), send.as_mut()).is_pending());
                assert!(poll_with(&acts(), closed.as_mut()).is_pending());
                assert!(poll_with(&acts(), pin!(rx.recv())).is_pending());
                assert!(poll_with(&acts(), pin!(rx.recv())).is_pending());
                if woken {
                    drop(in_hand);
                    rx.cancel(CancelReason::Requested);
                }
            }
            drop(rx);
            assert_eq!(tx.stats().producers, 1, "every waker is gone");
            assert_eq!(tx.stats().waiting, 0);
        }
    });
}

/// The send was through, its ticket handed in, and the panic came before the future knew: its drop left the line
/// once more.
#[test]
fn send_whose_wake_up_of_the_consumer_panics_has_left_the_line() {
    within(WATCHDOG, "the send", || {
        let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.try_send(0).unwrap();
        let in_hand = rx.try_recv().unwrap();
        let mut send = Box::pin(tx.send(1));
        assert!(poll_with(Waker::noop(), send.as_mut()).is_pending());
        let bad = Acts::waker(|| std::panic::resume_unwind(Box::new("a waker fails")));
        assert!(rx.poll_recv(&mut Context::from_waker(&bad)).is_pending());
        std::mem::forget(bad);
        drop(in_hand);
        assert!(panics(|| _ = poll_with(Waker::noop(), send.as_mut())));
        drop(send);
        assert_eq!(rx.try_recv().unwrap().map(Chunk::into_inner), Some(1));
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn wakers_that_panic_keep_no_other_call_parked() {
    within(WATCHDOG, "the wakers", || {
        let (tx, rx) = channel::<u64>(Window::messages(1)).unwrap();
        tx.try_send(0).unwrap();
        let mut sends: Vec<_> = (1..=6).map(|item| Box::pin(tx.send(item))).collect();
        let (count, good) = crate::support::CountingWaker::new();
        for (place, send) in sends.iter_mut().enumerate() {
            let bad = Acts::waker(|| std::panic::resume_unwind(Box::new("a waker fails")));
            let waker = if place % 2 == 0 { &bad } else { &good };
            assert!(poll_with(waker, send.as_mut()).is_pending());
            if place % 2 == 1 {
                // Not dropped: its drop would fail here.
                std::mem::forget(bad);
            }
        }
        assert!(panics(|| _ = rx.cancel(CancelReason::Requested)));
        assert_eq!(count.wakes(), 3);
        for send in sends {
            let error = futures_util::FutureExt::now_or_never(send).unwrap().unwrap_err();
            assert!(error.closed().is_some());
        }
        drop(rx);
        assert_balanced(tx.stats(), true);
    });
}
