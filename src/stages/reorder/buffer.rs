//! What waits for those before it. Pure: no clock, no waiting.

use super::ReorderStats;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;
use tokio::time::Instant;

/// Values that came before their turn.
///
/// ```text
///   numbers   … 3  4 │ 5   6  7   8   9  10
///             passed │ ?   ██ ██  ?   ██ ██      ██ held
///                      ▲next  a gap: only what is before this stage can bring 5
/// ```
///
/// # Invariants
///
/// 1. Nothing is held with a number below the next.
/// 2. What is held has an arrival each, and its bytes are the sum.
pub(super) struct ReorderBuffer<V> {
    limits: Limits,
    /// The number whose turn it is. None after the last that there is.
    next: Option<u64>,
    held: BTreeMap<u64, Held<V>>,
    /// When each of them came, the earliest first.
    arrivals: BTreeSet<(Instant, u64)>,
    stats: ReorderStats,
}

struct Held<V> {
    value: V,
    bytes: u64,
    came: Instant,
}

/// How much is held, and for how long a missing value is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_held: u64,
    pub(super) max_bytes: u64,
    pub(super) after: Option<Duration>,
    pub(super) beyond: Option<u64>,
}

/// What is to be done with a value of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is its turn: pass it on.
    Next,
    /// Before its turn: [`hold`](ReorderBuffer::hold) it.
    Ahead,
    /// One of this number is held.
    Duplicate,
    /// One of this number was passed on, or skipped.
    Old,
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) missing: u64,
    /// The first that is there.
    pub(super) next: u64,
    pub(super) held: u64,
}

impl<V> ReorderBuffer<V> {
    pub(super) fn new(limits: Limits, first: u64) -> Self {
        Self {
            limits,
            next: Some(first),
            held: BTreeMap::new(),
            arrivals: BTreeSet::new(),
            stats: ReorderStats { next: Some(first), ..ReorderStats::default() },
        }
    }

    // ----- what comes -----

    /// Says what is to be done with a value of this number, and counts it.
    pub(super) fn sort(&mut self, seq: u64) -> Verdict {
        let verdict = match self.next {
            Some(next) if seq == next => Verdict::Next,
            Some(next) if seq > next && self.held.contains_key(&seq) => Verdict::Duplicate,
            Some(next) if seq > next => Verdict::Ahead,
            _ => Verdict::Old,
        };
        match verdict {
            Verdict::Next => self.passed(seq),
            Verdict::Ahead => {}
            Verdict::Duplicate => self.stats.duplicates += 1,
            Verdict::Old => self.stats.old += 1,
        }
        verdict
    }

    /// Holds one that is [`Ahead`](Verdict::Ahead).
    pub(super) fn hold(&mut self, seq: u64, value: V, bytes: u64, now: Instant) {
        // The sum cannot run over, so that it is also right when these have gone.
        let bytes = bytes.min(u64::MAX - self.stats.held_bytes);
        self.held.insert(seq, Held { value, bytes, came: now });
        self.arrivals.insert((now, seq));
        self.stats.held += 1;
        self.stats.held_bytes += bytes;
        self.stats.peak_held = self.stats.peak_held.max(self.stats.held);
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.stats.held_bytes);
        self.assert_invariants();
    }

    // ----- what goes -----

    /// Whether one is held whose turn it is.
    pub(super) fn has_next(&self) -> bool {
        self.next.is_some() && self.next == self.held.keys().next().copied()
    }

    /// The one whose turn it is, if it is held.
    pub(super) fn pop(&mut self) -> Option<V> {
        if !self.has_next() {
            return None;
        }
        let (seq, Held { value, bytes, came }) = self.held.pop_first()?;
        self.arrivals.remove(&(came, seq));
        self.stats.held -= 1;
        self.stats.held_bytes -= bytes;
        self.passed(seq);
        self.assert_invariants();
        Some(value)
    }

    fn passed(&mut self, seq: u64) {
        self.next = seq.checked_add(1);
        self.stats.next = self.next;
        self.stats.passed += 1;
    }

    /// Gives up what is missing: the turn is that of the first that is held.
    pub(super) fn skip(&mut self) {
        if let Some(Gap { missing, next, .. }) = self.gap() {
            self.next = Some(next);
            self.stats.next = self.next;
            self.stats.gaps += 1;
            self.stats.skipped += next - missing;
        }
    }

    /// Drops what is held.
    pub(super) fn clear(&mut self) {
        self.arrivals.clear();
        (self.stats.held, self.stats.held_bytes) = (0, 0);
        // Last: a value's drop is the user's, and may panic.
        drop(mem::take(&mut self.held));
    }

    // ----- what is missing -----

    /// What is missing now; nothing if nothing is held, or if it is the turn of one that is.
    pub(super) fn gap(&self) -> Option<Gap> {
        let (missing, next) = (self.next?, *self.held.keys().next()?);
        (next > missing).then_some(Gap { missing, next, held: self.stats.held })
    }

    /// Why the gap cannot be waited for, whatever the time.
    pub(super) fn cannot_wait(&self) -> Option<super::GapCause> {
        let gap = self.gap()?;
        let furthest = *self.held.keys().next_back()?;
        if self.limits.beyond.is_some_and(|beyond| furthest - gap.missing > beyond) {
            Some(super::GapCause::Distance)
        } else if gap.held >= self.limits.max_held || self.stats.held_bytes >= self.limits.max_bytes {
            Some(super::GapCause::Full)
        } else {
            None
        }
    }

    /// When a value will have been held for too long. (None also if that is beyond what the clock can say.)
    pub(super) fn deadline(&self) -> Option<Instant> {
        let (earliest, _) = self.arrivals.first()?;
        earliest.checked_add(self.limits.after?)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn stats(&self) -> ReorderStats {
        self.stats
    }

    fn assert_invariants(&self) {
        debug_assert!(
            self.held.keys().next().is_none_or(|first| self.next.is_some_and(|next| *first >= next)),
            "1: held below the next: {:?}",
            self.stats
        );
        debug_assert!(self.held.len() == self.arrivals.len(), "2: arrivals and values differ: {:?}", self.stats);
    }
}
