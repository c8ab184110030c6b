//! Glances that spare a lock.

use crate::sync::coop;
use crate::sync::shim::{AtomicBool, AtomicU64, Ordering};

/// What the state looked like when the lock was last held by somebody who knew.
///
/// Written under the lock, read without it, and never relied upon: whoever acts on a hint that says "it is
/// no use" looks again under the lock before it waits. So every access is Relaxed and has no partner.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Hints {
    /// No credit was left.
    short: AtomicBool,
    /// Something was sent since the consumer last emptied the queue.
    queued: AtomicBool,
    /// Parks have been brief of late.
    brief: AtomicBool,
    /// The runtime that senders wait in, as [`shares_thread`](Self::shares_thread) found it.
    runtime: AtomicU64,
    /// For tests, which cannot wait until parks happen to be brief.
    always_one_turn: bool,
}

impl Hints {
    const UNKNOWN: u64 = 0;
    const ONE_THREAD: u64 = 1;
    const OTHER: u64 = 2;

    pub(super) fn new(always_one_turn: bool) -> Self {
        Self { always_one_turn, ..Self::default() }
    }

    #[inline]
    pub(super) fn set_short(&self, short: bool) {
        self.short.store(short, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_queued(&self, queued: bool) {
        self.queued.store(queued, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn is_queued(&self) -> bool {
        self.queued.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_brief(&self, brief: bool) {
        self.brief.store(brief, Ordering::Relaxed);
    }

    /// Whether giving the runtime one turn is likely to do instead of a park.
    pub(super) fn one_turn_will_do(&self) -> bool {
        self.always_one_turn || (self.brief.load(Ordering::Relaxed) && self.shares_thread())
    }

    /// Whether senders run on a runtime of one thread, as the first one to ask found out.
    fn shares_thread(&self) -> bool {
        match self.runtime.load(Ordering::Relaxed) {
            Self::UNKNOWN => {
                let one = coop::runtime_has_one_thread();
                self.runtime.store(if one { Self::ONE_THREAD } else { Self::OTHER }, Ordering::Relaxed);
                one
            }
            known => known == Self::ONE_THREAD,
        }
    }
}
