//! Why a frame says that something is over.

use std::fmt;

/// The reason code of ERROR, CANCEL and GOAWAY.
///
/// A code that this version does not know is kept as its number and treated as [`INTERNAL`](Self::INTERNAL)
/// (RFC 9113 section 7 does the same).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub u32);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        impl Code {
            $($(#[$doc])* pub const $name: Self = Self($number);)*

            /// Its name in PROTOCOL.md, if it has one.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    /// Nothing is wrong: the connection is no longer needed.
    NONE = 0,
    /// The peer broke a rule that has no code of its own.
    PROTOCOL = 1,
    /// More was sent than was granted, or a grant is out of bounds.
    FLOW_CONTROL = 2,
    /// A frame is too long, or not of the length its type has.
    FRAME_SIZE = 3,
    /// A chunk's number is not the one that is next.
    SEQUENCE = 4,
    /// END or ERROR counts other chunks than were received.
    FINAL_COUNT = 5,
    /// A frame that its sender may not send, or not now.
    STATE = 6,
    /// No version that both sides speak.
    VERSION = 7,
    /// The consumer's window counts a unit that the producer cannot count.
    UNIT_MISMATCH = 8,
    /// Refused before anything was processed: it is safe to try again.
    REFUSED = 9,
    /// The consumer's user asked for it.
    CANCELLED = 10,
    /// The consumer was dropped.
    DROPPED = 11,
    /// The producer was dropped without an end.
    ABANDONED = 12,
    /// The producer failed: the text says how, the detail is the application's code.
    FAILED = 13,
    /// The consumer's handler returned an error.
    HANDLER_ERROR = 14,
    /// The consumer's handler panicked.
    HANDLER_PANIC = 15,
    /// The consumer, or its user, found that it took too long.
    TIMEOUT = 16,
    /// Nothing came from the peer for too long.
    TIMEOUT_IDLE = 17,
    /// The peer did not take what was written.
    TIMEOUT_WRITE = 18,
    /// The peer did not finish the handshake.
    TIMEOUT_HANDSHAKE = 19,
    /// The peer is alive and makes no progress.
    NO_PROGRESS = 20,
    /// The peer costs more than it carries.
    ENHANCE_CALM = 21,
    /// The process is going down.
    SHUTDOWN = 22,
    /// Something is wrong on the side that says so.
    INTERNAL = 23,
    /// The consumer drains: what was sent before is all there is.
    DRAINED = 24,
    /// A chunk's payload could not be decoded: the text names it.
    UNDECODABLE = 25,
    /// A reason of the application's own: the detail is its code.
    APPLICATION = 26,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "code {}", self.0),
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}
