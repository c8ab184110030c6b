//! Glances that spare a lock.

use crate::sync::shim::{AtomicBool, Ordering};

/// What the state looked like when the lock was last held by somebody who knew.
///
/// Written under the lock, read without it, and never relied upon: whoever acts on a hint that says "it is
/// no use" looks again under the lock before it waits. So every access is Relaxed and has no partner.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Hints {
    /// No credit was left.
    short: AtomicBool,
    /// The consumer has something to find: a chunk, or that the channel is closed.
    news: AtomicBool,
    /// Parks have been brief of late.
    brief: AtomicBool,
    /// For tests, which cannot wait until parks happen to be brief.
    always_one_turn: bool,
}

impl Hints {
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
    pub(super) fn set_news(&self, news: bool) {
        self.news.store(news, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_brief(&self, brief: bool) {
        self.brief.store(brief, Ordering::Relaxed);
    }

    /// Whether giving the runtime one turn is likely to do instead of a park.
    pub(super) fn one_turn_will_do(&self) -> bool {
        self.always_one_turn || self.brief.load(Ordering::Relaxed)
    }
}
