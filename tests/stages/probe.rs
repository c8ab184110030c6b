//! A source that tells what was asked of it.

use credit_channel::stages::{Received, Stage, StageError};
use credit_channel::{CancelReason, Chunk};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// 0, 1, 2 and so on, at once and without a look at the task's budget: what bounds it stands behind it.
pub(crate) struct Probe {
    end: u64,
    log: Log,
    over: Option<StageError>,
}

/// What was asked of it.
#[derive(Clone, Default)]
pub(crate) struct Log {
    pulled: Arc<AtomicU64>,
    cancels: Arc<Mutex<Vec<CancelReason>>>,
}

/// It ends after so many.
pub(crate) fn up_to(end: u64) -> (Probe, Log) {
    let log = Log::default();
    (Probe { end, log: log.clone(), over: None }, log)
}

pub(crate) fn endless() -> (Probe, Log) {
    up_to(u64::MAX)
}

impl Log {
    /// How many values it gave.
    pub(crate) fn pulled(&self) -> u64 {
        self.pulled.load(Ordering::Relaxed)
    }

    /// Every call of `cancel`, those after the first too.
    pub(crate) fn cancels(&self) -> Vec<CancelReason> {
        self.cancels.lock().unwrap().clone()
    }
}

impl Stage for Probe {
    type Value = u64;
    type Guard = ();

    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Received<u64, ()>> {
        if let Some(error) = &self.over {
            return Poll::Ready(Err(error.clone()));
        }
        if self.log.pulled() == self.end {
            return Poll::Ready(Ok(None));
        }
        let n = self.log.pulled.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Ok(Some(Chunk::from_parts(n, n, ()))))
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.log.cancels.lock().unwrap().push(reason.clone());
        if self.log.pulled() < self.end {
            self.over.get_or_insert_with(|| StageError::cancelled(reason));
        }
    }
}
