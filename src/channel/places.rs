//! The line of a channel without the channel.

use super::sending::Claiming;
use super::shared::{Shared, TestHooks};
use crate::{Oversize, Stats, Window};
use std::fmt;
use std::sync::Arc;

/// So many places, given out first come, first served, and never to more than there are.
///
/// It is a channel's ledger and line with nothing ever sent: a place that is taken is credit that is reserved. Nobody
/// closes it.
pub(crate) struct Places {
    shared: Arc<Shared<()>>,
}

impl Places {
    /// As many as the window, which the caller has checked to be a legal one, has messages.
    pub(crate) fn new(count: Window) -> Self {
        debug_assert!(count.byte_limit().is_none(), "places are counted in messages");
        let (shared, _) = Shared::new(count, Oversize::Refuse, None, TestHooks::default());
        Self { shared }
    }

    /// Waits for a place, which is the caller's to give back.
    pub(crate) async fn claim(&self) {
        let claimed = Claiming::new(&self.shared, self.shared.base_cost()).await;
        debug_assert!(claimed.is_ok(), "a channel that is never closed refuses no single message");
    }

    /// A place, if one is free and nobody waits for it.
    pub(crate) fn try_claim(&self) -> bool {
        self.shared.try_reserve(self.shared.base_cost()).is_ok()
    }

    /// Gives a place back, to whom is first in line.
    pub(crate) fn give_back(&self) {
        self.shared.refund(self.shared.base_cost());
    }

    /// Its numbers: `reserved` is what is taken.
    pub(crate) fn stats(&self) -> Stats {
        self.shared.stats()
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}
