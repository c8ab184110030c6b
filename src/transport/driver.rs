//! What the user runs.

use crate::Disconnect;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Drives one end of a connection: reads, writes, keeps the time. Spawn it, or poll it beside the work.
///
/// Nothing moves while it is not polled. It is ready when the connection is over: `Ok` if the channel had
/// ended before (cleanly, with an error, or with a cancel) and the other end knows all about it, else why the
/// connection was lost. Both halves of the channel are told the same, so the result may be ignored.
///
/// Dropped before that (its task aborted, its runtime shut down), it closes the connection, the channel's
/// calls return [`Disconnect::DriverDropped`], and the other end is cut off.
#[must_use = "nothing moves unless the driver is spawned or polled"]
pub struct Driver(Pin<Box<dyn Future<Output = Result<(), Disconnect>> + Send>>);

impl Driver {
    pub(super) fn new(run: impl Future<Output = Result<(), Disconnect>> + Send + 'static) -> Self {
        Self(Box::pin(run))
    }
}

impl Future for Driver {
    type Output = Result<(), Disconnect>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}
