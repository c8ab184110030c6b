//! The only file that names `std::sync`'s primitives or loom's.
//!
//! `Arc` is std's in both: its counting is not what the models are about, and loom's cannot become an
//! `Arc<dyn …>`.

#[cfg(not(credit_channel_loom))]
pub(crate) use std::sync::{
    MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

#[cfg(credit_channel_loom)]
pub(crate) use loom::sync::{
    MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

#[cfg(not(credit_channel_loom))]
use std::sync as imp;

#[cfg(credit_channel_loom)]
use loom::sync as imp;

/// A mutex without poison, on cache lines of its own.
///
/// No user code runs under it, so a panic while it is held is a bug of ours, and later callers are better
/// served by the state as it is than by a panic of their own (which in a `Drop` would abort). The
/// alignment keeps what the producer writes from slowing what the consumer reads beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Mutex<T>(imp::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(imp::Mutex::new(value))
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        match self.0.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// Runs a future to its end on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    #[cfg(not(credit_channel_loom))]
    return pollster::block_on(future);
    #[cfg(credit_channel_loom)]
    return loom::future::block_on(future);
}
