//! Those who wait for an event that concerns them all.

use super::WakeList;
use slab::Slab;
use std::task::Waker;

/// Wakers of those who wait for one kind of event. All are woken by it, and look for themselves.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    /// A slot is its watcher's until that one drops; it is empty once its waker has been woken.
    slots: Slab<Option<Waker>>,
    waiting: usize,
}

impl Watchers {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    pub(crate) fn take_all(&mut self, wakes: &mut WakeList) {
        if self.waiting > 0 {
            wakes.extend(self.slots.iter_mut().filter_map(|(_, slot)| slot.take()));
            self.waiting = 0;
        }
    }

    /// Returns the waker that was there before, to be dropped outside the lock.
    pub(crate) fn put(&mut self, key: &mut Option<usize>, waker: Waker) -> Option<Waker> {
        let key = *key.get_or_insert_with(|| self.slots.insert(None));
        let old = self.slots[key].replace(waker);
        self.waiting += usize::from(old.is_none());
        old
    }

    pub(crate) fn remove(&mut self, key: usize) -> Option<Waker> {
        let waker = self.slots.remove(key);
        self.waiting -= usize::from(waker.is_some());
        waker
    }
}
