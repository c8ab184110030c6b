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

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::Batch;
    use crate::Credit;

    /// How many chunks of so many bytes a batch takes.
    fn taken(window: Credit, chunk: usize) -> u64 {
        let mut batch = Batch::default();
        batch.follow_window(window);
        while batch.has_room(usize::try_from(batch.chunks).unwrap() * chunk) {
            batch.chunks += 1;
        }
        batch.chunks
    }

    #[test]
    fn a_write_is_a_sixth_of_the_window() {
        assert_eq!(taken(Credit::new(1024, 0), 84), 170);
        assert_eq!(taken(Credit::new(64, 0), 4116), 10);
        assert_eq!(taken(Credit::new(0, 192 << 10), 1024), 32, "32 KiB");
        assert_eq!(taken(Credit::new(64, 192 << 10), 1024), 10, "whichever is less");
        assert_eq!(taken(Credit::new(64, 192 << 10), 4096), 8, "whichever is less");
    }

    #[test]
    fn a_small_window_is_written_as_a_whole() {
        assert_eq!(taken(Credit::new(64, 0), 84), 98, "8 KiB, which is more than the window");
        assert_eq!(taken(Credit::new(0, 4096), 84), 98);
        assert_eq!(taken(Credit::new(1, 0), 84), 98);
    }

    #[test]
    fn no_write_is_larger_than_one_segment_and_a_chunk() {
        for window in [Credit::new(u64::MAX, 0), Credit::new(0, u64::MAX), Credit::ZERO] {
            assert_eq!(taken(window, 1024), 60);
            assert_eq!(taken(window, 1 << 20), 1);
        }
    }
}
