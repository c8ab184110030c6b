//! The policies, as a container: no lock, no clock, no waker, no user code.
//!
//! Whatever has to go is handed out, for the caller to drop where that may be done; whatever has to be folded is handed
//! out too, and its slot stays, empty, until the result is brought back.

use super::lost::Lost;
use super::policy::WhenFull;
use super::{DropReason, Drops, Verdict};
use std::collections::VecDeque;
use std::time::Duration;

/// The buffer of one channel.
///
/// # Invariants
///
/// 1. It holds no more than its capacity. (Conflating, it holds one value and one slot for each fold under way.)
/// 2. Every offer that it did not give back has a number, and is buffered, delivered, merged or dropped, once.
/// 3. Numbers in it ascend from head to tail.
#[derive(Debug)]
pub(super) struct Buffer<T> {
    when_full: WhenFull,
    capacity: u64,
    time_to_live: Option<Duration>,
    slots: VecDeque<Slot<T>>,
    /// Offers in the slots.
    buffered: u64,
    /// The number of the next offer.
    next_seq: u64,
    /// One more than the number that came out last.
    expected: u64,
    delivered: u64,
    merged: u64,
    dropped: Drops,
    peak: u64,
    /// Why it was cleared, for who brings back the result of a fold.
    cleared: Option<DropReason>,
}

#[derive(Debug)]
struct Slot<T> {
    /// None while it is in the hands of who folds it.
    value: Option<T>,
    /// The numbers of the offers in it: more than one if they were folded, and with gaps if parts were lost.
    first: u64,
    last: u64,
    offers: u64,
    /// When the youngest of them came.
    since: Duration,
}

/// What became of an offer.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Offered<T> {
    Done(Verdict),
    /// No room.
    Full(T),
    /// No room, and that is a failure.
    Overflowed(T),
    Fold(Folding<T>),
}

/// Two neighbours to be folded, and the slot for the result.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) struct Folding<T> {
    /// A number in the slot.
    pub(super) slot: u64,
    pub(super) older: T,
    pub(super) newer: T,
}

/// What became of the result of a fold.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Folded<T> {
    Pending,
    /// A neighbour came meanwhile.
    Again(Folding<T>),
    /// The buffer was cleared meanwhile, for this reason. It is counted already.
    Gone(T, DropReason),
}

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken<T> {
    pub(super) value: T,
    pub(super) seq: u64,
    pub(super) dropped_before: u64,
}

impl<T> Buffer<T> {
    pub(super) fn new(when_full: WhenFull, capacity: u64, time_to_live: Option<Duration>) -> Self {
        Self {
            when_full,
            capacity,
            time_to_live,
            slots: VecDeque::new(),
            buffered: 0,
            next_seq: 0,
            expected: 0,
            delivered: 0,
            merged: 0,
            dropped: Drops::default(),
            peak: 0,
            cleared: None,
        }
    }

    // ----- in -----

    /// Takes in a value, or what the policy says where there is no room. Call [`expire`](Self::expire) before.
    pub(super) fn offer(&mut self, value: T, now: Duration, lost: &mut Lost<T>) -> Offered<T> {
        if self.room() > 0 {
            self.put(value, now);
            return Offered::Done(Verdict::Accepted);
        }
        let reason = match self.when_full {
            WhenFull::Wait | WhenFull::Reject => return Offered::Full(value),
            WhenFull::Conflate => return self.conflate(value, now),
            WhenFull::Fail(_) => return Offered::Overflowed(value),
            WhenFull::DropNewest => {
                self.next_seq += 1;
                self.dropped.add(DropReason::Newest, 1);
                lost.push(value, DropReason::Newest);
                return Offered::Done(Verdict::Dropped(DropReason::Newest));
            }
            WhenFull::DropOldest => DropReason::Oldest,
            WhenFull::DropTail => DropReason::Tail,
            WhenFull::DropAll => DropReason::Cleared,
            WhenFull::Latest => DropReason::Overwritten,
        };
        let before = self.dropped.total();
        match reason {
            DropReason::Tail => self.lose(VecDeque::pop_back, reason, lost),
            DropReason::Cleared => self.clear(reason, lost),
            _ => self.lose(VecDeque::pop_front, reason, lost),
        }
        self.put(value, now);
        Offered::Done(Verdict::Displaced { dropped: self.dropped.total() - before, reason })
    }

