//! What the consumer holds while it works.

use super::lease::LeaseRef;
use super::probe::Probe;
use crate::{Credit, GuardError};
use std::{fmt, mem};

/// Credit in the consumer's hand: while it lives, its cost counts as in flight. Its drop gives the credit back.
///
/// Comes with every [`Chunk`](crate::Chunk), or out of one with [`into_parts`](crate::Chunk::into_parts).
/// It is owned, `Send` and `'static`: it goes into the task that does the work. However that ends (return,
/// `?`, panic, abort, a lost `select!`), the drop runs and the credit goes back once.
///
/// Dropping it takes no lock unless a sender waits for credit, never blocks, and needs no runtime: it may
/// outlive the consumer, the producer and the runtime they ran on.
///
/// [`release`](Self::release) gives back a part early, [`split`](Self::split) shares it with another task,
/// [`merge`](Self::merge) makes one of two. They count in the finer unit of the window: bytes if it counts
/// bytes, messages otherwise; in a window of both, the message goes back with the last of its guard.
#[must_use = "a guard that is dropped gives its credit back at once"]
pub struct CreditGuard {
    lease: LeaseRef,
    credit: Credit,
}

impl CreditGuard {
    #[inline]
    pub(super) fn new(lease: LeaseRef, credit: Credit) -> Self {
        Self { lease, credit }
    }

    /// What it holds.
    #[must_use]
    pub fn cost(&self) -> Credit {
        self.credit
    }

    /// Gives back `n` of it now: that much of the work is done.
    ///
    /// # Errors
    ///
    /// [`GuardError`] if it holds less; then nothing is given back.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{Window, weighted};
    ///
    /// let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(100))?;
    /// tx.send(vec![0; 100]).await?;
    /// let (page, mut guard) = rx.recv().await?.unwrap().into_parts();
    /// guard.release(60)?; // the first 60 bytes are on disk
    /// assert_eq!(tx.credit().bytes(), 60);
    /// drop(guard);
    /// assert_eq!(tx.credit().bytes(), 100);
    /// # drop(page);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn release(&mut self, n: u64) -> Result<(), GuardError> {
        drop(self.split(n)?);
        Ok(())
    }

    /// Makes a second guard of `n` of it.
    ///
    /// # Errors
    ///
    /// [`GuardError`] if it holds less; then it keeps what it has.
    pub fn split(&mut self, n: u64) -> Result<Self, GuardError> {
        let part = if self.lease.counts_bytes() { Credit::new(0, n) } else { Credit::new(n, 0) };
        if !part.fits_in(self.credit) {
            let held = if self.lease.counts_bytes() { self.credit.bytes() } else { self.credit.messages() };
            return Err(GuardError { asked: n, held });
        }
        self.credit = self.credit.minus(part);
        // If the work is timed it is the rest's.
        let main = self.lease.probe().map_or(&*self.lease, Probe::main);
        Ok(Self { lease: LeaseRef::new(main), credit: part })
    }

    /// Takes over what another guard of the same channel holds.
    ///
    /// # Errors
    ///
    /// The other guard, if it is of another channel.
    pub fn merge(&mut self, mut other: Self) -> Result<(), Self> {
        if !self.lease.is_of_the_same_channel(&other.lease) {
            return Err(other);
        }
        self.credit = self.credit.plus(mem::take(&mut other.credit));
        if let Some(probe) = other.lease.probe() {
            probe.give_up();
        }
        Ok(())
    }

    /// Lets the credit go for good: it never comes back, and the window is smaller by that much.
    ///
    /// The work counts as done: [`end_and_wait`](crate::CreditProducer::end_and_wait) does not wait for
    /// it. [`Stats::forgotten`](crate::Stats::forgotten) says how much was let go. (`mem::forget` loses
    /// the credit too, but says nothing to anybody: the work counts as never finished.)
    pub fn forget(mut self) {
        let credit = mem::take(&mut self.credit);
        if let Some(probe) = self.lease.probe() {
            probe.give_up();
        }
        self.lease.channel().forget(credit);
    }
}

impl Drop for CreditGuard {
    #[inline]
    fn drop(&mut self) {
        if !self.credit.is_zero() {
            self.lease.come_home(self.credit);
        }
    }
}

impl fmt::Debug for CreditGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreditGuard").field("cost", &self.credit).finish_non_exhaustive()
    }
}
