//! Values that nobody will receive, gathered under the lock and dropped after it.

use super::DropReason;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Values to be dropped once the lock is free. One needs no allocation, which is what a full buffer loses per offer.
#[derive(Debug, Default)]
#[must_use = "these values have to be reported"]
pub(super) enum Lost<T> {
    #[default]
    None,
    One(T, DropReason),
    Many(Vec<(T, DropReason)>),
}

impl<T> Lost<T> {
    pub(super) fn push(&mut self, value: T, reason: DropReason) {
        *self = match mem::take(self) {
            Self::None => Self::One(value, reason),
            Self::One(first, why) => Self::Many(vec![(first, why), (value, reason)]),
            Self::Many(mut all) => {
                all.push((value, reason));
                Self::Many(all)
            }
        };
    }

    /// Hands all of them to the hook, in order. A panic, of the hook or of a value's `Drop`, loses none of the others:
    /// it goes on when all are through, unless this thread is panicking already, when a second one would abort.
    pub(super) fn report(self, hook: impl Fn(T, DropReason)) {
        let mut panic: Option<Box<dyn Any + Send>> = None;
        let mut one = |value, reason| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| hook(value, reason))) {
                panic.get_or_insert(payload);
            }
        };
        match self {
            Self::None => return,
            Self::One(value, reason) => one(value, reason),
            Self::Many(all) => all.into_iter().for_each(|(value, reason)| one(value, reason)),
        }
        if let Some(payload) = panic {
            if !std::thread::panicking() {
                resume_unwind(payload);
            }
        }
    }
}
