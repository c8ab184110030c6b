//! The only file that names real locks and atomics, or loom's.
//!
//! `Arc` is std's in both: its counting is not what the models are about, and loom's cannot become an
//! `Arc<dyn …>`.

#[cfg(not(credit_channel_loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(credit_channel_loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The channel's lock, on cache lines of its own, so that what the producer writes does not slow what the
/// consumer reads beside it.
///
/// Taking a std mutex and giving it back are two atomic read-modify-writes; a spin lock is given back with
/// a plain store, and one send in two takes nothing else. It suits what runs under it, which is bounded and
/// short: a few loads and stores, no user code, no wake-up, at most a buffer that grows. A holder that loses
/// its core is waited for politely: a moment of spinning, then yields, then short sleeps, so that even a
/// waiter of higher priority lets it finish.
///
/// Nothing is poisoned: no user code runs under it, so a panic while it is held is a bug of ours, and later
/// callers are better served by the state as it is than by a panic of their own, which in a `Drop` aborts.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Mutex<T>(imp::Lock<T>);

#[cfg(not(credit_channel_loom))]
mod imp {
    use super::Mutex;
    use spin::mutex::{SpinMutex, SpinMutexGuard};
    use std::hint::spin_loop;
    use std::thread::{sleep, yield_now};
    use std::time::Duration;

    pub(super) type Lock<T> = SpinMutex<T>;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(Lock::new(value))
        }

        #[inline]
        pub(crate) fn lock(&self) -> SpinMutexGuard<'_, T> {
            match self.0.try_lock() {
                Some(guard) => guard,
                None => self.wait(),
            }
        }

        #[cold]
        fn wait(&self) -> SpinMutexGuard<'_, T> {
            let mut turns = 0_u32;
            loop {
                match turns {
                    // Ever longer: who looks all the time slows down whom it waits for.
                    0..16 => (0..1_u32 << turns.min(4)).for_each(|_| spin_loop()),
                    16..80 => yield_now(),
                    _ => sleep(Duration::from_micros(50)),
                }
                turns = turns.saturating_add(1);
                if !self.0.is_locked() {
                    if let Some(guard) = self.0.try_lock() {
                        return guard;
                    }
                }
            }
        }
    }
}

#[cfg(credit_channel_loom)]
mod imp {
    use super::Mutex;
    use loom::sync::MutexGuard;

    pub(super) type Lock<T> = loom::sync::Mutex<T>;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(Lock::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            match self.0.lock() {
                Ok(guard) => guard,
                Err(poisoned) => poisoned.into_inner(),
            }
        }
    }
}

/// Runs a future to its end on this thread.
///
/// Without tokio's budget: on a thread that runs a task whose budget is used up, the wake-up for the next
/// one would come from the very scheduler that this blocks, even if a chunk or credit is there.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    #[cfg(not(credit_channel_loom))]
    return pollster::block_on(tokio::task::coop::unconstrained(future));
    #[cfg(credit_channel_loom)]
    return loom::future::block_on(future);
}
