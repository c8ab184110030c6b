//! What the user runs.

use crate::Disconnect;
use crate::session::ConnectionStats;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
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
pub struct Driver {
    run: Pin<Box<dyn Future<Output = Result<(), Disconnect>> + Send>>,
    meter: ConnectionMeter,
}

impl Driver {
    pub(super) fn new(
        run: impl Future<Output = Result<(), Disconnect>> + Send + 'static,
        meter: ConnectionMeter,
    ) -> Self {
        Self { run: Box::pin(run), meter }
    }

    /// A handle that reads the connection's numbers from elsewhere, also after it is over.
    #[must_use]
    pub fn meter(&self) -> ConnectionMeter {
        self.meter.clone()
    }
}

/// Reads the numbers of one connection, as its driver last wrote them down.
#[derive(Clone, Debug, Default)]
pub struct ConnectionMeter(Arc<Mutex<ConnectionStats>>);

impl ConnectionMeter {
    /// The numbers as of when the driver last ran.
    #[must_use]
    pub fn stats(&self) -> ConnectionStats {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The driver writes them down. No user code runs under this lock, and nobody waits under it.
    pub(super) fn note(&self, stats: ConnectionStats) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stats;
    }
}

impl Future for Driver {
    type Output = Result<(), Disconnect>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.run.as_mut().poll(cx)
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}
