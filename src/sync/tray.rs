//! Where guards put the credit that comes home.

use super::shim::{AtomicU64, Ordering};
use crate::Credit;

/// Returned credit that the ledger has not seen yet, and whether somebody is waiting for it.
///
/// ```text
///   last:  [ returned since the ledger last looked : 63 bits | WATCHED : 1 ]
///   first: [ returned, in the other unit of a window that counts both      ]
/// ```
///
/// | step | by | effect on `last` |
/// |---|---|---|
/// | [`put`](Self::put) | a guard, without the lock | sum += n; says whether it was WATCHED |
/// | [`take`](Self::take) | under the lock | sum → 0, WATCHED → 0 |
/// | [`watch`](Self::watch) | under the lock | WATCHED → 1; says whether anything lies there |
/// | [`arm`](Self::arm) | under the lock | sum += 2⁶² − n, so that its top bit says that n lie there |
///
/// No wake-up is lost, because all of them are read-modify-writes of one word and so have one order: a put
/// before the watch is seen by it, and one after it sees the bit and takes the lock. The same is true of the put
/// that brings the sum to what it was armed for.
///
/// The sum needs no more than 63 bits: it is at most what is in flight, and a window is at most 2⁶², or one
/// oversized chunk. Where the tray is armed it is at most [`MOST_ARMED`](Self::MOST_ARMED).
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Tray {
    last: AtomicU64,
    first: AtomicU64,
    units: Units,
}

/// Which units the window counts, and so what the two words hold.
#[derive(Clone, Copy, Debug)]
enum Units {
    Messages,
    Bytes,
    Both,
}

const WATCHED: u64 = 1;
/// Of `last`: what it was armed for lies there.
const RINGS: u64 = 1 << 63;

impl Tray {
    pub(crate) fn new(messages: bool, bytes: bool) -> Self {
        let units = match (messages, bytes) {
            (true, true) => Units::Both,
            (false, true) => Units::Bytes,
            (_, false) => Units::Messages,
        };
        Self { last: AtomicU64::new(0), first: AtomicU64::new(0), units }
    }

    /// Another one, empty, that counts the same units.
    pub(crate) fn of_the_same_units(&self) -> Self {
        Self { last: AtomicU64::new(0), first: AtomicU64::new(0), units: self.units }
    }

    /// Puts credit down. True if somebody waits for it: then the caller has to settle the channel.
    #[inline]
    #[must_use]
    pub(crate) fn put(&self, credit: Credit) -> bool {
        let last = match self.units {
            Units::Messages => credit.messages(),
            Units::Bytes => credit.bytes(),
            Units::Both => {
                // ORDERING: Relaxed; the Release on `last` below publishes it to the Acquire in `take`.
                self.first.fetch_add(credit.messages(), Ordering::Relaxed);
                credit.bytes()
            }
        };
        // ORDERING: Release, so that the work done under this credit happens before the send that `take`
        // (Acquire) lets through on it. Whoever sees WATCHED goes on to lock, which orders the rest.
        let before = self.last.fetch_add(last << 1, Ordering::Release);
        before & WATCHED != 0 || before.wrapping_add(last << 1) & RINGS != 0
    }

    /// Whether nothing lies there. A glance that may be out of date at once.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // ORDERING: Relaxed; only a hint whether to bother with `take`. A guard that gave its bytes back
        // before puts down a message and 0 bytes, which `last` does not show.
        self.last.load(Ordering::Relaxed) <= WATCHED && self.first.load(Ordering::Relaxed) == 0
    }

    /// Whether somebody watches, so that the caller may as well go to the lock with what it brings. A
    /// glance that may be out of date at once.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        // ORDERING: Relaxed; a stale answer costs a detour, `put` decides.
        self.last.load(Ordering::Relaxed) & WATCHED != 0
    }

    /// What lies there, with what an armed tray began with: a glance that may be out of date at once.
    pub(crate) fn glance(&self) -> Credit {
        // ORDERING: Relaxed; only numbers for people come of it.
        let last = self.last.load(Ordering::Relaxed) >> 1;
        match self.units {
            Units::Messages => Credit::new(last, 0),
            Units::Bytes => Credit::new(0, last),
            Units::Both => Credit::new(self.first.load(Ordering::Relaxed), last),
        }
    }

    /// Takes all that lies there, with what an armed tray began with, and stops watching.
    #[inline]
    pub(crate) fn take(&self) -> Credit {
        // ORDERING: Acquire, the partner of the Release in `put`.
        let last = self.last.swap(0, Ordering::Acquire) >> 1;
        match self.units {
            Units::Messages => Credit::new(last, 0),
            Units::Bytes => Credit::new(0, last),
            Units::Both => Credit::new(self.first.swap(0, Ordering::Relaxed), last),
        }
    }

    /// Asks to be told of the next put. True if something lies there already.
    #[must_use]
    pub(crate) fn watch(&self) -> bool {
        // ORDERING: Acquire, the partner of the Release in `put`: a message that was put down with 0 bytes,
        // which `last` does not show, is seen in `first`. The bit itself needs no more than this word's order.
        self.last.fetch_or(WATCHED, Ordering::Acquire) > WATCHED || self.first.load(Ordering::Relaxed) > 0
    }

    /// The most that may be in flight where the tray is armed: so that no sum runs over.
    #[cfg(feature = "transport")]
    pub(crate) const MOST_ARMED: u64 = 1 << 60;

    /// What a tray begins with when it is armed for `n`, at least 1.
    #[cfg(feature = "transport")]
    pub(crate) fn armed_for(&self, n: u64) -> Credit {
        let begin = (RINGS >> 1) - n;
        match self.units {
            Units::Messages => Credit::new(begin, 0),
            Units::Bytes | Units::Both => Credit::new(0, begin),
        }
    }

    /// Asks to be told of the put that brings what lies there to what it is armed for, and of none before. True if as
    /// much lies there already. For a tray of one unit, after [`take`](Self::take).
    #[cfg(feature = "transport")]
    #[must_use]
    pub(crate) fn arm(&self, begin: Credit) -> bool {
        let begin = begin.messages().max(begin.bytes()) << 1;
        // ORDERING: Acquire, the partner of the Release in `put`, for what lies there already.
        self.last.fetch_add(begin, Ordering::Acquire).wrapping_add(begin) & RINGS != 0
    }

    /// Whether the window counts both units.
    #[cfg(feature = "transport")]
    pub(crate) fn counts_both(&self) -> bool {
        matches!(self.units, Units::Both)
    }

    /// Whether the window counts bytes.
    pub(crate) fn counts_bytes(&self) -> bool {
        !matches!(self.units, Units::Messages)
    }
}
