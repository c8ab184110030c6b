//! Why the connection under a channel is gone.

use crate::reason::Shown;
use std::borrow::Cow;
use std::sync::Arc;
use std::{error, fmt, io};

/// Why the connection that carried a channel is gone before the channel had ended.
///
/// Both ends of a channel that runs over a transport say it: the producer's calls with
/// [`Closed::Disconnected`](crate::Closed::Disconnected), the consumer's, after what had arrived, with
/// [`RecvError::Truncated`](crate::RecvError::Truncated).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Disconnect {
    /// The peer closed the connection without a word.
    Eof,
    /// The transport failed.
    Io(Arc<io::Error>),
    /// The peer was silent, or took nothing, for too long.
    Timeout(Timeout),
    /// The peer broke the protocol.
    Violation(Violation),
    /// The peer ended the connection and said why.
    GoneAway(Violation),
    /// The driver of this side was dropped: its task was aborted, panicked, or went down with its runtime.
    DriverDropped,
    /// A value could not be encoded although it could be measured before; its number, and the codec's error.
    Encode {
        /// The chunk's number.
        seq: u64,
        /// What the codec said.
        text: Arc<str>,
    },
}

/// A broken rule: what PROTOCOL.md calls a connection error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    code: u32,
    text: Cow<'static, str>,
}

impl Violation {
    /// A broken rule, by its reason code, with the numbers in its text.
    pub fn new(code: u32, text: impl Into<Cow<'static, str>>) -> Self {
        Self { code, text: text.into() }
    }

    /// The reason code, as PROTOCOL.md lists them.
    #[must_use]
    pub fn code(&self) -> u32 {
        self.code
    }

    /// The rule and the numbers, for people. Said by the peer it is at most 4 KiB, and shown escaped.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Which of the connection's timers ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Timeout {
    /// The peer did not say who it is.
    Handshake,
    /// Nothing came from the peer, or a frame that it began did not become complete.
    Idle,
    /// The peer took nothing of what was written.
    Write,
    /// The peer is alive, and no work of what it holds was done.
    Progress,
}

impl PartialEq for Disconnect {
    /// Two IO errors are equal when they are of one kind.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Eof, Self::Eof) | (Self::DriverDropped, Self::DriverDropped) => true,
            (Self::Io(a), Self::Io(b)) => a.kind() == b.kind(),
            (Self::Timeout(a), Self::Timeout(b)) => a == b,
            (Self::Violation(a), Self::Violation(b)) | (Self::GoneAway(a), Self::GoneAway(b)) => a == b,
            (Self::Encode { seq: a, text: s }, Self::Encode { seq: b, text: t }) => a == b && s == t,
            _ => false,
        }
    }
}

impl Eq for Disconnect {}

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eof => f.write_str("the peer closed the connection"),
            Self::Io(error) => write!(f, "the transport failed: {error}"),
            Self::Timeout(timeout) => timeout.fmt(f),
            Self::Violation(violation) => write!(f, "the peer broke the protocol: {violation}"),
            Self::GoneAway(violation) => write!(f, "the peer ended the connection: {violation}"),
            Self::DriverDropped => f.write_str("the connection's driver was dropped"),
            Self::Encode { seq, text } => write!(f, "chunk {seq} could not be encoded: {text}"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Perhaps the peer's words: no control character of theirs gets to a terminal or a log.
        write!(f, "{} (code {})", Shown(&self.text), self.code)
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handshake => "the peer did not finish the handshake in time",
            Self::Idle => "nothing came from the peer for too long",
            Self::Write => "the peer took nothing of what was written for too long",
            Self::Progress => "the peer is alive and did no work for too long",
        })
    }
}

impl error::Error for Disconnect {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(&**error),
            _ => None,
        }
    }
}

impl From<io::Error> for Disconnect {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}
