//! Loom models of what the drivers of transports do to a channel: the races that no public call can reach.

use super::{Fill, Inlet, Outlet, Way};
use crate::ledger::Books;
use crate::{Closed, Credit, CreditProducer, Disconnect, RecvError, SendError, Window};
use loom::alloc::Track;
use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::task::Poll;

fn model(preemptions: usize, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(preemptions);
    builder.max_branches = builder.max_branches.max(10_000);
    builder.check(f);
}

fn books(released: u64, limit: u64, window: u64) -> Books {
    let of = |messages| Credit::new(messages, 0);
    Books { released: of(released), limit: of(limit), window: of(window) }
}

fn outlet(window: u64, granted: u64) -> (CreditProducer<Track<u64>>, Outlet<Track<u64>>) {
    let (tx, mut outlet) = Outlet::open(Window::messages(window), Credit::new(64, 0), Box::new(|_| Ok(0)));
    outlet.follow(books(0, granted, window), None);
    (tx, outlet)
}

/// A guard comes home just as the driver looks at the books and goes to sleep. If the race is lost, the credit
/// never travels.
///
/// Seen failing when the driver leaves its waker without bringing the books up to date under the same lock.
#[test]
fn guard_drop_vs_driver_sleep() {
    model(3, || {
        let (mut rx, mut inlet) = Inlet::open(Window::messages(1));
        inlet.push(Track::new(0), 1);
        inlet.hand_over();
        let consumer = thread::spawn(move || {
            drop(block_on(rx.recv()).expect("open").expect("not ended"));
            rx
        });
        let released = block_on(poll_fn(|cx| match inlet.poll_news(true, Way::default(), cx).books {
            Some(books) => Poll::Ready(books.released),
            None => Poll::Pending,
        }));
        assert_eq!(released, Credit::new(1, 0));
        drop(consumer.join().expect("no panic"));
    });
}

/// Two guards come home just as the driver looks at the books and goes to sleep; in a window that may hold credit back
/// only the last of them is to wake it. If the race is lost, the credit never travels.
///
/// Seen failing when a tray that is armed does not look at what lies there already.
#[test]
fn last_guards_vs_driver_sleep() {
    model(3, || {
        let (mut rx, mut inlet) = Inlet::open(Window::messages(16));
        for id in 0..2 {
            inlet.push(Track::new(id), 1);
        }
        inlet.hand_over();
        let chunks = [(); 2].map(|()| block_on(rx.recv()).expect("open").expect("not ended"));
        let workers = chunks.map(|chunk| thread::spawn(move || drop(chunk)));
        let released = block_on(poll_fn(|cx| match inlet.poll_news(true, Way::default(), cx).books {
            Some(books) if books.released == Credit::new(2, 0) => Poll::Ready(books.released),
            _ => Poll::Pending,
        }));
        assert_eq!(released, Credit::new(2, 0));
        for worker in workers {
            worker.join().expect("no panic");
        }
    });
}

/// What arrived is handed over just as the consumer finds nothing and waits.
///
/// Seen failing when handing over does not wake the consumer.
#[test]
fn hand_over_vs_recv() {
    model(3, || {
        let (mut rx, mut inlet) = Inlet::open(Window::messages(2));
        let driver = thread::spawn(move || {
            inlet.push(Track::new(7), 1);
            inlet.hand_over();
            inlet
        });
        assert_eq!(*block_on(rx.recv()).expect("open").expect("not ended").get_ref(), 7);
        let mut inlet = driver.join().expect("no panic");
        inlet.end(1);
        assert!(block_on(rx.recv()).expect("a clean end").is_none());
    });
}

/// The consumer goes just as something is handed over: the value is dropped once, and its credit is home.
///
/// Seen failing when what arrives at a cancelled channel is queued all the same: loom finds the leak.
#[test]
fn consumer_drop_vs_hand_over() {
    model(3, || {
        let (rx, mut inlet) = Inlet::open(Window::messages(2));
        let consumer = thread::spawn(move || drop(rx));
        inlet.push(Track::new(0), 1);
        inlet.hand_over();
        consumer.join().expect("no panic");
        let news = block_on(poll_fn(|cx| Poll::Ready(inlet.poll_news(true, Way::default(), cx))));
        assert!(news.stop.is_some() && news.done);
    });
}

/// The consumer's books arrive just as a sender parks for them.
///
/// Seen failing when following the books does not serve the line.
#[test]
fn books_vs_park() {
    model(3, || {
        let (tx, mut outlet) = outlet(1, 1);
        tx.try_send(Track::new(0)).expect("granted");
        let sender = thread::spawn(move || {
            block_on(tx.send(Track::new(1))).expect("open");
            tx
        });
        outlet.follow(books(1, 2, 1), None);
        sender.join().expect("no panic").end();
        for id in 0..2 {
            loop {
                match outlet.pop() {
                    Some(value) => break assert_eq!(*value.get_ref(), id),
                    None => assert!(matches!(block_on(poll_fn(|cx| outlet.poll_fill(cx))), Fill::More)),
                }
            }
        }
        assert!(matches!(block_on(poll_fn(|cx| outlet.poll_fill(cx))), Fill::Over(Ok(()))));
    });
}

/// The driver finds nothing to send and sleeps, just as a sender parks: it has to say BLOCKED, so it has to
/// hear of it.
///
/// Seen failing when a park does not wake the driver.
#[test]
fn park_vs_driver_sleep() {
    model(3, || {
        let (tx, mut outlet) = outlet(8, 0);
        let sender = thread::spawn(move || block_on(tx.send(Track::new(0))).expect("open"));
        block_on(poll_fn(|cx| match outlet.poll_fill(cx) {
            Poll::Pending if !outlet.is_blocked() => Poll::Pending,
            _ => Poll::Ready(()),
        }));
        outlet.follow(books(0, 8, 8), None);
        sender.join().expect("no panic");
    });
}

/// The driver is dropped just as a sender parks and a consumer waits.
///
/// Seen failing when the drop ends the channel without waking the line.
#[test]
fn driver_drop_vs_parked_calls() {
    model(3, || {
        let (tx, outlet) = outlet(1, 0);
        let sender = thread::spawn(move || block_on(tx.send(Track::new(0))));
        drop(outlet);
        let refused = sender.join().expect("no panic").expect_err("no driver, no sending");
        let lost = Closed::Disconnected(Disconnect::DriverDropped);
        assert!(matches!(refused, SendError::Closed { reason, .. } if reason == lost));
    });
    model(3, || {
        let (mut rx, inlet) = Inlet::<Track<u64>>::open(Window::messages(1));
        let consumer = thread::spawn(move || block_on(rx.recv()).expect_err("no driver, no chunks"));
        drop(inlet);
        let reason = Disconnect::DriverDropped;
        assert_eq!(consumer.join().expect("no panic"), RecvError::Truncated { received: 0, reason });
    });
}
