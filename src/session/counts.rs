//! What went over one connection.

use crate::wire::Frame;
use std::time::Duration;

/// The numbers of one connection, as one end counts them. Counters only grow.
///
/// What a channel's [`Stats`](crate::Stats) do not show: frames that carry no chunk cost too, and a peer that sends many
/// of them runs its budget down ([`budget_left`](Self::budget_left)) long before it is cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConnectionStats {
    /// Frames that came, by kind.
    pub received: FrameCounts,
    /// Frames that were handed to the transport, by kind.
    pub sent: FrameCounts,
    /// Bytes that came.
    pub bytes_read: u64,
    /// Bytes that were written.
    pub bytes_written: u64,
    /// What the peer may still spend on frames that carry no chunk before it is told to keep calm, of 1,000. Chunks and
    /// time fill it up again.
    pub budget_left: u64,
    /// There and back, the shortest of the last eight, if it was measured.
    pub round_trip: Option<Duration>,
}

/// Frames by kind, with the names of PROTOCOL.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is what its name says in PROTOCOL.md")]
pub struct FrameCounts {
    pub hello: u64,
    pub chunk: u64,
    pub credit: u64,
    pub end: u64,
    pub error: u64,
    pub cancel: u64,
    pub ping: u64,
    pub pong: u64,
    pub blocked: u64,
    pub drain: u64,
    pub goaway: u64,
    /// Of kinds that this version does not know and may pass over.
    pub ignored: u64,
}

impl FrameCounts {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { hello, chunk, credit, end, error, cancel, ping, pong, blocked, drain, goaway, ignored } = *self;
        [hello, chunk, credit, end, error, cancel, ping, pong, blocked, drain, goaway, ignored].iter().sum()
    }

    pub(super) fn count<T>(&mut self, frame: &Frame<T>) {
        let counter = match frame {
            Frame::Hello(_) => &mut self.hello,
            Frame::Chunk { .. } => &mut self.chunk,
            Frame::Credit(_) => &mut self.credit,
            Frame::End { .. } => &mut self.end,
            Frame::Error { .. } => &mut self.error,
            Frame::Cancel { .. } => &mut self.cancel,
            Frame::Ping { .. } => &mut self.ping,
            Frame::Pong { .. } => &mut self.pong,
            Frame::Blocked { .. } => &mut self.blocked,
            Frame::Drain => &mut self.drain,
            Frame::GoAway { .. } => &mut self.goaway,
            Frame::Ignored { .. } => &mut self.ignored,
        };
        *counter += 1;
    }
}
