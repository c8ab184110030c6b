//! Why a channel ended: the reasons that travel with ERROR and CANCEL.

use crate::Disconnect;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use std::{error, fmt};

/// Why the consumer stopped: what CANCEL carries, and what the producer is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CancelReason {
    /// Somebody asked for it.
    #[default]
    Requested,
    /// The consumer was dropped before it had received the end.
    Dropped,
    /// [`drain`](crate::CreditConsumer::drain): what was sent is taken, no more is asked for.
    Drained,
    /// A handler returned this error.
    HandlerError(Arc<str>),
    /// A handler panicked.
    HandlerPanic,
    /// It took too long.
    Timeout,
    /// The process is going down.
    Shutdown,
    /// What a chunk carried over a transport could not be decoded: which, and what the codec said.
    Undecodable(Arc<str>),
    /// A reason of the application's own.
    Other {
        /// The application's code.
        code: u32,
        /// A text for people.
        text: Arc<str>,
    },
}

impl CancelReason {
    /// A reason of the application's own.
    pub fn other(code: u32, text: impl Into<Arc<str>>) -> Self {
        Self::Other { code, text: text.into() }
    }
}

/// A text that may be the peer's: shown so that no control character in it gets to a terminal or a log.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            // Also those that begin a line or turn the direction of reading round.
            let acts = matches!(c, '\u{200E}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
            if c.is_control() || acts { write!(f, "{}", c.escape_debug())? } else { f.write_char(c)? }
        }
        Ok(())
    }
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("on request"),
            Self::Dropped => f.write_str("consumer dropped"),
            Self::Drained => f.write_str("consumer drains and asks for no more"),
            Self::HandlerError(text) => write!(f, "handler failed: {}", Shown(text)),
            Self::HandlerPanic => f.write_str("handler panicked"),
            Self::Timeout => f.write_str("timed out"),
            Self::Shutdown => f.write_str("shutting down"),
            Self::Undecodable(text) => write!(f, "could not be decoded: {}", Shown(text)),
            Self::Other { code, text } => write!(f, "{} (code {code})", Shown(text)),
        }
    }
}

/// Why the producer failed: what ERROR carries, and what the consumer is told after the last chunk.
///
/// Cheap to clone. Made from a text or an error; the error stays reachable through
/// [`source`](error::Error::source) in one process.
///
/// # Examples
///
/// ```
/// use credit_channel::Failure;
/// use std::error::Error;
///
/// let disk = std::io::Error::other("disk gone");
/// let failure = Failure::from_error(disk).with_code(74);
/// assert_eq!(failure.code(), 74);
/// assert_eq!(failure.to_string(), "disk gone");
/// assert!(failure.source().is_some());
/// assert_eq!(Failure::from("page 7 missing").text(), "page 7 missing");
/// ```
#[derive(Clone)]
pub struct Failure {
    code: u32,
    text: Cow<'static, str>,
    source: Option<Arc<dyn error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure with a text for people.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { code: 0, text: text.into(), source: None }
    }

    /// A failure that another error caused; its text is that error's.
    pub fn from_error(error: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        let error = error.into();
        Self { code: 0, text: error.to_string().into(), source: Some(error.into()) }
    }

    /// Gives it a code of the application's own. Without one it is 0.
    #[must_use]
    pub fn with_code(self, code: u32) -> Self {
        Self { code, ..self }
    }

    /// The application's code.
    #[must_use]
    pub fn code(&self) -> u32 {
        self.code
    }

    /// The text for people.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<&'static str> for Failure {
    fn from(text: &'static str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<Box<dyn error::Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn error::Error + Send + Sync>) -> Self {
        Self::from_error(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::from_error(error)
    }
}

/// Two failures are equal when they say the same, whatever caused them.
impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code && self.text == other.text
    }
}

impl Eq for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&self.text).fmt(f)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failure({}: {:?})", self.code, self.text)
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

/// Why a producer can send no more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Closed {
    /// The consumer stopped.
    Cancelled(CancelReason),
    /// A clone of this producer ended the channel with [`fail`](crate::CreditProducer::fail).
    Failed(Failure),
    /// Another clone of this producer was dropped without [`end`](crate::CreditProducer::end), so that the
    /// consumer was told that the channel was abandoned. Only said to who waits for the end of the work.
    Abandoned,
    /// The connection that carried the channel is gone.
    Disconnected(Disconnect),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(reason) => write!(f, "cancelled by the consumer: {reason}"),
            Self::Failed(failure) => write!(f, "failed by the producer: {failure}"),
            Self::Abandoned => f.write_str("abandoned by another producer, which was dropped without end"),
            Self::Disconnected(disconnect) => write!(f, "connection lost: {disconnect}"),
        }
    }
}

impl error::Error for Closed {}
