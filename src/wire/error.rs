//! What is wrong with the bytes that came, or with the stream they came by.

use super::code::Code;
use crate::{Disconnect, Violation};
use std::borrow::Cow;
use std::{error, fmt, io};

/// Why [`FrameCodec`](super::FrameCodec) could not read or write a frame.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The stream does not begin with the preface: whoever is there speaks another protocol, so that nothing
    /// is to be answered. The text says what it looks like.
    Preface(Violation),
    /// The peer broke a rule. The code is for the GOAWAY that answers it, and the text names the field and
    /// the numbers.
    Violation(Violation),
    /// The stream ended inside a frame ([`UnexpectedEof`](io::ErrorKind::UnexpectedEof)), a frame cannot be
    /// written as it is ([`InvalidInput`](io::ErrorKind::InvalidInput)), or the transport failed.
    Io(io::Error),
}

impl WireError {
    /// The rule that the peer broke, where it is the peer who is wrong.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Self::Preface(violation) | Self::Violation(violation) => Some(violation),
            Self::Io(_) => None,
        }
    }
}

/// A broken rule, by its code.
pub(super) fn violation(code: Code, text: impl Into<Cow<'static, str>>) -> Violation {
    Violation::new(code.0, text)
}

/// A frame of ours that cannot be written.
pub(super) fn unwritable(text: impl Into<String>) -> WireError {
    WireError::Io(io::Error::new(io::ErrorKind::InvalidInput, text.into()))
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Violation> for WireError {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

impl From<WireError> for Disconnect {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Preface(violation) | WireError::Violation(violation) => Self::Violation(violation),
            WireError::Io(error) => error.into(),
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preface(violation) => write!(f, "the peer speaks another protocol: {violation}"),
            Self::Violation(violation) => write!(f, "the peer broke the protocol: {violation}"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl error::Error for WireError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}
