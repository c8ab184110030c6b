//! The window: the ceiling on cost in flight.

use crate::Credit;
use crate::sizing::Need;
use std::time::Duration;
use std::{error, fmt};

/// The ceiling on cost in flight: what has been sent and whose work is not finished yet.
///
/// It counts messages, bytes, or both at once; with both, a chunk needs credit in each. Memory in flight
/// is at most the window times the largest chunk (messages) or the window itself (bytes), whatever the
/// two sides do.
///
/// **Sizing.** To keep the producer busy, the window has to cover the time from a send to the return of
/// its credit: `(L + C) / P`, rounded up, at least 2, where L is the latency there and back, C the
/// consumer's and P the producer's time per chunk. 14 ms of work against 2 ms of production over 1 ms
/// wants 8: [`for_costs`](Self::for_costs) computes it, and [`sizing`](crate::sizing) follows it as the costs change. A
/// window of 1 is legal and means stop-and-wait.
///
/// A window of 0 would let nothing through for ever; it is refused where it is used, by
/// [`channel`](crate::channel()) and [`set_window`](crate::CreditConsumer::set_window).
///
/// # Examples
///
/// ```
/// use credit_channel::Window;
///
/// let rows = Window::messages(64);
/// assert_eq!(rows.message_limit(), Some(64));
/// let pages = Window::messages(64).and_bytes(16 << 20);
/// assert_eq!(pages.byte_limit(), Some(16 << 20));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Window {
    messages: Option<u64>,
    bytes: Option<u64>,
}

impl Window {
    /// The largest window in either unit; larger numbers are taken as this one.
    ///
    /// 2⁶² is more than any memory, and leaves the arithmetic room so that no sum of two amounts in a
    /// channel can overflow.
    pub const MAX: u64 = 1 << 62;

    /// At most `limit` messages in flight.
    #[must_use]
    pub const fn messages(limit: u64) -> Self {
        Self { messages: Some(at_most_max(limit)), bytes: None }
    }

    /// At most `limit` bytes in flight, as [`Weigh`](crate::Weigh) counts them.
    #[must_use]
    pub const fn bytes(limit: u64) -> Self {
        Self { messages: None, bytes: Some(at_most_max(limit)) }
    }

    /// As many messages as keep the producer busy: `(latency + consume) / produce`, rounded up, at least 2.
    ///
    /// `latency` is that of the way there and back, `consume` the consumer's work per chunk, `produce` the producer's
    /// time per chunk. What it does not know:
    ///
    /// * **A consumer that is the limit.** If all its workers together are slower than the producer, no window keeps the
    ///   producer busy, and this one holds more than can be used; for a producer that costs nothing it is
    ///   [`MAX`](Self::MAX). For that, [`for_workers`](Self::for_workers).
    /// * **Returns in batches.** Where credit comes back `b` at a time, up to `b - 1` more are needed.
    /// * **Queueing.** `consume` has to be work, and `latency` that of an empty pipe: time that a chunk waits grows
    ///   with the window, and would have it grow further.
    /// * **Credit first.** A producer that [reserves](crate::CreditProducer::reserve) before it makes the chunk holds
    ///   its credit for that time too, and needs 1 more.
    ///
    /// # Examples
    ///
    /// ```
    /// use credit_channel::Window;
    /// use std::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// assert_eq!(Window::for_costs(ms(1), ms(14), ms(2)), Window::messages(8));
    /// assert_eq!(Window::for_costs(ms(1), ms(1), ms(20)), Window::messages(2));
    /// assert_eq!(Window::for_costs(ms(40), ms(1), ms(1)).and_bytes(16 << 20).message_limit(), Some(41));
    /// ```
    #[must_use]
    pub fn for_costs(latency: Duration, consume: Duration, produce: Duration) -> Self {
        Self::messages(Need::of_producer(latency, consume, produce).messages())
    }

    /// As many messages as keep the slower side busy, the producer or so many workers:
    /// `(latency + consume) / max(produce, consume / workers)`, rounded up, at least 2.
    ///
    /// It is Little's law: what is in flight is the throughput times the time that each chunk is in flight. Never more
    /// than [`for_costs`](Self::for_costs), and the same as soon as the workers keep up. 0 workers are taken as 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use credit_channel::Window;
    /// use std::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let with = |workers| Window::for_workers(ms(1), ms(14), ms(2), workers);
    /// assert_eq!(with(1), Window::messages(2), "one worker takes a chunk each 14 ms");
    /// assert_eq!(with(4), Window::messages(5));
    /// assert_eq!(with(7), Window::for_costs(ms(1), ms(14), ms(2)));
    /// ```
    #[must_use]
    pub fn for_workers(latency: Duration, consume: Duration, produce: Duration, workers: u32) -> Self {
        Self::messages(Need::of_workers(latency, consume, produce, workers).messages())
    }

