//! The errors. Each gives the value back and says who ended what, with the numbers.

use crate::{CancelReason, Closed, Credit, Disconnect, Failure};
use std::sync::Arc;
use std::{error, fmt};

// ===== SendError =====

/// A value that was not sent, and why. `T` is `()` where a permit was asked for.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError<T = ()> {
    /// The channel is closed to producers.
    Closed {
        /// The value, given back.
        value: T,
        /// Who closed it, and why.
        reason: Closed,
    },
    /// It costs more than the limit and could never be sent. The channel stays usable.
    TooLarge {
        /// The value, given back.
        value: T,
        /// What it costs.
        cost: Credit,
        /// The window, what the permit holds, or what the other end of a transport takes.
        limit: Credit,
    },
    /// The transport's codec cannot write it. The channel stays usable.
    Unencodable {
        /// The value, given back.
        value: T,
        /// What the codec said.
        text: Arc<str>,
    },
}

impl<T> SendError<T> {
    /// The value, given back.
    pub fn into_inner(self) -> T {
        match self {
            Self::Closed { value, .. } | Self::TooLarge { value, .. } | Self::Unencodable { value, .. } => value,
        }
    }

    /// Why the channel is closed, if it is.
    pub fn closed(&self) -> Option<&Closed> {
        match self {
            Self::Closed { reason, .. } => Some(reason),
            Self::TooLarge { .. } | Self::Unencodable { .. } => None,
        }
    }

    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> SendError<U> {
        match self {
            Self::Closed { value, reason } => SendError::Closed { value: f(value), reason },
            Self::TooLarge { value, cost, limit } => SendError::TooLarge { value: f(value), cost, limit },
            Self::Unencodable { value, text } => SendError::Unencodable { value: f(value), text },
        }
    }
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { reason, .. } => f.debug_struct("Closed").field("reason", reason).finish_non_exhaustive(),
            Self::TooLarge { cost, limit, .. } => {
                f.debug_struct("TooLarge").field("cost", cost).field("limit", limit).finish_non_exhaustive()
            }
            Self::Unencodable { text, .. } => f.debug_struct("Unencodable").field("text", text).finish_non_exhaustive(),
        }
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { reason, .. } => write!(f, "channel closed: {reason}"),
            Self::TooLarge { cost, limit, .. } => write!(f, "too large: costs {cost}, the limit is {limit}"),
            Self::Unencodable { text, .. } => write!(f, "cannot be encoded: {text}"),
        }
    }
}

impl<T> error::Error for SendError<T> {}

// ===== TrySendError =====

/// A value that was not sent at once, and why. `T` is `()` where a permit was asked for.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrySendError<T = ()> {
    /// Credit is short, or others are in line before. Only said of an open channel.
    Full(T),
    /// It can never be sent.
    Refused(SendError<T>),
}

impl<T> TrySendError<T> {
    /// The value, given back.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(value) => value,
            Self::Refused(error) => error.into_inner(),
        }
    }

    /// Whether waiting would help.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Why the channel is closed, if it is.
    pub fn closed(&self) -> Option<&Closed> {
        match self {
            Self::Full(_) => None,
            Self::Refused(error) => error.closed(),
        }
    }
}

impl<T> From<SendError<T>> for TrySendError<T> {
    fn from(error: SendError<T>) -> Self {
        Self::Refused(error)
    }
}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("Full(..)"),
            Self::Refused(error) => f.debug_tuple("Refused").field(error).finish(),
        }
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(_) => f.write_str("no credit available"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl<T> error::Error for TrySendError<T> {}

// ===== SendTimeoutError =====

/// A value that was not sent in time, or not at all, and why.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendTimeoutError<T = ()> {
    /// The time was up before there was credit.
    Timeout(T),
    /// It can never be sent.
    Refused(SendError<T>),
}

impl<T> SendTimeoutError<T> {
    /// The value, given back.
    pub fn into_inner(self) -> T {
        match self {
            Self::Timeout(value) => value,
            Self::Refused(error) => error.into_inner(),
        }
    }
}

impl<T> From<SendError<T>> for SendTimeoutError<T> {
    fn from(error: SendError<T>) -> Self {
        Self::Refused(error)
    }
}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(_) => f.write_str("Timeout(..)"),
            Self::Refused(error) => f.debug_tuple("Refused").field(error).finish(),
        }
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(_) => f.write_str("timed out waiting for credit"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl<T> error::Error for SendTimeoutError<T> {}

// ===== SinkError =====

/// Why a [`CreditSink`](crate::CreditSink) did not take or send a value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SinkError<T> {
    /// It can never be sent. With the value, if the sink had it.
    Refused(SendError<Option<T>>),
    /// `start_send` before `poll_ready` said that the sink is ready; it keeps one value already.
    NotReady(T),
    /// The sink was closed before. With the value, if there was one.
    Ended(Option<T>),
}

