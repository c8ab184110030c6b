//! Wakers gathered under the lock, woken after it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

/// Wakers to be woken once the lock is free. The first needs no allocation.
#[derive(Debug, Default)]
#[must_use = "these tasks are waiting to be woken"]
pub(crate) struct WakeList {
    first: Option<Waker>,
    more: Vec<Waker>,
}

impl WakeList {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn push(&mut self, waker: Waker) {
        if self.first.is_none() {
            self.first = Some(waker);
        } else {
            self.more.push(waker);
        }
    }

    pub(crate) fn extend(&mut self, wakers: impl IntoIterator<Item = Waker>) {
        wakers.into_iter().for_each(|waker| self.push(waker));
    }

    /// Wakes all of them, in order. A waker that panics does not keep the others asleep: its panic goes on
    /// when all are awake, unless this thread is panicking already, when a second one would abort.
    #[inline]
    pub(crate) fn wake(self) {
        if let Some(first) = self.first {
            if self.more.is_empty() && !std::thread::panicking() {
                first.wake();
            } else {
                wake_all(first, self.more);
            }
        }
    }
}

#[cold]
fn wake_all(first: Waker, more: Vec<Waker>) {
    let mut panic = None;
    for waker in std::iter::once(first).chain(more) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            panic.get_or_insert(payload);
        }
    }
    if let Some(payload) = panic {
        if !std::thread::panicking() {
            resume_unwind(payload);
        }
    }
}
