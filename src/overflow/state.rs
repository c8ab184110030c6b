//! What the one lock protects.

use super::buffer::{Buffer, Folded, Folding, Offered, Taken};
use super::life::Life;
use super::line::Line;
use super::lost::Lost;
use super::policy::{Policy, WhenFull};
use super::{DropReason, ErrorOrder, OfferError, OverflowStats, Verdict};
use crate::sync::{WakeList, Watchers};
use crate::{CancelReason, Closed, Failure, RecvError};
use std::task::Waker;
use std::time::Duration;

/// What is done once the lock is free: it runs user code.
#[derive(Debug)]
pub(super) struct After<T> {
    pub(super) wakes: WakeList,
    pub(super) lost: Lost<T>,
}

impl<T> Default for After<T> {
    fn default() -> Self {
        Self { wakes: WakeList::default(), lost: Lost::default() }
    }
}

#[derive(Debug)]
pub(super) struct State<T> {
    buffer: Buffer<T>,
    line: Line,
    life: Life,
    when_full: WhenFull,
    refused: u64,
    consumer: Option<Waker>,
    /// The consumer waits for a value, and not just for the end while all its credit is out.
    wants_value: bool,
    pub(super) on_close: Watchers,
}

/// What an offer has come to under the lock.
#[derive(Debug)]
#[must_use]
pub(super) enum Step<T> {
    Done(Result<Verdict, OfferError<T>>),
    Fold(Folding<T>),
    /// No room, and nothing is dropped for it.
    Full(T),
}

/// What the consumer finds.
#[derive(Debug)]
#[must_use]
pub(super) enum Found {
    /// A value, which is in its hand.
    Value,
    Over {
        outcome: Result<(), RecvError>,
        dropped_before: u64,
    },
    Nothing,
}

impl<T> State<T> {
    pub(super) fn new(policy: &Policy<T>, time_to_live: Option<Duration>) -> Self {
        Self {
            buffer: Buffer::new(policy.when_full, policy.capacity, time_to_live),
            line: Line::new(policy.max_parked),
            life: Life::new(),
            when_full: policy.when_full,
            refused: 0,
            consumer: None,
            wants_value: false,
            on_close: Watchers::default(),
        }
    }

    // ----- the producers -----

    /// One value, by the policy.
    pub(super) fn offer(&mut self, value: T, now: Duration, after: &mut After<T>) -> Step<T> {
        if let Some(reason) = self.life.closed() {
            return Step::Done(Err(OfferError::Closed { value, reason }));
        }
        self.buffer.expire(now, &mut after.lost);
        self.serve(after);
        if self.when_full == WhenFull::Wait && self.buffer.room() <= self.line.kept() {
            // What is free is kept for those who were in line.
            return Step::Full(value);
        }
        let offered = self.buffer.offer(value, now, &mut after.lost);
        self.tell_consumer(after);
        match offered {
            Offered::Done(verdict) => Step::Done(Ok(verdict)),
            Offered::Fold(folding) => Step::Fold(folding),
            Offered::Overflowed(value) => Step::Done(Err(self.overflow(value, after))),
            Offered::Full(value) => Step::Full(value),
        }
    }

    /// There is no room for it.
    pub(super) fn refuse(&mut self, value: T) -> OfferError<T> {
        self.refused += 1;
        OfferError::Full { value, capacity: self.buffer.capacity(), parked: self.line.parked() }
    }

    /// A place in line for who finds no room, if the policy has one.
    pub(super) fn join(&mut self, waker: &mut Option<Waker>) -> Option<u64> {
        self.line.join(waker)
    }

    /// Whether one in line has to wait on; the other waker is the one to be woken, and the old one comes back.
    pub(super) fn still_waits(&mut self, ticket: u64, waker: &mut Option<Waker>) -> bool {
        self.line.still_waits(ticket, waker)
    }

    /// One in line waits no more: it was served, or the channel is closed.
    pub(super) fn put_served(&mut self, value: T, now: Duration, after: &mut After<T>) -> Step<T> {
        if let Some(reason) = self.life.closed() {
            return Step::Done(Err(OfferError::Closed { value, reason }));
        }
        self.line.leave_served();
        self.buffer.put(value, now);
        self.tell_consumer(after);
        Step::Done(Ok(Verdict::Accepted))
    }

