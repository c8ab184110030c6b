//! Credit in the producer's hand: the right to send without waiting.

use super::producer::CreditProducer;
use super::shared::Shared;
use super::state::Refusal;
use crate::{Credit, SendError};
use std::sync::Arc;
use std::{fmt, mem};

/// The right to send one chunk without waiting, borrowed from its producer.
///
/// It holds its credit: nobody else can use that until the permit is sent with or dropped.
#[must_use = "a permit that is dropped gives its credit back at once"]
pub struct Permit<'a, T> {
    shared: &'a Shared<T>,
    credit: Credit,
}

impl<'a, T> Permit<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, credit: Credit) -> Self {
        Self { shared, credit }
    }

    /// What it holds.
    #[must_use]
    pub fn credit(&self) -> Credit {
        self.credit
    }

    /// Sends. Credit that the value does not need goes back.
    ///
    /// # Errors
    ///
    /// [`SendError::Closed`] if the channel was closed since, [`SendError::TooLarge`] if the value costs
    /// more than the permit holds; both give the value back, and the permit's credit to the channel.
    pub fn send(mut self, value: T) -> Result<(), SendError<T>> {
        // Weighed while the permit still holds its credit: the weigher is user code and may panic.
        let cost = self.shared.cost_of(&value);
        self.shared.send_reserved(mem::take(&mut self.credit), value, cost)
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if !self.credit.is_zero() {
            self.shared.refund(self.credit);
        }
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("credit", &self.credit).finish_non_exhaustive()
    }
}

/// Several permits, one after the other, from [`reserve_many`](CreditProducer::reserve_many).
///
/// What is not taken goes back when this is dropped.
#[must_use = "permits that are dropped give their credit back at once"]
pub struct Permits<'a, T> {
    /// Holds the credit of all that are left.
    all: Permit<'a, T>,
    each: Credit,
    left: usize,
}

impl<'a, T> Permits<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, all: Credit, each: Credit, left: usize) -> Self {
        Self { all: Permit::new(shared, all), each, left }
    }
}

impl<'a, T> Iterator for Permits<'a, T> {
    type Item = Permit<'a, T>;

    fn next(&mut self) -> Option<Permit<'a, T>> {
        self.left = self.left.checked_sub(1)?;
        self.all.credit = self.all.credit.minus(self.each);
        Some(Permit::new(self.all.shared, self.each))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Permits<'_, T> {}
impl<T> std::iter::FusedIterator for Permits<'_, T> {}

impl<T> fmt::Debug for Permits<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permits").field("left", &self.left).finish_non_exhaustive()
    }
}

/// The right to send one chunk without waiting, which owns its producer: it goes into a task or a struct.
///
/// It counts as a producer. To give up the right, [`release`](Self::release) it; a permit that is dropped
/// drops its producer without [`end`](CreditProducer::end).
#[must_use = "a permit that is dropped gives its credit back at once, and its producer with it"]
pub struct OwnedPermit<T> {
    // Dropped in this order: the credit is back before the producer goes.
    reserved: Reserved<T>,
    producer: CreditProducer<T>,
}

impl<T> OwnedPermit<T> {
    pub(super) fn new(producer: CreditProducer<T>, credit: Credit) -> Self {
        Self { reserved: Reserved { shared: Arc::clone(producer.shared()), credit }, producer }
    }

    /// What it holds.
    #[must_use]
    pub fn credit(&self) -> Credit {
        self.reserved.credit
    }

    /// Sends, and returns the producer. Credit that the value does not need goes back.
    ///
    /// # Errors
    ///
    /// As [`Permit::send`]; the producer comes back beside the error.
    pub fn send(self, value: T) -> Result<CreditProducer<T>, (CreditProducer<T>, SendError<T>)> {
        let cost = self.producer.shared().cost_of(&value);
        let Self { mut reserved, producer } = self;
        match producer.shared().send_reserved(mem::take(&mut reserved.credit), value, cost) {
            Ok(()) => Ok(producer),
            Err(error) => Err((producer, error)),
        }
    }

    /// Gives the credit back and returns the producer.
    pub fn release(self) -> CreditProducer<T> {
        self.producer
    }
}

/// Reserved credit that goes back when dropped.
struct Reserved<T> {
    shared: Arc<Shared<T>>,
    credit: Credit,
}

impl<T> Drop for Reserved<T> {
    fn drop(&mut self) {
        if !self.credit.is_zero() {
            self.shared.refund(self.credit);
        }
    }
}

impl<T> fmt::Debug for OwnedPermit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPermit").field("credit", &self.reserved.credit).finish_non_exhaustive()
    }
}

impl<T> Shared<T> {
    /// Sends a value on credit that was reserved.
    fn send_reserved(&self, reserved: Credit, value: T, cost: Credit) -> Result<(), SendError<T>> {
        let mut value = Some(value);
        let refusal = self.with(|state, wakes| {
            let refusal = if !state.life.honours_permits() {
                Some(state.refusal_as_closed())
            } else if !cost.fits_in(reserved) {
                Some(Refusal::TooLarge { limit: reserved })
            } else {
                None
            };
            let mut unused = reserved;
            if refusal.is_none() {
                state.send_reserved(&mut value, cost, wakes);
                unused = reserved.minus(cost);
            }
            if !unused.is_zero() {
                state.ledger.refund(unused);
                state.settle(wakes);
            }
            refusal
        });
        match (refusal, value) {
            (Some(refusal), Some(value)) => Err(self.refuse(refusal, value, cost)),
            _ => Ok(()),
        }
    }
}
