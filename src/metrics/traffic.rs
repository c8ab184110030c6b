//! What went over the connections of one name.

use crate::session::{ConnectionStats, FrameCounts};

/// The values of the label `frame`.
pub(super) const FRAMES: [&str; 12] =
    ["hello", "chunk", "credit", "end", "error", "cancel", "ping", "pong", "blocked", "drain", "goaway", "ignored"];

/// Frames by kind, and bytes. It only grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    pub(super) received: [u64; FRAMES.len()],
    pub(super) sent: [u64; FRAMES.len()],
    pub(super) bytes_read: u64,
    pub(super) bytes_written: u64,
}

impl Traffic {
    pub(super) fn add(&mut self, more: &Self) {
        let counts = self.received.iter_mut().zip(more.received).chain(self.sent.iter_mut().zip(more.sent));
        let bytes = [(&mut self.bytes_read, more.bytes_read), (&mut self.bytes_written, more.bytes_written)];
        for (sum, more) in counts.chain(bytes) {
            *sum = sum.saturating_add(more);
        }
    }
}

impl From<ConnectionStats> for Traffic {
    fn from(stats: ConnectionStats) -> Self {
        let ConnectionStats { received, sent, bytes_read, bytes_written, .. } = stats;
        Self { received: by_kind(received), sent: by_kind(sent), bytes_read, bytes_written }
    }
}

fn by_kind(counts: FrameCounts) -> [u64; FRAMES.len()] {
    let FrameCounts { hello, chunk, credit, end, error, cancel, ping, pong, blocked, drain, goaway, ignored } = counts;
    [hello, chunk, credit, end, error, cancel, ping, pong, blocked, drain, goaway, ignored]
}