impl<T> SinkError<T> {
    /// The value, given back, if there was one.
    pub fn into_inner(self) -> Option<T> {
        match self {
            Self::Refused(error) => error.into_inner(),
            Self::NotReady(value) => Some(value),
            Self::Ended(value) => value,
        }
    }
}

impl<T> fmt::Debug for SinkError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => f.debug_tuple("Refused").field(error).finish(),
            Self::NotReady(_) => f.write_str("NotReady(..)"),
            Self::Ended(_) => f.write_str("Ended(..)"),
        }
    }
}

impl<T> fmt::Display for SinkError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::NotReady(_) => f.write_str("the sink was not ready for another value"),
            Self::Ended(_) => f.write_str("the sink is closed"),
        }
    }
}

impl<T> error::Error for SinkError<T> {}

// ===== RecvError =====

/// Why the chunks stopped without a clean end. Every later call says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecvError {
    /// The producer failed and said why.
    Failed(Failure),
    /// The last producer went away, and not every one had said [`end`](crate::CreditProducer::end): a
    /// panic, an abort, an early return. What it had sent was delivered before this.
    Abandoned {
        /// The chunks received.
        received: u64,
    },
    /// This side stopped it.
    Cancelled(CancelReason),
    /// The connection that carried the channel was lost before the producer had said how it ends. What had
    /// arrived was delivered before this.
    Truncated {
        /// The chunks received.
        received: u64,
        /// What became of the connection.
        reason: Disconnect,
    },
    /// What a chunk carried could not be decoded. What came before it was delivered; the producer was told:
    /// its sends say [`CancelReason::Undecodable`].
    Undecodable {
        /// The chunk's number.
        seq: u64,
        /// What the codec said.
        text: Arc<str>,
    },
    /// The end came, and with another count than what was received.
    CountMismatch {
        /// The chunks sent, as the producer counted them.
        sent: u64,
        /// The chunks received.
        received: u64,
    },
}

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => write!(f, "producer failed: {failure}"),
            Self::Abandoned { received } => write!(f, "producer dropped without end after {received} chunks"),
            Self::Cancelled(reason) => write!(f, "cancelled by this side: {reason}"),
            Self::Truncated { received, reason } => write!(f, "cut off after {received} chunks: {reason}"),
            Self::Undecodable { seq, text } => write!(f, "chunk {seq} could not be decoded: {text}"),
            Self::CountMismatch { sent, received } => {
                write!(f, "the end says that {sent} chunks were sent, but {received} were received")
            }
        }
    }
}

impl error::Error for RecvError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Truncated { reason, .. } => Some(reason),
            _ => None,
        }
    }
}

// ===== TryRecvError =====

/// Why there is no chunk at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TryRecvError {
    /// Nothing is there now; more may come.
    Empty,
    /// Nothing will come any more.
    Ended(RecvError),
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("nothing to receive now"),
            Self::Ended(error) => error.fmt(f),
        }
    }
}

impl error::Error for TryRecvError {}

impl From<RecvError> for TryRecvError {
    fn from(error: RecvError) -> Self {
        Self::Ended(error)
    }
}

// ===== ForEachError =====

/// Why [`for_each`](crate::CreditConsumer::for_each) stopped before the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForEachError<E> {
    /// The handler returned an error. The producer was told: its sends say
    /// [`CancelReason::HandlerError`].
    Handler(E),
    /// The chunks stopped without a clean end.
    Recv(RecvError),
    /// A concurrency of 0: nothing could ever be handled.
    NoConcurrency,
}

impl<E: fmt::Display> fmt::Display for ForEachError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handler(error) => write!(f, "handler failed: {error}"),
            Self::Recv(error) => error.fmt(f),
            Self::NoConcurrency => f.write_str("a concurrency of 0 handles nothing"),
        }
    }
}

impl<E: error::Error + 'static> error::Error for ForEachError<E> {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Handler(error) => Some(error),
            Self::Recv(error) => Some(error),
            Self::NoConcurrency => None,
        }
    }
}

impl<E> From<RecvError> for ForEachError<E> {
    fn from(error: RecvError) -> Self {
        Self::Recv(error)
    }
}

// ===== GuardError =====

/// A guard was asked for more than it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardError {
    /// What was asked for, in the guard's unit.
    pub asked: u64,
    /// What it holds.
    pub held: u64,
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the guard holds {}, it was asked for {}", self.held, self.asked)
    }
}

impl error::Error for GuardError {}
