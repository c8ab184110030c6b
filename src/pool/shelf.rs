//! Where buffers are when they are not out. Pure: no lock, no waiting.

use super::PoolStats;
use bytes::BytesMut;
use std::collections::VecDeque;
use std::time::Duration;

/// The buffers of a pool that are not out.
///
/// # Invariants
///
/// 1. Those at home, the frozen ones and those that are out are never more than `count`.
#[derive(Debug)]
pub(super) struct Shelf {
    count: u64,
    size_bytes: usize,
    /// The one that came last on top: it is warm.
    home: Vec<BytesMut>,
    /// Views of them were alive when last looked. The oldest first: its views are likely to be gone first.
    frozen: VecDeque<BytesMut>,
    out: u64,
    taken: u64,
    made: u64,
    misses: u64,
    outgrown: u64,
}

/// What one who has a place finds.
#[derive(Debug)]
pub(super) enum Found {
    Buffer(BytesMut),
    /// None: another is to be made, once this has been let go of.
    Room {
        instead_of: Option<BytesMut>,
    },
}

/// What has become of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reclaimed {
    /// It is whole again.
    Whole,
    /// There are views of it, or it is not the buffer that was taken.
    InUse,
    /// It is larger than it was made.
    Outgrown,
}

/// Makes an empty buffer whole again, if that needs no other.
pub(super) fn reclaim(buffer: &mut BytesMut, size_bytes: usize) -> Reclaimed {
    // What it has before its present start counts too: so it is asked for, not the capacity looked at.
    if buffer.try_reclaim(size_bytes + 1) {
        Reclaimed::Outgrown
    } else if buffer.try_reclaim(size_bytes) {
        Reclaimed::Whole
    } else {
        Reclaimed::InUse
    }
}

impl Shelf {
    pub(super) fn new(count: u64, size_bytes: usize) -> Self {
        let (home, frozen) = (Vec::new(), VecDeque::new());
        Self { count, size_bytes, home, frozen, out: 0, taken: 0, made: 0, misses: 0, outgrown: 0 }
    }

    /// Takes one out, or room for one. Only for one who has a place: fewer than `count` are out.
    pub(super) fn take(&mut self) -> Found {
        let found = self.find();
        self.made += u64::from(matches!(found, Found::Room { .. }));
        self.taken += 1;
        self.out += 1;
        self.assert_invariants();
        found
    }

    fn find(&mut self) -> Found {
        if let Some(buffer) = self.home.pop() {
            return Found::Buffer(buffer);
        }
        for at in 0..self.frozen.len() {
            match reclaim(&mut self.frozen[at], self.size_bytes) {
                Reclaimed::InUse => {}
                Reclaimed::Whole => {
                    return self.frozen.remove(at).map_or(Found::Room { instead_of: None }, Found::Buffer);
                }
                Reclaimed::Outgrown => {
                    self.outgrown += 1;
                    return Found::Room { instead_of: self.frozen.remove(at) };
                }
            }
        }
        let is_full = count_of(self.frozen.len()) + self.out >= self.count;
        self.misses += u64::from(is_full);
        Found::Room { instead_of: if is_full { self.frozen.pop_front() } else { None } }
    }

    /// One that was out comes home, as far as that is so. Returns what is to be let go of.
    pub(super) fn put(&mut self, buffer: BytesMut, reclaimed: Reclaimed) -> Option<BytesMut> {
        self.out -= 1;
        match reclaimed {
            Reclaimed::Whole => self.home.push(buffer),
            Reclaimed::InUse => self.frozen.push_back(buffer),
            Reclaimed::Outgrown => {
                self.outgrown += 1;
                return Some(buffer);
            }
        }
        self.assert_invariants();
        None
    }

    /// Its numbers; those of the line are not its own.
    pub(super) fn stats(&self) -> PoolStats {
        let Self { count, out, taken, made, misses, outgrown, .. } = *self;
        let (home, frozen) = (count_of(self.home.len()), count_of(self.frozen.len()));
        let (waits, waiting, wait_time) = (0, 0, Duration::ZERO);
        PoolStats { count, home, out, frozen, taken, waits, waiting, wait_time, made, misses, outgrown }
    }

    fn assert_invariants(&self) {
        debug_assert!(
            count_of(self.home.len()) + count_of(self.frozen.len()) + self.out <= self.count,
            "1: more buffers than the pool has: {:?}",
            self.stats()
        );
    }
}

fn count_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
