//! Buffers of a pool.

use crate::support::model;
use credit_channel::pool::BufferPool;
use loom::future::block_on;
use loom::thread;

/// The only buffer goes home, as it is or frozen, just as two others want it. If the race is lost, one of them sleeps
/// for ever, or finds its place and no buffer there, and a second one is made.
///
/// Seen failing when a buffer's place is given back before the buffer.
#[test]
fn home_vs_take() {
    for frozen in [false, true] {
        model(3, move || {
            let pool = BufferPool::new(1, 8).expect("a pool");
            let buf = pool.try_take().expect("one");
            let take = |pool: BufferPool| thread::spawn(move || drop(block_on(pool.take())));
            let (first, second) = (take(pool.clone()), take(pool.clone()));
            // Empty, so that no view keeps it: it is the same on either way.
            if frozen {
                drop(buf.freeze())
            } else {
                drop(buf)
            }
            first.join().expect("no panic");
            second.join().expect("no panic");
            let stats = pool.stats();
            assert_eq!((stats.home, stats.out, stats.waiting), (1, 0, 0));
            assert_eq!((stats.taken, stats.made, stats.misses), (3, 1, 0));
        });
    }
}