    /// Puts a value into a place that is free.
    pub(super) fn put(&mut self, value: T, now: Duration) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.buffered += 1;
        self.slots.push_back(Slot { value: Some(value), first: seq, last: seq, offers: 1, since: now });
        self.peak = self.peak.max(self.len());
    }

    /// The values that could be put in.
    pub(super) fn room(&self) -> u64 {
        self.capacity.saturating_sub(self.len())
    }

    // ----- folding -----

    /// Folds the value into the youngest, or puts it beside it if that is in somebody's hands.
    fn conflate(&mut self, value: T, now: Duration) -> Offered<T> {
        let Some((slot, older)) = self.slots.back_mut().and_then(|slot| slot.value.take().map(|older| (slot, older)))
        else {
            self.put(value, now);
            return Offered::Done(Verdict::Accepted);
        };
        slot.last = self.next_seq;
        slot.offers += 1;
        slot.since = now;
        self.next_seq += 1;
        self.buffered += 1;
        Offered::Fold(Folding { slot: slot.first, older, newer: value })
    }

    /// The result of a fold. If a neighbour is there and in nobody's hands, the two are to be folded next.
    pub(super) fn folded(&mut self, slot: u64, value: T) -> Folded<T> {
        let Some(at) = self.out_at(slot) else { return self.gone(value) };
        let is_there = |slot: Option<&Slot<T>>| slot.is_some_and(|slot| slot.value.is_some());
        let older = if at > 0 && is_there(self.slots.get(at - 1)) {
            at - 1
        } else if is_there(self.slots.get(at + 1)) {
            at
        } else {
            self.slots[at].value = Some(value);
            return Folded::Pending;
        };
        let Some(newer) = self.slots.remove(older + 1) else { return self.gone(value) };
        let both = &mut self.slots[older];
        both.last = newer.last;
        both.offers += newer.offers;
        both.since = newer.since;
        Folded::Again(match (both.value.take(), newer.value) {
            (Some(older), _) => Folding { slot: both.first, older, newer: value },
            (None, Some(newer)) => Folding { slot: both.first, older: value, newer },
            (None, None) => return self.gone(value),
        })
    }

    fn gone(&self, value: T) -> Folded<T> {
        Folded::Gone(value, self.cleared.unwrap_or(DropReason::Cancelled))
    }

    /// The fold panicked, and with it both values are gone.
    pub(super) fn spoilt(&mut self, slot: u64) {
        if let Some(slot) = self.out_at(slot).and_then(|at| self.slots.remove(at)) {
            self.buffered -= slot.offers;
            self.dropped.add(DropReason::FoldPanicked, slot.offers);
        }
    }

    /// The slot whose value is out to be folded.
    fn out_at(&self, seq: u64) -> Option<usize> {
        self.slots.iter().position(|slot| slot.value.is_none() && slot.first <= seq && seq <= slot.last)
    }

    // ----- out -----

    /// The oldest value.
    pub(super) fn take(&mut self) -> Option<Taken<T>> {
        let value = self.slots.front_mut()?.value.take()?;
        let slot = self.slots.pop_front()?;
        let dropped_before = slot.last + 1 - self.expected - slot.offers;
        self.expected = slot.last + 1;
        self.buffered -= slot.offers;
        self.delivered += 1;
        self.merged += slot.offers - 1;
        Some(Taken { value, seq: slot.last, dropped_before })
    }

    /// What was dropped after the last value that came out, once the buffer is empty.
    pub(super) fn dropped_since(&self) -> u64 {
        self.next_seq - self.expected - self.buffered
    }

    /// Lets go of what has been here for as long as it may.
    pub(super) fn expire(&mut self, now: Duration, lost: &mut Lost<T>) {
        let Some(time_to_live) = self.time_to_live else { return };
        let is_aged = |slot: &Slot<T>| slot.value.is_some() && now.saturating_sub(slot.since) >= time_to_live;
        while self.slots.front().is_some_and(is_aged) {
            self.lose(VecDeque::pop_front, DropReason::Expired, lost);
        }
    }

    /// Lets go of everything.
    pub(super) fn clear(&mut self, reason: DropReason, lost: &mut Lost<T>) {
        self.cleared = Some(reason);
        while !self.slots.is_empty() {
            self.lose(VecDeque::pop_front, reason, lost);
        }
    }

    fn lose(
        &mut self,
        pop: impl FnOnce(&mut VecDeque<Slot<T>>) -> Option<Slot<T>>,
        reason: DropReason,
        lost: &mut Lost<T>,
    ) {
        if let Some(slot) = pop(&mut self.slots) {
            self.buffered -= slot.offers;
            self.dropped.add(reason, slot.offers);
            // Without a value it is being folded: who does that will hear that it is gone.
            slot.value.into_iter().for_each(|value| lost.push(value, reason));
        }
    }

    // ----- numbers -----

    /// Whether there is nothing in it, and nothing on its way back into it.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether a value could be taken.
    pub(super) fn has_value(&self) -> bool {
        self.slots.front().is_some_and(|slot| slot.value.is_some())
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Fills in what it knows.
    pub(super) fn count(&self, stats: &mut super::OverflowStats) {
        stats.offered = self.next_seq;
        stats.delivered = self.delivered;
        stats.merged = self.merged;
        stats.dropped = self.dropped;
        stats.buffered = self.buffered;
        stats.peak_buffered = self.peak;
    }

    fn len(&self) -> u64 {
        u64::try_from(self.slots.len()).unwrap_or(u64::MAX)
    }
}
