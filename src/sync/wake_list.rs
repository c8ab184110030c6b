//! Wakers gathered under the lock, woken after it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

/// Wakers to be woken once the lock is free. The first needs no allocation.
#[derive(Debug, Default)]
#[must_use = "these tasks are waiting to be woken"]
pub(crate) struct WakeList {
    first: Option<Waker>,
    // Boxed, so that the list is cheap to make and to drop where it stays empty: nearly everywhere.
    #[expect(clippy::box_collection, reason = "one word on the stack instead of three")]
    more: Option<Box<Vec<Waker>>>,
}

impl WakeList {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    #[inline]
    pub(crate) fn push(&mut self, waker: Waker) {
        if self.first.is_none() {
            self.first = Some(waker);
        } else {
            self.more.get_or_insert_default().push(waker);
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
            match self.more {
                None if !std::thread::panicking() => first.wake(),
                more => wake_all(first, more.map_or_else(Vec::new, |more| *more)),
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
