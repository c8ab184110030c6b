//! Loom models of what stages hold: the races that no public call can reach alone.

use super::{Basin, Behind};
use crate::{CancelReason, Closed, Credit, Window, channel};
use loom::alloc::Track;
use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;

fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(3);
    builder.max_branches = builder.max_branches.max(10_000);
    builder.check(f);
}

/// The last guard that is out comes home just as the stage finds no room and goes to sleep.
///
/// Seen failing when a place in line is taken without asking to be told of guards.
#[test]
fn guard_drop_vs_basin_room() {
    model(|| {
        let mut basin = Basin::new(Window::messages(2));
        block_on(poll_fn(|cx| basin.poll_reserve(2, cx)));
        basin.put(Track::new(0));
        basin.put(Track::new(1));
        let out = [basin.take().expect("put in"), basin.take().expect("put in")];
        let work = thread::spawn(move || drop(out));
        block_on(poll_fn(|cx| basin.poll_reserve(2, cx)));
        assert_eq!(basin.owed(), 2);
        work.join().expect("no panic");
    });
}

/// Work is done just as who waits behind the producer looks at how much is, and goes to sleep.
///
/// Seen failing when `settle` does not tell those who wait for a release.
#[test]
fn guard_drop_vs_behind() {
    model(|| {
        let (tx, mut rx) = channel(Window::messages(2)).expect("a window");
        let mut behind = Behind::new(&tx);
        for id in 0..2 {
            assert!(tx.try_send(Track::new(id)).is_ok());
            behind.hold(Track::new(id), Credit::new(1, 0));
        }
        let work = thread::spawn(move || {
            drop(rx.try_recv());
            drop(rx.try_recv());
            rx
        });
        assert_eq!(block_on(poll_fn(|cx| behind.poll_done(cx))), Ok(()));
        drop(work.join().expect("no panic"));
    });
}

/// The consumer cancels just as who waits behind the producer goes to sleep, with nothing held and with something.
///
/// Seen failing when `close` does not tell those who wait for a release.
#[test]
fn cancel_vs_behind() {
    for held in [false, true] {
        model(move || {
            let (tx, rx) = channel(Window::messages(1)).expect("a window");
            let mut behind = Behind::new(&tx);
            if held {
                assert!(tx.try_send(Track::new(0)).is_ok());
                behind.hold(Track::new(0), Credit::new(1, 0));
            }
            let canceller = thread::spawn(move || rx.cancel(CancelReason::Timeout));
            let closed = block_on(poll_fn(|cx| behind.poll_closed(cx)));
            assert_eq!(closed, Closed::Cancelled(CancelReason::Timeout));
            canceller.join().expect("no panic");
        });
    }
}
