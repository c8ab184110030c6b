//! An amount of credit, in the two units a window can count.

use std::fmt;

/// An amount of credit or of cost: so many messages and so many bytes.
///
/// A window counts messages, bytes, or both, and everything the channel says about amounts (the cost of
/// a [`Chunk`](crate::Chunk), the depth, the credit that is left) comes as this pair. A unit that the
/// window does not count is always 0.
///
/// # Examples
///
/// ```
/// use credit_channel::{Window, channel};
///
/// let (tx, _rx) = channel::<u32>(Window::messages(4))?;
/// tx.try_send(7)?;
/// assert_eq!(tx.depth().messages(), 1);
/// assert_eq!(tx.credit().messages(), 3);
/// assert_eq!(tx.depth().bytes(), 0, "this window does not count bytes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Credit {
    messages: u64,
    bytes: u64,
}

impl Credit {
    /// No credit at all.
    pub const ZERO: Self = Self { messages: 0, bytes: 0 };

    /// So many messages and so many bytes: for whoever speaks the protocol without the crate's own transports.
    #[must_use]
    pub const fn new(messages: u64, bytes: u64) -> Self {
        Self { messages, bytes }
    }

    /// The amount in messages; 0 where the window does not count them.
    #[must_use]
    pub const fn messages(self) -> u64 {
        self.messages
    }

    /// The amount in bytes; 0 where the window does not count them.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Whether it is nothing in either unit.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.messages == 0 && self.bytes == 0
    }

    /// Sums amounts of which each is at most a window, so that it cannot overflow; were it to, it stays at the top.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self::new(self.messages.saturating_add(other.messages), self.bytes.saturating_add(other.bytes))
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        Self::new(self.messages.saturating_sub(other.messages), self.bytes.saturating_sub(other.bytes))
    }

    pub(crate) const fn times(self, n: u64) -> Self {
        Self::new(self.messages.saturating_mul(n), self.bytes.saturating_mul(n))
    }

    /// The smaller of each unit.
    #[cfg(feature = "transport")]
    pub(crate) const fn min(self, other: Self) -> Self {
        const fn smaller(a: u64, b: u64) -> u64 {
            if a < b { a } else { b }
        }
        Self::new(smaller(self.messages, other.messages), smaller(self.bytes, other.bytes))
    }

    /// The larger of each unit.
    pub(crate) const fn max(self, other: Self) -> Self {
        const fn larger(a: u64, b: u64) -> u64 {
            if a > b { a } else { b }
        }
        Self::new(larger(self.messages, other.messages), larger(self.bytes, other.bytes))
    }

    /// Whether `other` covers this amount in both units.
    pub(crate) const fn fits_in(self, other: Self) -> bool {
        self.messages <= other.messages && self.bytes <= other.bytes
    }
}

impl fmt::Display for Credit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.messages, self.bytes) {
            (0, 0) => f.write_str("nothing"),
            (messages, 0) => write_amount(f, messages, "message"),
            (0, bytes) => write_amount(f, bytes, "byte"),
            (messages, bytes) => {
                write_amount(f, messages, "message")?;
                f.write_str(" and ")?;
                write_amount(f, bytes, "byte")
            }
        }
    }
}

/// "1 message", "2 messages".
fn write_amount(f: &mut fmt::Formatter<'_>, n: u64, unit: &str) -> fmt::Result {
    write!(f, "{n} {unit}{}", if n == 1 { "" } else { "s" })
}

impl fmt::Debug for Credit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credit({self})")
    }
}
