//! What a pool refuses, and why.

use crate::Closed;
use std::{error, fmt};

/// A value that was not let in, given back.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused<T> {
    /// The inbox is full, or others wait for room before. Only said by
    /// [`try_submit`](crate::workers::Inbox::try_submit).
    Full(T),
    /// There is room, but no more than the admitted rate is let in: come back later, or do without.
    NotAdmitted(T),
    /// Nothing is taken any more.
    Closed {
        /// The value, given back.
        value: T,
        /// Who closed it, and why.
        reason: Closed,
    },
}

impl<T> Refused<T> {
    /// The value, given back.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(value) | Self::NotAdmitted(value) | Self::Closed { value, .. } => value,
        }
    }

    /// Why nothing is taken any more, if that is so.
    pub fn closed(&self) -> Option<&Closed> {
        match self {
            Self::Full(_) | Self::NotAdmitted(_) => None,
            Self::Closed { reason, .. } => Some(reason),
        }
    }
}

impl<T> fmt::Debug for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("Full(..)"),
            Self::NotAdmitted(_) => f.write_str("NotAdmitted(..)"),
            Self::Closed { reason, .. } => f.debug_struct("Closed").field("reason", reason).finish_non_exhaustive(),
        }
    }
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("the inbox is full"),
            Self::NotAdmitted(_) => f.write_str("not admitted at this rate"),
            Self::Closed { reason, .. } => write!(f, "the inbox is closed: {reason}"),
        }
    }
}

impl<T> error::Error for Refused<T> {}

/// Why a pool of workers cannot be that, or not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkersError {
    /// At least one worker, and no more at least than at most.
    Range {
        /// The fewest asked for.
        min: u64,
        /// The most asked for.
        max: u64,
    },
    /// An inbox of 0 takes nothing.
    NoInbox,
    /// A batch of 0 is no work.
    NoBatch,
    /// A controller that is asked every zero seconds.
    NoInterval,
    /// Admission in front of a stage: a stage waits for room, and has nobody to refuse.
    NothingToRefuse,
    /// Called outside of a tokio runtime: there is nowhere to spawn.
    NoRuntime,
}

impl fmt::Display for WorkersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { min, max } => write!(f, "{min} to {max} workers: it takes 1, and no more than the most"),
            Self::NoInbox => f.write_str("an inbox of 0 takes nothing"),
            Self::NoBatch => f.write_str("a batch of 0 is no work"),
            Self::NoInterval => f.write_str("a controller cannot be asked every zero seconds"),
            Self::NothingToRefuse => f.write_str("admission is for an inbox: a stage before the workers waits instead"),
            Self::NoRuntime => f.write_str("no tokio runtime to spawn the workers on"),
        }
    }
}

impl error::Error for WorkersError {}
