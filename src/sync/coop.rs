//! tokio's cooperative budget.

use std::task::{Context, Poll};

/// What a poll has spent of its task's budget; given back unless [`made_progress`](Self::made_progress).
pub(crate) struct Spent {
    #[cfg(not(credit_channel_loom))]
    restore: tokio::task::coop::RestoreOnPending,
}

impl Spent {
    #[inline]
    pub(crate) fn made_progress(self) {
        // It only exists to give the unit back when dropped; saying so through the guard costs as much
        // again as taking the unit did.
        #[cfg(not(credit_channel_loom))]
        std::mem::forget(self.restore);
    }
}

/// Takes one unit of the task's budget; pending, with a wake-up under way, when it is used up. Outside
/// of a tokio task, and in a loom model, there is no budget and this is always ready.
#[inline]
#[cfg_attr(
    credit_channel_loom,
    expect(clippy::needless_pass_by_ref_mut, reason = "what tokio's budget takes outside of a model")
)]
pub(crate) fn poll_proceed(cx: &mut Context<'_>) -> Poll<Spent> {
    #[cfg(not(credit_channel_loom))]
    return tokio::task::coop::poll_proceed(cx).map(|restore| Spent { restore });
    #[cfg(credit_channel_loom)]
    {
        let _ = cx;
        Poll::Ready(Spent {})
    }
}
