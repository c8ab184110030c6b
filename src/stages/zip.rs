//! Two values as one.

use super::join::{Asked, Join, Side, Sides};
use super::{Received, Stage};
use crate::CancelReason;
use std::fmt;
use std::task::{Context, Poll};

/// The stage of [`Stage::zip`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Stage, from_stream};
/// use credit_channel::{Window, channel};
/// use futures_util::stream;
///
/// let (tx, rx) = channel(Window::messages(4))?;
/// tx.send("ledger").await?;
/// tx.send("journal").await?;
/// let mut numbered = from_stream(stream::iter(1..=1)).zip(rx);
/// assert_eq!(*numbered.recv().await?.unwrap(), (1, "ledger"));
/// assert!(numbered.recv().await?.is_none());
/// assert_eq!(tx.closed().await.to_string(), "cancelled by the consumer: input 0 of the zip ended (code 0)");
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct Zip<A: Stage, B: Stage> {
    join: Join<(Side<A>, Side<B>)>,
}

impl<A: Stage, B: Stage> Zip<A, B> {
    pub(super) fn new(a: A, b: B) -> Self {
        Self { join: Join::new((Side::new(a), Side::new(b))) }
    }
}

impl<A: Stage, B: Stage> Stage for Zip<A, B> {
    type Value = (A::Value, B::Value);
    type Guard = (A::Guard, B::Guard);

    #[inline]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Self::Value, Self::Guard>> {
        self.join.poll_next(cx)
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.join.cancel(reason);
    }
}

impl<A: Stage, B: Stage> Sides for (Side<A>, Side<B>) {
    type Value = (A::Value, B::Value);
    type Guard = (A::Guard, B::Guard);

    #[inline]
    fn ask(&mut self, asked: &mut Asked, cx: &mut Context<'_>) {
        asked.ask(0, &mut self.0, cx);
        asked.ask(1, &mut self.1, cx);
    }

    #[inline]
    fn take(&mut self) -> Option<(Self::Value, Self::Guard)> {
        if !self.1.holds() {
            return None;
        }
        let ((a, guard_a), (b, guard_b)) = (self.0.take()?, self.1.take()?);
        Some(((a, b), (guard_a, guard_b)))
    }

    fn cancel(self, reason: &CancelReason) {
        self.0.cancel(reason);
        self.1.cancel(reason);
    }
}

impl<A: Stage + fmt::Debug, B: Stage + fmt::Debug> fmt::Debug for Zip<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zip").field("join", &self.join).finish()
    }
}
