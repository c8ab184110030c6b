//! What became of an offer.

use crate::{Closed, Failure};
use std::{error, fmt};

/// What became of a value that was not given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is in the buffer. That is not yet delivered, and far from processed: it may still be dropped for another.
    Accepted,
    /// It is in the buffer, and others were dropped for it.
    Displaced {
        /// How many.
        dropped: u64,
        /// As what they were counted, and told to the hook.
        reason: DropReason,
    },
    /// It was folded into the pending value.
    Conflated,
    /// It was dropped.
    Dropped(DropReason),
}

impl Verdict {
    /// Whether the value, or what it was folded into, has got into the buffer.
    #[must_use]
    pub fn is_accepted(self) -> bool {
        !matches!(self, Self::Dropped(_))
    }
}

/// Why a value will not reach the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// The buffer was full, and the policy keeps what is in it.
    Newest,
    /// It was the oldest when the buffer was full.
    Oldest,
    /// It was the youngest in the buffer when that was full.
    Tail,
    /// The buffer was full and was cleared.
    Cleared,
    /// A later one took its place.
    Overwritten,
    /// It had been in the buffer for as long as it may.
    Expired,
    /// The consumer cancelled, or was dropped, while it was in the buffer.
    Cancelled,
    /// The channel failed, and what was in the buffer was not to be delivered first.
    Failed,
    /// The fold panicked with it. There was nothing left to give to the hook.
    FoldPanicked,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newest => "the buffer was full",
            Self::Oldest => "it was the oldest in a full buffer",
            Self::Tail => "it was the youngest in a full buffer",
            Self::Cleared => "a full buffer was cleared",
            Self::Overwritten => "a later value took its place",
            Self::Expired => "it had waited for too long",
            Self::Cancelled => "the consumer stopped",
            Self::Failed => "the channel failed",
            Self::FoldPanicked => "the fold panicked",
        })
    }
}

/// A value that was not taken, and why.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OfferError<T> {
    /// There is no room, and the policy drops nothing for it; or others wait for room before.
    Full {
        /// The value, given back.
        value: T,
        /// How many values the buffer may hold.
        capacity: u64,
        /// How many senders wait for room.
        parked: u64,
    },
    /// There was no room, and by the policy that is a failure: this offer has ended the channel.
    Failed {
        /// The value, given back.
        value: T,
        /// What the consumer is told.
        failure: Failure,
    },
    /// The channel is closed.
    Closed {
        /// The value, given back.
        value: T,
        /// Who closed it, and why.
        reason: Closed,
    },
}

impl<T> OfferError<T> {
    /// The value, given back.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full { value, .. } | Self::Failed { value, .. } | Self::Closed { value, .. } => value,
        }
    }

    /// Whether it may be offered again later.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }

    /// Why the channel is closed, if it was before this offer.
    pub fn closed(&self) -> Option<&Closed> {
        match self {
            Self::Closed { reason, .. } => Some(reason),
            Self::Full { .. } | Self::Failed { .. } => None,
        }
    }
}

impl<T> fmt::Debug for OfferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { capacity, parked, .. } => {
                f.debug_struct("Full").field("capacity", capacity).field("parked", parked).finish_non_exhaustive()
            }
            Self::Failed { failure, .. } => f.debug_struct("Failed").field("failure", failure).finish_non_exhaustive(),
            Self::Closed { reason, .. } => f.debug_struct("Closed").field("reason", reason).finish_non_exhaustive(),
        }
    }
}

impl<T> fmt::Display for OfferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { capacity, parked: 0, .. } => write!(f, "full: the buffer holds {capacity}"),
            Self::Full { capacity, parked, .. } => {
                write!(f, "full: the buffer holds {capacity}, and {parked} wait for room")
            }
            Self::Failed { failure, .. } => write!(f, "failed: {failure}"),
            Self::Closed { reason, .. } => write!(f, "channel closed: {reason}"),
        }
    }
}

impl<T> error::Error for OfferError<T> {}
