//! Wakers gathered under the lock, woken after it.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

/// Wakers to be woken once the lock is free. One needs no allocation, and none costs next to nothing.
#[derive(Debug, Default)]
#[must_use = "these tasks are waiting to be woken"]
pub(crate) enum WakeList {
    #[default]
    None,
    One(Waker),
    Many(Vec<Waker>),
}

impl WakeList {
    #[inline]
    pub(crate) fn push(&mut self, waker: Waker) {
        match self {
            Self::None => *self = Self::One(waker),
            _ => self.push_another(waker),
        }
    }

    #[cold]
    fn push_another(&mut self, waker: Waker) {
        *self = match mem::take(self) {
            Self::None => Self::One(waker),
            Self::One(first) => Self::Many(vec![first, waker]),
            Self::Many(mut wakers) => {
                wakers.push(waker);
                Self::Many(wakers)
            }
        };
    }

    #[inline]
    pub(crate) fn extend(&mut self, wakers: impl IntoIterator<Item = Waker>) {
        wakers.into_iter().for_each(|waker| self.push(waker));
    }

    /// Wakes all of them, in order. A waker that panics does not keep the others asleep: its panic goes on
    /// when all are awake, unless this thread is panicking already, when a second one would abort.
    #[inline]
    pub(crate) fn wake(self) {
        match self {
            Self::None => {}
            Self::One(waker) => wake_one(waker),
            Self::Many(wakers) => wake_all(wakers),
        }
    }
}

#[inline]
fn wake_one(waker: Waker) {
    if std::thread::panicking() { wake_all(vec![waker]) } else { waker.wake() }
}

#[cold]
fn wake_all(wakers: Vec<Waker>) {
    let mut panic = None;
    for waker in wakers {
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
