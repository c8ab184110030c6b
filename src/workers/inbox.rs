//! The way in, by hand.

use super::board::{PoolMeter, Why};
use super::error::Refused;
use super::job::Submitted;
use crate::{Closed, CreditProducer, Failure, Permit};
use std::fmt;

/// The bounded inbox of a pool: takes values, or says why not and gives them back. Clone it for more submitters.
///
/// A value counts from its submission until the chunk of its result is dropped: queued, in work, waiting to be taken,
/// and in the hands of who took it. As many as the inbox's capacity may be that, and no more.
///
/// It ends as a [`CreditProducer`] does: with [`end`](Self::end) on every clone; a clone that is dropped without it
/// makes the pool end with [`RecvError::Abandoned`](crate::RecvError::Abandoned), after what was submitted.
pub struct Inbox<T> {
    producer: CreditProducer<Submitted<T>>,
    meter: PoolMeter,
}

impl<T> Inbox<T> {
    pub(super) fn new(producer: CreditProducer<Submitted<T>>, meter: PoolMeter) -> Self {
        Self { producer, meter }
    }

    /// Submits a value if it is let in now.
    ///
    /// `Ok` means that it is queued, not that it is done. A submission that finds the inbox full takes nothing from the
    /// admitted rate.
    ///
    /// # Errors
    ///
    /// [`Refused`], with the value and the reason.
    pub fn try_submit(&self, value: T) -> Result<(), Refused<T>> {
        match self.producer.try_reserve() {
            Ok(permit) => self.enter(permit, value),
            Err(error) => Err(self.refuse(value, error.closed().cloned())),
        }
    }

    /// Submits a value, waiting for room in the inbox. It does not wait for admission: who is not admitted is told so.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the value was not submitted and is dropped with it.
    ///
    /// # Errors
    ///
    /// [`Refused::NotAdmitted`] or [`Refused::Closed`], with the value.
    pub async fn submit(&self, value: T) -> Result<(), Refused<T>> {
        match self.producer.reserve().await {
            Ok(permit) => self.enter(permit, value),
            Err(error) => Err(self.refuse(value, error.closed().cloned())),
        }
    }

    /// Nothing more comes from this handle. When every clone has said so, the pool finishes what it has, and ends.
    pub fn end(self) {
        self.producer.end();
    }

    /// Ends this handle, and waits until all the work is done and the last chunk of a result was dropped.
    ///
    /// # Cancel safety
    ///
    /// As [`CreditProducer::end_and_wait`].
    ///
    /// # Errors
    ///
    /// [`Closed`] if the pool did not get to its clean end.
    pub async fn end_and_wait(self) -> Result<(), Closed> {
        self.producer.end_and_wait().await
    }

    /// Ends the pool with a reason, which comes out after what was submitted.
    pub fn fail(self, failure: impl Into<Failure>) {
        self.producer.fail(failure);
    }

    /// Waits until nothing is taken any more, and says why.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the waiting and nothing else.
    pub async fn closed(&self) -> Closed {
        self.producer.closed().await
    }

    /// Reads the pool's numbers.
    #[must_use]
    pub fn meter(&self) -> PoolMeter {
        self.meter.clone()
    }

    fn enter(&self, permit: Permit<'_, Submitted<T>>, value: T) -> Result<(), Refused<T>> {
        if !self.meter.board.admits() {
            self.meter.board.refused(Why::NotAdmitted);
            return Err(Refused::NotAdmitted(value));
        }
        permit.send(Submitted::now(value)).map_err(|error| {
            let reason = error.closed().cloned();
            self.refuse(error.into_inner().into_value(), reason)
        })
    }

    /// One message fits into every window: what is not closed is full.
    fn refuse(&self, value: T, closed: Option<Closed>) -> Refused<T> {
        match closed {
            Some(reason) => {
                self.meter.board.refused(Why::Closed);
                Refused::Closed { value, reason }
            }
            None => {
                self.meter.board.refused(Why::Full);
                Refused::Full(value)
            }
        }
    }
}

impl<T> Clone for Inbox<T> {
    /// Another way in, which has to [`end`](Self::end) too.
    fn clone(&self) -> Self {
        Self { producer: self.producer.clone(), meter: self.meter.clone() }
    }
}

impl<T> fmt::Debug for Inbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}
