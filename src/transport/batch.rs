//! How much is written in one go.

use crate::Credit;

/// What is queued for one write, and the most of it.
///
/// Few large writes cost less than many small ones. But of a window that is written all at once the peer can work on
/// nothing before all of it has come, and then this side has nothing to write before the work is done: the two take
/// turns. Where a write is a part of the window each works while the other does.
#[derive(Debug)]
pub(super) struct Batch {
    /// Chunks that are queued.
    pub(super) chunks: u64,
    most_chunks: u64,
    most_bytes: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { chunks: 0, most_chunks: u64::MAX, most_bytes: Self::ROOM }
    }
}

impl Batch {
    /// The most in bytes, and what control frames wait behind, unless one chunk is larger.
    ///
    /// With a small chunk on top it is less than 64 KiB, which is where a TCP cuts what is written: a little more would
    /// be two segments, and for the peer twice as much to do.
    const ROOM: usize = 60 << 10;
    /// Below this a write costs more than it is worth to split it.
    const LEAST: usize = 8 << 10;
    /// So many writes make up a window.
    const WRITES: u64 = 6;

    pub(super) fn follow_window(&mut self, window: Credit) {
        let part = |limit: u64| if limit > 0 { limit / Self::WRITES } else { u64::MAX };
        self.most_chunks = part(window.messages());
        self.most_bytes = usize::try_from(part(window.bytes())).unwrap_or(Self::ROOM).clamp(Self::LEAST, Self::ROOM);
    }

    /// Whether more may be queued behind so many bytes.
    #[inline]
    pub(super) fn has_room(&self, queued: usize) -> bool {
        queued < Self::LEAST || queued < self.most_bytes && self.chunks < self.most_chunks
    }
}