    /// A sender in line goes. Its waker comes back, to be dropped outside the lock.
    pub(super) fn leave_line(&mut self, ticket: u64, after: &mut After<T>) -> Option<Waker> {
        let waker = self.line.leave(ticket);
        if waker.is_none() && self.life.is_open() {
            self.line.leave_served();
            self.serve(after);
        }
        waker
    }

    pub(super) fn folded(&mut self, slot: u64, value: T, after: &mut After<T>) -> Folded<T> {
        let folded = self.buffer.folded(slot, value);
        self.tell_consumer(after);
        folded
    }

    pub(super) fn spoilt(&mut self, slot: u64, after: &mut After<T>) {
        self.buffer.spoilt(slot);
        self.tell_consumer(after);
    }

    pub(super) fn add_producer(&mut self) {
        self.life.add_producer();
    }

    pub(super) fn remove_producer(&mut self, clean: bool, after: &mut After<T>) {
        if self.life.remove_producer(clean) {
            self.close(after);
        }
    }

    pub(super) fn fail(&mut self, failure: Failure, order: ErrorOrder, after: &mut After<T>) {
        if !self.life.fail(failure) {
            return;
        }
        if order == ErrorOrder::AtOnce {
            self.buffer.clear(DropReason::Failed, &mut after.lost);
        }
        self.close(after);
    }

    pub(super) fn closed(&self) -> Option<Closed> {
        self.life.closed()
    }

    // ----- the consumer -----

    /// Puts the oldest value into the consumer's hand, which is empty, if there is credit for one. Without either, the
    /// waker is kept, and the one that it replaces comes back in its place.
    pub(super) fn take(
        &mut self,
        has_credit: bool,
        now: Duration,
        hand: &mut Option<Taken<T>>,
        waker: &mut Option<Waker>,
        after: &mut After<T>,
    ) -> Found {
        self.buffer.expire(now, &mut after.lost);
        if has_credit {
            *hand = self.buffer.take();
        }
        self.serve(after);
        if hand.is_some() {
            return Found::Value;
        }
        if self.buffer.is_empty() {
            if let Some(outcome) = self.life.outcome(self.buffer.delivered()) {
                return Found::Over { outcome, dropped_before: self.buffer.dropped_since() };
            }
        }
        if waker.is_some() {
            std::mem::swap(&mut self.consumer, waker);
            self.wants_value = has_credit;
        }
        Found::Nothing
    }

    pub(super) fn cancel(&mut self, reason: CancelReason, after: &mut After<T>) {
        if self.life.cancel(reason) {
            self.buffer.clear(DropReason::Cancelled, &mut after.lost);
            self.close(after);
        }
    }

    // ----- both -----

    pub(super) fn stats(&self) -> OverflowStats {
        let mut stats = OverflowStats {
            refused: self.refused,
            parked: self.line.parked(),
            parks: self.line.parks(),
            producers: self.life.producers(),
            ..OverflowStats::default()
        };
        self.buffer.count(&mut stats);
        stats
    }

    /// Lets in those in line for whom there is room.
    fn serve(&mut self, after: &mut After<T>) {
        self.line.serve(self.buffer.room(), &mut after.wakes);
    }

    fn overflow(&mut self, value: T, after: &mut After<T>) -> OfferError<T> {
        let failure = Failure::new(format!("the buffer of {} overflowed", self.buffer.capacity()));
        let order = if let WhenFull::Fail(order) = self.when_full { order } else { ErrorOrder::InOrder };
        self.fail(failure.clone(), order, after);
        self.refused += 1;
        OfferError::Failed { value, failure }
    }

    /// Wakes the consumer if what it waits for is there.
    fn tell_consumer(&mut self, after: &mut After<T>) {
        let is_over = !self.life.is_open() && self.buffer.is_empty();
        if is_over || self.wants_value && self.buffer.has_value() {
            after.wakes.extend(self.consumer.take());
        }
    }

    /// Wakes all whom an end concerns.
    fn close(&mut self, after: &mut After<T>) {
        self.line.close(&mut after.wakes);
        self.on_close.take_all(&mut after.wakes);
        self.tell_consumer(after);
    }
}