    /// Also limits the messages in flight.
    #[must_use]
    pub const fn and_messages(self, limit: u64) -> Self {
        Self { messages: Some(at_most_max(limit)), ..self }
    }

    /// Also limits the bytes in flight.
    #[must_use]
    pub const fn and_bytes(self, limit: u64) -> Self {
        Self { bytes: Some(at_most_max(limit)), ..self }
    }

    /// The limit in messages, if it counts them.
    #[must_use]
    pub const fn message_limit(self) -> Option<u64> {
        self.messages
    }

    /// The limit in bytes, if it counts them.
    #[must_use]
    pub const fn byte_limit(self) -> Option<u64> {
        self.bytes
    }

    /// The limits as an amount; 0 for a unit that is not counted.
    pub(crate) const fn as_credit(self) -> Credit {
        const fn or_zero(limit: Option<u64>) -> u64 {
            match limit {
                Some(n) => n,
                None => 0,
            }
        }
        Credit::new(or_zero(self.messages), or_zero(self.bytes))
    }

    /// What a chunk of `bytes` bytes costs here: 1 message and at least 1 byte, each only if counted.
    ///
    /// The least cost of one byte is what bounds a stream of empty chunks.
    pub(crate) const fn cost(self, bytes: u64) -> Credit {
        let messages = if self.messages.is_some() { 1 } else { 0 };
        let bytes = match (self.bytes, bytes) {
            (None, _) => 0,
            (Some(_), 0) => 1,
            (Some(_), n) => n,
        };
        Credit::new(messages, bytes)
    }

    /// The window a consumer keeps over a transport: one of bytes also limits the messages, so that a stream of
    /// tiny chunks costs no more memory for their bookkeeping than the window allows for their bytes. The limit
    /// is told to the producer like any other, so that an honest one never runs into it unawares.
    #[cfg(feature = "transport")]
    pub(crate) fn with_bookkeeping(self) -> Self {
        /// About what a chunk in a queue costs beside its bytes.
        const BYTES_PER_CHUNK: u64 = 64;
        /// A few always may, so that a small window is no stop-and-wait for small chunks.
        const LEAST: u64 = 16;
        match (self.messages, self.bytes) {
            (None, Some(bytes)) => self.and_messages((bytes / BYTES_PER_CHUNK).max(LEAST)),
            _ => self,
        }
    }

    /// A window that counts what `units` names, with these limits.
    #[cfg(feature = "transport")]
    pub(crate) const fn of(messages: Option<u64>, bytes: Option<u64>) -> Self {
        Self { messages, bytes }
    }

    pub(crate) fn check(self) -> Result<Self, WindowError> {
        if self.messages == Some(0) || self.bytes == Some(0) {
            return Err(WindowError::Zero);
        }
        Ok(self)
    }

    pub(crate) const fn counts_like(self, other: Self) -> bool {
        self.messages.is_some() == other.messages.is_some() && self.bytes.is_some() == other.bytes.is_some()
    }
}

const fn at_most_max(limit: u64) -> u64 {
    if limit > Window::MAX { Window::MAX } else { limit }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A limit of 0 reads "nothing": such a window is only ever on its way to being refused.
        self.as_credit().fmt(f)
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window({self})")
    }
}

/// What becomes of a chunk that costs more than the whole window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Oversize {
    /// It is refused at once with `TooLarge`, and the caller has it back. The default.
    #[default]
    Refuse,
    /// It waits its turn and passes alone: when nothing else is in flight or promised. Nothing more is
    /// sent until its credit is back. Memory in flight can then reach the size of that one chunk.
    Alone,
}

/// Why a window was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WindowError {
    /// A limit of 0: nothing could ever be sent.
    Zero,
    /// The window counts bytes, and nothing says what a value weighs. Use
    /// [`weighted`](crate::weighted) or [`Builder::weigh_with`](crate::Builder::weigh_with).
    Unweighed,
    /// The new window counts other units than the channel was opened with.
    OtherUnits {
        /// The window in force.
        current: Window,
        /// The window that was asked for.
        asked: Window,
    },
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("a window of 0 lets nothing through"),
            Self::Unweighed => f.write_str("the window counts bytes, but nothing says what a value weighs"),
            Self::OtherUnits { current, asked } => {
                write!(f, "a window of {current} cannot become one of {asked}: it counts other units")
            }
        }
    }
}

impl error::Error for WindowError {}
