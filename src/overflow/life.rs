//! How it ends: each side has one field, and what is written first stays.

use crate::{CancelReason, Closed, Failure, RecvError};

/// Who is still there, and how it ended.
#[derive(Debug)]
pub(super) struct Life {
    producers: u64,
    /// A producer went away without `end`.
    unclean: bool,
    end: Option<End>,
    /// The consumer's cancel.
    stop: Option<CancelReason>,
}

#[derive(Debug)]
enum End {
    Clean,
    Abandoned,
    Failed(Failure),
}

impl Life {
    pub(super) fn new() -> Self {
        Self { producers: 1, unclean: false, end: None, stop: None }
    }

    pub(super) fn producers(&self) -> u64 {
        self.producers
    }

    pub(super) fn add_producer(&mut self) {
        self.producers += 1;
    }

    /// A producer handle goes away. True if that ended the channel.
    pub(super) fn remove_producer(&mut self, clean: bool) -> bool {
        self.producers -= 1;
        self.unclean |= !clean;
        let ends = self.producers == 0 && self.is_open();
        if ends {
            self.end = Some(if self.unclean { End::Abandoned } else { End::Clean });
        }
        ends
    }

    /// True if this is what ended the channel.
    pub(super) fn fail(&mut self, failure: Failure) -> bool {
        let first = self.is_open();
        if first {
            self.end = Some(End::Failed(failure));
        }
        first
    }

    /// True if this is what stopped the channel, be it after its end.
    pub(super) fn cancel(&mut self, reason: CancelReason) -> bool {
        let first = self.stop.is_none();
        if first {
            self.stop = Some(reason);
        }
        first
    }

    /// Whether a producer may still offer.
    pub(super) fn is_open(&self) -> bool {
        self.end.is_none() && self.stop.is_none()
    }

    /// Why a producer may offer no more. (No producer outlives a clean end, or hears of an abandonment.)
    pub(super) fn closed(&self) -> Option<Closed> {
        match (&self.end, &self.stop) {
            (Some(End::Failed(failure)), _) => Some(Closed::Failed(failure.clone())),
            (_, Some(reason)) => Some(Closed::Cancelled(reason.clone())),
            (Some(End::Clean | End::Abandoned) | None, None) => None,
        }
    }

    /// What the consumer is told once nothing is left for it.
    pub(super) fn outcome(&self, received: u64) -> Option<Result<(), RecvError>> {
        match (&self.stop, &self.end) {
            (Some(reason), _) => Some(Err(RecvError::Cancelled(reason.clone()))),
            (None, Some(End::Clean)) => Some(Ok(())),
            (None, Some(End::Abandoned)) => Some(Err(RecvError::Abandoned { received })),
            (None, Some(End::Failed(failure))) => Some(Err(RecvError::Failed(failure.clone()))),
            (None, None) => None,
        }
    }
}
