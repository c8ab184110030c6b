//! Read buffers that come home.

use ::bytes::BytesMut;
use std::collections::VecDeque;

/// Read buffers whose payloads are still out, to be used again once those are gone: a fresh buffer for every
/// large chunk costs more than its bytes do, since the system maps its pages anew each time.
#[derive(Debug, Default)]
pub(super) struct Spares {
    /// With what each was made for. The oldest first: its payloads are likely to be gone first.
    buffers: VecDeque<(BytesMut, usize)>,
    bytes: usize,
    /// What was let go of with payloads still in it, in bytes.
    lost: usize,
}

impl Spares {
    /// What one connection keeps at most, in bytes.
    const KEPT: usize = 4 << 20;
    /// How much may be let go of before [`is_crowded`](Self::is_crowded).
    const LOST: usize = 1 << 20;

    /// Whether payloads stay for so long that more and more buffers live on for their sake: then a small payload is to
    /// be copied out, lest a peer have each of its bytes hold a whole buffer.
    pub(super) fn is_crowded(&self) -> bool {
        self.lost > Self::LOST
    }

    /// An empty buffer with room for so many bytes.
    pub(super) fn take(&mut self, room: usize) -> BytesMut {
        let Some((mut oldest, size)) = self.buffers.pop_front() else { return BytesMut::with_capacity(room) };
        if oldest.try_reclaim(room) {
            self.bytes -= size;
            return oldest;
        }
        if size >= room {
            // Large enough, and its payloads are not gone yet.
            self.buffers.push_front((oldest, size));
        } else {
            self.bytes -= size;
            self.lost = self.lost.saturating_add(size);
        }
        BytesMut::with_capacity(room)
    }

    /// Keeps a buffer that was made for `size` bytes, all of which were taken out or copied.
    pub(super) fn keep(&mut self, mut buffer: BytesMut, size: usize) {
        buffer.clear();
        self.buffers.push_back((buffer, size));
        self.bytes += size;
        while self.bytes > Self::KEPT {
            let Some((mut oldest, size)) = self.buffers.pop_front() else { break };
            self.bytes -= size;
            if !oldest.try_reclaim(size) {
                self.lost = self.lost.saturating_add(size);
            }
        }
    }

    /// Lets go of all whose payloads are gone: nothing has come for a while. (The others would stay anyway.)
    pub(super) fn clear(&mut self) {
        self.buffers.retain_mut(|(buffer, size)| !buffer.try_reclaim(*size));
        self.bytes = self.buffers.iter().map(|(_, size)| size).sum();
    }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::Spares;
    use ::bytes::BytesMut;

    #[test]
    fn a_buffer_comes_home_when_its_payloads_are_gone() {
        let mut spares = Spares::default();
        let mut buffer = BytesMut::with_capacity(1000);
        buffer.resize(1000, 7);
        let payload = buffer.split_to(1000).freeze();
        let address = payload.as_ptr();
        spares.keep(buffer, 1000);
        assert_ne!(spares.take(1000).as_ptr(), address, "still in use");
        drop(payload);
        let again = spares.take(1000);
        assert_eq!(again.as_ptr(), address);
        assert!(again.is_empty() && again.capacity() >= 1000);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut spares = Spares::default();
        for _ in 0..100 {
            spares.keep(BytesMut::with_capacity(1 << 20), 1 << 20);
        }
        assert_eq!(spares.bytes, Spares::KEPT);
        assert_eq!(spares.buffers.len(), 4);
        assert!(!spares.is_crowded(), "nothing was in them");
        spares.clear();
        assert_eq!((spares.bytes, spares.buffers.len()), (0, 0));
    }

    #[test]
    fn buffers_that_do_not_come_home_are_noticed() {
        let mut spares = Spares::default();
        let mut payloads = Vec::new();
        while payloads.len() < 70 {
            let mut buffer = BytesMut::with_capacity(64 << 10);
            buffer.resize(64 << 10, 7);
            payloads.push(buffer.split_to(1).freeze());
            spares.keep(buffer, 64 << 10);
        }
        assert!(!spares.is_crowded(), "64 of them are still at hand");
        spares.clear();
        assert_eq!(spares.bytes, Spares::KEPT, "they would stay anyway");
        for _ in 0..20 {
            let mut buffer = BytesMut::with_capacity(64 << 10);
            buffer.resize(64 << 10, 7);
            payloads.push(buffer.split_to(1).freeze());
            spares.keep(buffer, 64 << 10);
        }
        assert!(spares.is_crowded());
        payloads.clear();
        spares.clear();
        assert_eq!(spares.bytes, 0);
    }
}
