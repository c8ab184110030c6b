//! Why a stage brings nothing more.

use crate::{CancelReason, Failure, RecvError, SendError};
use std::{error, fmt};

/// Why the chunks stopped without a clean end. Every later call says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StageError {
    /// The channel before it says so.
    Upstream(RecvError),
    /// A source that is no channel failed.
    Source(Failure),
    /// A closure of the user's said so; what is before it was cancelled with this text.
    Handler(Failure),
    /// A closure of the user's panicked in a task of its own, with this text; what is before it was cancelled.
    HandlerPanic(Failure),
    /// A handler of batches did not give back one result for each value.
    ResultCount {
        /// The values it was given.
        given: u64,
        /// The results it gave back. They were dropped: whose they are cannot be known.
        came: u64,
    },
    /// A page was longer than what was asked for: there is no place for the rest.
    PageTooLong {
        /// The most that was asked for, in values.
        asked: u64,
        /// How many came.
        came: u64,
    },
    /// A number is missing, and it is waited for no more: see [`ReorderConfig`](super::ReorderConfig).
    Gap {
        /// The number: the first that is missing.
        missing: u64,
        /// The first after it that had come.
        next: u64,
        /// How many had come after it. They were dropped.
        held: u64,
        /// Why it was given up.
        cause: GapCause,
    },
}

/// Why a missing number was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GapCause {
    /// So much was held that no more could be asked for, the missing value neither.
    Full,
    /// A value after it had been held for as long as it may be.
    Time,
    /// One came that is too far after it.
    Distance,
    /// What is before the stage ended.
    End,
}

/// When a stage that holds something passes on an error of what is before it. (The end always comes last.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ErrorOrder {
    /// After what came before it: nothing that arrived is lost.
    #[default]
    InOrder,
    /// As soon as the stage knows of it: what it holds is dropped, and its credit goes back.
    AtOnce,
}

impl StageError {
    /// What a stage says that was cancelled from behind.
    pub fn cancelled(reason: CancelReason) -> Self {
        Self::Upstream(RecvError::Cancelled(reason))
    }

    /// What the consumer of a channel is told that this ends.
    #[must_use]
    pub fn into_failure(self) -> Failure {
        match self {
            Self::Upstream(RecvError::Failed(failure))
            | Self::Source(failure)
            | Self::Handler(failure)
            | Self::HandlerPanic(failure) => failure,
            other => Failure::from_error(other),
        }
    }
}

impl From<RecvError> for StageError {
    fn from(error: RecvError) -> Self {
        Self::Upstream(error)
    }
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upstream(error) => error.fmt(f),
            Self::Source(failure) => write!(f, "source failed: {failure}"),
            Self::Handler(failure) => write!(f, "handler failed: {failure}"),
            Self::HandlerPanic(failure) => write!(f, "handler panicked: {failure}"),
            Self::ResultCount { given, came } => {
                write!(f, "a handler gave back {came} results for a batch of {given} values")
            }
            Self::PageTooLong { asked, came } => {
                write!(f, "a page of {came} came where at most {asked} were asked for")
            }
            Self::Gap { missing, next, held, cause } => {
                write!(f, "number {missing} is missing: {held} after it had come, from {next} on, {cause}")
            }
        }
    }
}

impl fmt::Display for GapCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "and no more can be held",
            Self::Time => "and were held for too long",
            Self::Distance => "up to one too far after it",
            Self::End => "and then the end",
        })
    }
}

impl error::Error for StageError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Upstream(error) => Some(error),
            Self::Source(failure) | Self::Handler(failure) | Self::HandlerPanic(failure) => Some(failure),
            Self::PageTooLong { .. } | Self::ResultCount { .. } | Self::Gap { .. } => None,
        }
    }
}

// ===== ForwardError =====

/// Why not everything was forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForwardError<T> {
    /// What comes in did not end cleanly. The consumer at the other end was told.
    Stage(StageError),
    /// The other channel takes no more, or not this. With the value, if there was one. What comes in was cancelled.
    Send(SendError<Option<T>>),
}

impl<T> fmt::Display for ForwardError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage(error) => error.fmt(f),
            Self::Send(error) => error.fmt(f),
        }
    }
}

impl<T: fmt::Debug> error::Error for ForwardError<T> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Stage(error) => Some(error),
            Self::Send(error) => error.closed().map(|closed| -> &(dyn error::Error + 'static) { closed }),
        }
    }
}
