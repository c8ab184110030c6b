//! User code: it runs under no lock, may use the channel, and if it fails nothing else is lost.

use crate::support::{Census, Counted, WATCHDOG, assert_balanced, panics, poll_with, within};
use credit_channel::overflow::{self, Builder, DropReason, Offering, Overflowed, Policy, Verdict};
use credit_channel::stages::Stage;
use credit_channel::{CancelReason, Window};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Wake, Waker};

/// A channel whose hook counts, and then fails at every second value.
fn failing(policy: Policy<Counted>) -> (Offering<Counted>, Overflowed<Counted>, Arc<AtomicU64>) {
    let told = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&told);
    let (tx, rx) = Builder::new(policy, Window::messages(1))
        .on_drop(move |_, _| {
            if count.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
                panic!("on purpose");
            }
        })
        .open()
        .unwrap();
    (tx, rx, told)
}

#[test]
fn a_hook_that_panics_loses_none_of_the_others() {
    for ending in 0..3 {
        let census = Census::default();
        let (tx, mut rx, told) = failing(if ending == 0 { Policy::drop_all(6) } else { Policy::reject(6) });
        for _ in 0..6 {
            assert_eq!(tx.offer(census.one()).unwrap(), Verdict::Accepted);
        }
        assert!(match ending {
            0 => panics(|| _ = tx.offer(census.one())),
            1 => panics(|| rx.cancel(CancelReason::Requested)),
            _ => panics(|| drop(rx)),
        });
        assert_eq!(told.load(Ordering::SeqCst), 6);
        let left = u64::from(ending == 0);
        assert_eq!((census.alive(), tx.stats().buffered, tx.stats().dropped.total()), (left, left, 6));
        assert_eq!(tx.is_closed(), ending != 0, "and what was to happen has happened");
    }
}

#[test]
fn a_consumer_dropped_in_a_panic_reports_in_silence() {
    let census = Census::default();
    let (tx, rx, told) = failing(Policy::reject(6));
    for _ in 0..6 {
        assert_eq!(tx.offer(census.one()).unwrap(), Verdict::Accepted);
    }
    assert!(panics(move || {
        let _rx = rx;
        panic!("on purpose");
    }));
    assert_eq!((told.load(Ordering::SeqCst), census.alive()), (6, 0));
}

/// A value that fails in its drop, where there is no hook.
#[test]
fn values_that_panic_in_their_drop_lose_none_of_the_others() {
    struct Fails(#[expect(dead_code, reason = "there to be dropped")] Counted);
    impl Drop for Fails {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                std::panic::resume_unwind(Box::new("a drop fails"));
            }
        }
    }
    let census = Census::default();
    let (tx, rx) = overflow::channel(Policy::drop_all(3), Window::messages(1)).unwrap();
    for _ in 0..3 {
        assert_eq!(tx.offer(Fails(census.one())).unwrap(), Verdict::Accepted);
    }
    assert!(panics(|| _ = tx.offer(Fails(census.one()))));
    assert_eq!((census.alive(), tx.stats().buffered), (1, 1));
    assert!(panics(|| drop(rx)));
    assert_eq!(census.alive(), 0);
}

#[test]
fn hook_and_fold_may_use_the_channel() {
    within(WATCHDOG, "user code", || {
        let inside: Arc<OnceLock<Offering<u64>>> = Arc::default();
        let uses = Arc::clone(&inside);
        let (tx, rx) = Builder::new(Policy::drop_oldest(2), Window::messages(1))
            .on_drop(move |value, reason| {
                let tx = uses.get().unwrap();
                assert!(tx.stats().dropped.total() > 0);
                if reason == DropReason::Oldest && value < 10 {
                    let _ = tx.offer(value + 10);
                }
            })
            .open()
            .unwrap();
        inside.set(tx.clone()).ok().unwrap();
        for n in 0..3 {
            assert!(tx.offer(n).unwrap().is_accepted());
        }
        // 0 went for 2; its hook offered 10, for which 1 went; whose hook offered 11, for which 2 went, and 12.
        assert_eq!(tx.stats().offered, 6);
        drop(rx);
        assert_eq!((tx.stats().buffered, tx.stats().dropped.cancelled), (0, 2));

        let inside: Arc<OnceLock<Offering<u64>>> = Arc::default();
        let uses = Arc::clone(&inside);
        let fold = move |sum, n| {
            if n == 2 {
                let _ = uses.get().unwrap().offer(100);
            }
            sum + n
        };
        let (tx, mut rx) = overflow::channel(Policy::conflate(fold), Window::messages(1)).unwrap();
        inside.set(tx.clone()).ok().unwrap();
        assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
        assert_eq!(tx.offer(2), Ok(Verdict::Conflated));
        let std::task::Poll::Ready(Ok(Some(chunk))) = poll_with(Waker::noop(), pin!(rx.recv())) else { panic!("one") };
        assert_eq!(*chunk, 103);
    });
}

/// Fails when it is woken.
struct Fails;

impl Wake for Fails {
    fn wake(self: Arc<Self>) {
        std::panic::resume_unwind(Box::new("a waker fails"));
    }
}

/// What an offer has dropped is reported even if the consumer's waker fails; and the value is in.
#[test]
fn a_waker_that_panics_hides_no_loss() {
    let log: Arc<Mutex<Vec<u64>>> = Arc::default();
    let hook = Arc::clone(&log);
    let (tx, mut rx) = Builder::new(Policy::fail(1, credit_channel::stages::ErrorOrder::AtOnce), Window::messages(1))
        .on_drop(move |value, _| hook.lock().unwrap().push(value))
        .open()
        .unwrap();
    assert!(tx.offer(1).unwrap().is_accepted());
    let std::task::Poll::Ready(Ok(Some(held))) = poll_with(Waker::noop(), pin!(rx.recv())) else { panic!("one") };
    let fails = Waker::from(Arc::new(Fails));
    assert!(rx.poll_next(&mut Context::from_waker(&fails)).is_pending());
    assert!(tx.offer(2).unwrap().is_accepted());
    assert!(panics(|| _ = tx.offer(3)), "it wakes the consumer, for the failure");
    assert_eq!(*log.lock().unwrap(), [2]);
    assert!(tx.is_closed());
    let meter = rx.meter();
    assert!(panics(|| drop(held)), "its waker is in line for credit too");
    drop(rx);
    assert_balanced(meter.stats(), true);
}

/// The value is out of the buffer, and the waker of the sender that gets its place fails: the next poll brings it.
#[test]
fn a_waker_that_panics_costs_no_value() {
    let (tx, mut rx) = overflow::channel(Policy::wait(1, 1), Window::messages(1)).unwrap();
    assert!(tx.offer(1).unwrap().is_accepted());
    let mut send = Box::pin(tx.send(2));
    assert!(poll_with(&Waker::from(Arc::new(Fails)), send.as_mut()).is_pending());
    assert!(panics(|| _ = poll_with(Waker::noop(), pin!(rx.recv()))));
    let chunk = poll_with(Waker::noop(), pin!(rx.recv()));
    assert!(matches!(chunk, std::task::Poll::Ready(Ok(Some(chunk))) if *chunk == 1 && chunk.seq() == 0));
    assert_eq!(poll_with(Waker::noop(), send.as_mut()), std::task::Poll::Ready(Ok(Verdict::Accepted)));
    drop(send);
    let chunk = poll_with(Waker::noop(), pin!(rx.recv()));
    assert!(matches!(chunk, std::task::Poll::Ready(Ok(Some(chunk))) if *chunk == 2));
    assert_balanced(rx.meter().stats(), true);
}
