//! What came, what came out, and what was lost on the way.

use super::DropReason;

/// The numbers of an overflow channel at one moment, the same from both sides.
///
/// Counters only grow; the others are as of the call. Every offer that was not given back has a number and is in one
/// place: `offered == delivered + merged + dropped.total() + buffered`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct OverflowStats {
    /// Offers that were not given back: accepted, folded, or dropped.
    pub offered: u64,
    /// Chunks that came out.
    pub delivered: u64,
    /// Offers that came out as a part of another's chunk.
    pub merged: u64,
    /// Offers that will not come out.
    pub dropped: Drops,
    /// Values given back for want of room.
    pub refused: u64,
    /// Offers in the buffer now, each that was folded into another counted.
    pub buffered: u64,
    /// The most values that were ever in the buffer.
    pub peak_buffered: u64,
    /// Senders that wait for room now.
    pub parked: u64,
    /// Times that a sender had to wait for room.
    pub parks: u64,
    /// Producer handles alive.
    pub producers: u64,
}

/// What was dropped, by [reason](DropReason).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Drops {
    /// [`DropReason::Newest`].
    pub newest: u64,
    /// [`DropReason::Oldest`].
    pub oldest: u64,
    /// [`DropReason::Tail`].
    pub tail: u64,
    /// [`DropReason::Cleared`].
    pub cleared: u64,
    /// [`DropReason::Overwritten`].
    pub overwritten: u64,
    /// [`DropReason::Expired`].
    pub expired: u64,
    /// [`DropReason::Cancelled`].
    pub cancelled: u64,
    /// [`DropReason::Failed`].
    pub failed: u64,
    /// [`DropReason::FoldPanicked`].
    pub fold_panicked: u64,
}

impl Drops {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { newest, oldest, tail, cleared, overwritten, expired, cancelled, failed, fold_panicked } = self;
        newest + oldest + tail + cleared + overwritten + expired + cancelled + failed + fold_panicked
    }

    pub(super) fn add(&mut self, reason: DropReason, offers: u64) {
        *match reason {
            DropReason::Newest => &mut self.newest,
            DropReason::Oldest => &mut self.oldest,
            DropReason::Tail => &mut self.tail,
            DropReason::Cleared => &mut self.cleared,
            DropReason::Overwritten => &mut self.overwritten,
            DropReason::Expired => &mut self.expired,
            DropReason::Cancelled => &mut self.cancelled,
            DropReason::Failed => &mut self.failed,
            DropReason::FoldPanicked => &mut self.fold_panicked,
        } += offers;
    }
}
