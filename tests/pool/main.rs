//! The buffer pool: who gets a buffer and when, what comes home, and what is made afresh.
#![cfg(all(feature = "bytes", not(credit_channel_loom)))]

#[path = "../support/mod.rs"]
mod support;

mod frozen;
mod line;

use credit_channel::pool::{BufferPool, PoolError, PoolStats, PooledBuf};

const SIZE: usize = 1024;

fn pool(count: u64) -> BufferPool {
    BufferPool::new(count, SIZE).expect("a pool")
}

#[test]
fn refused_when_it_is_made() {
    let make = |count, size| BufferPool::new(count, size).map(drop);
    assert_eq!(make(0, SIZE), Err(PoolError::NoBuffers));
    assert_eq!(make(4, 0), Err(PoolError::Size { size_bytes: 0 }));
    assert_eq!(make(4, usize::MAX), Err(PoolError::Size { size_bytes: usize::MAX }));
    assert_eq!(make(u64::MAX, SIZE), Ok(()), "none of them is made before it is needed");
    assert_eq!(PoolError::NoBuffers.to_string(), "a pool of 0 buffers has nothing to give");
}

#[test]
fn handles_and_buffers_go_anywhere() {
    fn anywhere<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    fn spawns<F: Future + Send>(_: F) {}
    anywhere::<BufferPool>();
    anywhere::<PooledBuf>();
    anywhere::<PoolError>();
    anywhere::<PoolStats>();
    spawns(pool(1).take());
}
