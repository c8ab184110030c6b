//! What a channel has seen of itself.

use std::time::Duration;

/// What was seen of one channel since the last sample: all that a [`WindowPolicy`](crate::sizing::WindowPolicy) knows.
///
/// What was not measured is `None`, and not zero: a producer whose cost is unknown is not one that costs nothing.
/// Anybody can make one: [`new`](Self::new), then the methods that bear the fields' names.
///
/// # Examples
///
/// ```
/// use credit_channel::sizing::Sample;
/// use std::time::Duration;
///
/// let sample = Sample::new(2)
///     .latency(Duration::from_millis(1))
///     .consume(Duration::from_millis(14))
///     .produce(Duration::from_millis(2))
///     .chunks(40)
///     .blocked(true)
///     .idle(true)
///     .peak_in_flight(2);
/// assert_eq!(sample.consume, Some(Duration::from_millis(14)));
/// assert_eq!(sample.least_spare, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The window in force, in messages.
    pub window: u64,
    /// The latency there and back, without the work: of a PING, not of a chunk and its credit. In one process it is
    /// about zero.
    ///
    /// A pipe that is full of chunks makes each of them, and a PING behind them, wait. If that wait is reported as
    /// latency, a larger window causes the latency that asks for a larger one: give the least of the last few.
    pub latency: Option<Duration>,
    /// The consumer's work per chunk, on average: from when one is taken in hand until its guard drops. A chunk's wait
    /// in the queue is not work.
    pub consume: Option<Duration>,
    /// The producer's time per chunk, on average, without the time for which it was parked.
    pub produce: Option<Duration>,
    /// Chunks whose work ended.
    pub chunks: u64,
    /// Whether a send waited for credit at any moment.
    pub blocked: bool,
    /// Whether the consumer had nothing to do at any moment: of several workers, whether one had.
    pub idle: bool,
    /// The most messages that were in flight, seen from the producer: until their credit was back.
    ///
    /// A consumer that counts only what it has not worked off sees less, as if credit on its way back were unused.
    pub peak_in_flight: u64,
    /// The least credit that was left, in messages.
    pub least_spare: u64,
    /// The most credit that the consumer held back to return it in one go: `b - 1` for batches of `b`.
    pub held_back: u64,
    /// The mean size of a chunk in bytes; 0 if it is unknown.
    pub chunk_bytes: u64,
}

impl Sample {
    /// Nothing is known but the window in force.
    #[must_use]
    pub const fn new(window: u64) -> Self {
        Self {
            window,
            latency: None,
            consume: None,
            produce: None,
            chunks: 0,
            blocked: false,
            idle: false,
            peak_in_flight: 0,
            least_spare: 0,
            held_back: 0,
            chunk_bytes: 0,
        }
    }

    /// Sets [`latency`](#structfield.latency).
    #[must_use]
    pub const fn latency(mut self, there_and_back: Duration) -> Self {
        self.latency = Some(there_and_back);
        self
    }

    /// Sets [`consume`](#structfield.consume).
    #[must_use]
    pub const fn consume(mut self, per_chunk: Duration) -> Self {
        self.consume = Some(per_chunk);
        self
    }

    /// Sets [`produce`](#structfield.produce).
    #[must_use]
    pub const fn produce(mut self, per_chunk: Duration) -> Self {
        self.produce = Some(per_chunk);
        self
    }

    /// Sets [`chunks`](#structfield.chunks).
    #[must_use]
    pub const fn chunks(mut self, done: u64) -> Self {
        self.chunks = done;
        self
    }

    /// Sets [`blocked`](#structfield.blocked).
    #[must_use]
    pub const fn blocked(mut self, blocked: bool) -> Self {
        self.blocked = blocked;
        self
    }

    /// Sets [`idle`](#structfield.idle).
    #[must_use]
    pub const fn idle(mut self, idle: bool) -> Self {
        self.idle = idle;
        self
    }

    /// Sets [`peak_in_flight`](#structfield.peak_in_flight).
    #[must_use]
    pub const fn peak_in_flight(mut self, messages: u64) -> Self {
        self.peak_in_flight = messages;
        self
    }

    /// Sets [`least_spare`](#structfield.least_spare).
    #[must_use]
    pub const fn least_spare(mut self, messages: u64) -> Self {
        self.least_spare = messages;
        self
    }

    /// Sets [`held_back`](#structfield.held_back).
    #[must_use]
    pub const fn held_back(mut self, messages: u64) -> Self {
        self.held_back = messages;
        self
    }

    /// Sets [`chunk_bytes`](#structfield.chunk_bytes).
    #[must_use]
    pub const fn chunk_bytes(mut self, mean: u64) -> Self {
        self.chunk_bytes = mean;
        self
    }
}
