//! Credit that goes back in batches.

use super::{Demand, DemandError, Received, Stage};
use crate::sync::Bank;
use crate::{CancelReason, Chunk};
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::pass_through`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::Stage;
/// use credit_channel::{Window, channel};
///
/// let (tx, rx) = channel(Window::messages(8))?;
/// let mut stage = rx.pass_through(8, 3)?;
/// let mut in_hand = Vec::new();
/// for n in 0..8 {
///     tx.try_send(n)?;
///     in_hand.extend(stage.recv().await?);
/// }
/// in_hand.truncate(6);
/// assert_eq!(tx.credit().messages(), 0); // two are done: not yet
/// in_hand.truncate(5);
/// assert_eq!(tx.credit().messages(), 3); // with the third all of them go back
/// in_hand.truncate(1);
/// assert_eq!(tx.credit().messages(), 6);
/// drop(in_hand);
/// assert_eq!(tx.credit().messages(), 8); // nothing is outstanding, so nothing is kept
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct PassThrough<S: Stage> {
    upstream: S,
    /// Came, and waits for room. Asked for before there is any, since the end needs none.
    next: Option<Chunk<S::Value, S::Guard>>,
    bank: Arc<Bank<S::Guard>>,
}

impl<S: Stage> PassThrough<S> {
    pub(super) fn new(upstream: S, capacity: u64, low_water: u64) -> Result<Self, DemandError> {
        // What suits is the same there; the counting is the bank's.
        Demand::new(capacity, low_water)?;
        Ok(Self { upstream, next: None, bank: Arc::new(Bank::new(capacity, low_water)) })
    }
}

impl<S: Stage> Stage for PassThrough<S> {
    type Value = S::Value;
    type Guard = Banked<S::Guard>;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<S::Value, Self::Guard>> {
        if self.next.is_none() {
            match self.upstream.poll_next(cx) {
                Poll::Ready(Ok(Some(chunk))) => self.next = Some(chunk),
                Poll::Ready(over) => {
                    self.bank.close();
                    return Poll::Ready(over.map(|_| None));
                }
                Poll::Pending => {
                    self.bank.want();
                    return Poll::Pending;
                }
            }
        }
        ready!(self.bank.poll_admit(cx));
        Poll::Ready(Ok(self
            .next
            .take()
            .map(|chunk| chunk.map_guard(|guard| Banked { guard: Some(guard), bank: Arc::clone(&self.bank) }))))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.upstream.cancel(reason);
        self.next = None;
        self.bank.close();
    }
}

impl<S: Stage> Drop for PassThrough<S> {
    fn drop(&mut self) {
        // What is still out goes home by itself; nobody is left who would ask for it.
        self.bank.close();
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for PassThrough<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassThrough")
            .field("upstream", &self.upstream)
            .field("bank", &self.bank)
            .finish_non_exhaustive()
    }
}

/// What a chunk carries behind [`Stage::pass_through`]: dropped, it lets go of what came from before together with
/// others.
///
/// It may outlive the stage, and the runtime.
#[must_use = "a guard that is dropped gives its credit back"]
pub struct Banked<G> {
    /// There until it is dropped.
    guard: Option<G>,
    bank: Arc<Bank<G>>,
}

impl<G> Drop for Banked<G> {
    fn drop(&mut self) {
        if let Some(guard) = self.guard.take() {
            self.bank.deposit(guard);
        }
    }
}

impl<G: fmt::Debug> fmt::Debug for Banked<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Banked").field("guard", &self.guard).finish_non_exhaustive()
    }
}
