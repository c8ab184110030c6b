//! A value with the credit it costs.

use super::guard::CreditGuard;
use crate::Credit;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A received value, its place in the stream, and the credit that goes back when it is dropped.
///
/// Dereferences to the value. It is one opaque value on purpose: a closure or an `async move` block that
/// touches it takes it whole, guard included. (Of a tuple `(value, permit)` it would take only the field
/// it names, and the permit would be dropped before the work: the way in which the hand-made idiom loses
/// its window.)
///
/// When a chunk is dropped the value goes first and the credit after it, so that what the credit stood for
/// is gone before the producer may replace it.
///
/// What it carries beside the value, `G`, is a [`CreditGuard`] as it comes from a channel. After a
/// [stage](crate::stages) it may be several of them (`zip`), a share of one (`expand`), or nothing (`detach`).
///
/// # Examples
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use credit_channel::{Window, channel};
///
/// let (tx, mut rx) = channel::<String>(Window::messages(1))?;
/// tx.send("ledger".into()).await?;
/// let chunk = rx.recv().await?.unwrap();
/// assert_eq!((chunk.seq(), chunk.len()), (0, 6));
///
/// let length = chunk.map(|name| name.len()); // the credit goes along
/// assert_eq!(tx.credit().messages(), 0);
/// assert_eq!(length.into_inner(), 6); // and goes back here
/// assert_eq!(tx.credit().messages(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "a chunk that is dropped gives its credit back at once"]
pub struct Chunk<T, G = CreditGuard> {
    // Dropped in this order: see above.
    value: T,
    guard: G,
    seq: u64,
}

impl<T, G> Chunk<T, G> {
    /// Puts a chunk together, for a stage of your own: what `guard` stands for goes when the work is done.
    #[inline]
    pub fn from_parts(value: T, seq: u64, guard: G) -> Self {
        Self { value, guard, seq }
    }

    /// Its number in the order of sending, from 0.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Turns the value into another; the credit goes along. If `f` panics the credit goes back.
    #[inline(always)]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Chunk<U, G> {
        Chunk { value: f(self.value), guard: self.guard, seq: self.seq }
    }

    /// Turns what it carries into something else. If `f` panics the value is gone first.
    #[inline]
    pub fn map_guard<H>(self, f: impl FnOnce(G) -> H) -> Chunk<T, H> {
        Chunk { value: self.value, guard: f(self.guard), seq: self.seq }
    }

    /// Takes value and guard apart. From here on the caller sees to it that the guard outlives the work.
    pub fn into_parts(self) -> (T, G) {
        (self.value, self.guard)
    }

    /// Takes the value out and gives the credit back now: the work is done, or no longer concerns the window.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The guard, to give back a part of the credit before the work is done.
    pub fn guard_mut(&mut self) -> &mut G {
        &mut self.guard
    }
}

impl<T> Chunk<T> {
    /// The credit it holds: 1 message and its bytes, as far as the window counts them.
    #[must_use]
    pub fn cost(&self) -> Credit {
        self.guard.cost()
    }
}

impl<T, G> Deref for Chunk<T, G> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, G> DerefMut for Chunk<T, G> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug, G: fmt::Debug> fmt::Debug for Chunk<T, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, guard, seq } = self;
        f.debug_struct("Chunk").field("seq", seq).field("guard", guard).field("value", value).finish()
    }
}
