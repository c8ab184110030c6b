//! Waiting for something to become true of a channel.

use super::shared::Shared;
use super::state::State;
use crate::sync::{WakeList, coop};
use slab::Slab;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker, ready};

/// Wakers of those who wait for one kind of event. All are woken by it, and look for themselves.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    /// A slot is its watcher's until that one drops; it is empty once its waker has been woken.
    slots: Slab<Option<Waker>>,
    waiting: usize,
}

impl Watchers {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    pub(super) fn take_all(&mut self, wakes: &mut WakeList) {
        if self.waiting > 0 {
            wakes.extend(self.slots.iter_mut().filter_map(|(_, slot)| slot.take()));
            self.waiting = 0;
        }
    }

    /// Returns the waker that was there before, to be dropped outside the lock.
    fn put(&mut self, key: &mut Option<usize>, waker: Waker) -> Option<Waker> {
        let key = *key.get_or_insert_with(|| self.slots.insert(None));
        let old = self.slots[key].replace(waker);
        self.waiting += usize::from(old.is_none());
        old
    }

    fn remove(&mut self, key: usize) -> Option<Waker> {
        let waker = self.slots.remove(key);
        self.waiting -= usize::from(waker.is_some());
        waker
    }
}

/// Which event.
#[derive(Clone, Copy, Debug)]
pub(super) enum On {
    Close,
    Idle,
}

/// One who waits; off the list when dropped.
#[derive(Debug)]
pub(super) struct Watch<'a, T> {
    shared: &'a Shared<T>,
    on: On,
    key: Option<usize>,
}

impl<'a, T> Watch<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, on: On) -> Self {
        Self { shared, on, key: None }
    }

    /// Waits until `look` finds what it looks for.
    pub(super) async fn until<R>(mut self, look: impl Fn(&State<T>) -> Option<R>) -> R {
        poll_fn(|cx| self.poll(cx, &look)).await
    }

    fn poll<R>(&mut self, cx: &mut Context<'_>, look: &impl Fn(&State<T>) -> Option<R>) -> Poll<R> {
        let budget = ready!(coop::poll_proceed(cx));
        // Cloned before the lock: a waker is user code.
        let waker = cx.waker().clone();
        let (found, spare) = self.shared.with(|state, wakes| {
            state.settle(wakes);
            if let Some(found) = look(state) {
                return (Some(found), Some(waker));
            }
            let old = self.on.list(state).put(&mut self.key, waker);
            // Now that somebody watches, guards have to say so when they come home.
            state.settle(wakes);
            (None, old)
        });
        drop(spare);
        match found {
            Some(found) => {
                budget.made_progress();
                Poll::Ready(found)
            }
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for Watch<'_, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.shared.with(|state, wakes| {
                let waker = self.on.list(state).remove(key);
                state.settle(wakes);
                waker
            });
            drop(waker);
        }
    }
}

impl On {
    fn list<T>(self, state: &mut State<T>) -> &mut Watchers {
        match self {
            Self::Close => &mut state.on_close,
            Self::Idle => &mut state.on_idle,
        }
    }
}
