//! Reasons as ERROR and CANCEL carry them, there and back.
//!
//! | [`CancelReason`] | code | detail | text |
//! |---|---|---|---|
//! | `Requested`, `Dropped`, `Drained` | CANCELLED, DROPPED, DRAINED | 0 | |
//! | `HandlerError`, `Undecodable` | HANDLER_ERROR, UNDECODABLE | 0 | its text |
//! | `HandlerPanic`, `Timeout`, `Shutdown` | HANDLER_PANIC, TIMEOUT, SHUTDOWN | 0 | |
//! | `Other` | APPLICATION | its code | its text |
//!
//! A [`Failure`] is FAILED with its code as the detail. Any other code comes out as `Other` or as a failure
//! whose code is that number and whose text begins with the code's name: nothing is lost, and it is treated
//! as any other reason.

use super::Event;
use crate::wire::Code;
use crate::{CancelReason, Failure, Violation};
use std::borrow::Cow;

/// The longest text of a frame, in bytes.
const MAX_TEXT: usize = 4_096;

/// A reason as a frame carries it.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) code: Code,
    pub(super) detail: u32,
    pub(super) text: String,
}

impl Words {
    pub(super) fn new(code: Code, detail: u32, text: impl Into<String>) -> Self {
        Self { code, detail, text: bounded(text.into()) }
    }

    pub(super) fn of_cancel(reason: &CancelReason) -> Self {
        match reason {
            CancelReason::Requested => Self::new(Code::CANCELLED, 0, ""),
            CancelReason::Dropped => Self::new(Code::DROPPED, 0, ""),
            CancelReason::Drained => Self::new(Code::DRAINED, 0, ""),
            CancelReason::HandlerError(text) => Self::new(Code::HANDLER_ERROR, 0, &**text),
            CancelReason::HandlerPanic => Self::new(Code::HANDLER_PANIC, 0, ""),
            CancelReason::Timeout => Self::new(Code::TIMEOUT, 0, ""),
            CancelReason::Shutdown => Self::new(Code::SHUTDOWN, 0, ""),
            CancelReason::Undecodable(text) => Self::new(Code::UNDECODABLE, 0, &**text),
            CancelReason::Other { code, text } => Self::new(Code::APPLICATION, *code, &**text),
        }
    }

    pub(super) fn of_failure(failure: &Failure) -> Self {
        Self::new(Code::FAILED, failure.code(), failure.text())
    }

    /// What CANCEL means.
    pub(super) fn into_cancel(self) -> CancelReason {
        match self.code {
            Code::CANCELLED => CancelReason::Requested,
            Code::DROPPED => CancelReason::Dropped,
            Code::DRAINED => CancelReason::Drained,
            Code::HANDLER_ERROR => CancelReason::HandlerError(self.text.into()),
            Code::HANDLER_PANIC => CancelReason::HandlerPanic,
            Code::TIMEOUT => CancelReason::Timeout,
            Code::SHUTDOWN => CancelReason::Shutdown,
            Code::UNDECODABLE => CancelReason::Undecodable(self.text.into()),
            Code::APPLICATION => CancelReason::Other { code: self.detail, text: self.text.into() },
            Code(code) => CancelReason::Other { code, text: self.labelled().into() },
        }
    }

    /// What ERROR means.
    pub(super) fn into_ending<T>(self, discard: bool) -> Event<T> {
        let failure = match self.code {
            Code::ABANDONED => return Event::Abandoned,
            Code::DRAINED => return Event::Drained,
            Code::FAILED | Code::APPLICATION => Failure::new(self.text).with_code(self.detail),
            Code(code) => Failure::new(self.labelled()).with_code(code),
        };
        Event::Failed { failure, discard }
    }

    /// The text behind the code's name, so that it is not taken for a code of the application's.
    fn labelled(&self) -> String {
        if self.text.is_empty() { self.code.to_string() } else { format!("{}: {}", self.code, self.text) }
    }
}

/// A broken rule.
pub(super) fn breach(code: Code, text: impl Into<Cow<'static, str>>) -> Violation {
    Violation::new(code.0, text)
}

/// The text, cut to what a frame can carry. Over a transport of bytes the decoder has seen to it before.
pub(super) fn bounded(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let cut = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(cut);
    }
    text
}
