//! How a channel ends.
//!
//! ```text
//!                     last producer gone,                    ┌─────────┐
//!                     every one had ended   ┌───────────────▶│  Clean  │── received all ──▶ Ok(None)
//!                                           │                └─────────┘
//!   ┌──────┐          last producer gone,   │                ┌───────────┐
//!   │ Open │──────────one had not ended ────┼───────────────▶│ Abandoned │── received all ──▶ Err(Abandoned)
//!   └──────┘                                │                └───────────┘
//!      │              fail, fail_now        │                ┌────────┐
//!      │                        └───────────┴───────────────▶│ Failed │── received all ──▶ Err(Failed)
//!      │                                                     └────────┘   (fail_now: at once)
//!      │   drain      ┌──────────┐
//!      ├─────────────▶│ Draining │── received all, no permit out ──▶ Err(Cancelled(Drained))
//!      │              └──────────┘
//!      │   cancel, consumer dropped         ┌───────────┐
//!      └──(from any state above)───────────▶│ Cancelled │──▶ Err(Cancelled(reason)) at once
//!                                           └───────────┘
//! ```
//!
//! The two sides end it independently: the producer's end and the consumer's stop are one field each, and
//! the first to be written stays.

use crate::{CancelReason, Closed, Failure, RecvError};

/// The producer side's end of the channel.
#[derive(Debug)]
enum End {
    Clean { sent: u64 },
    Abandoned,
    Failed(Failure),
}

/// The consumer side's stop.
#[derive(Debug)]
enum Stop {
    Draining,
    Cancelled(CancelReason),
}

/// Who is still there, and how it ended.
#[derive(Debug)]
pub(super) struct Lifecycle {
    producers: u64,
    /// A producer went away without `end`.
    unclean: bool,
    end: Option<End>,
    stop: Option<Stop>,
    /// The end was delivered to the consumer: there is nothing left to cancel.
    delivered: bool,
}

/// What the consumer is told once its queue is empty.
pub(super) type Outcome = Result<(), RecvError>;

impl Lifecycle {
    pub(super) fn new() -> Self {
        Self { producers: 1, unclean: false, end: None, stop: None, delivered: false }
    }

    // ----- the producer side -----

    pub(super) fn producers(&self) -> u64 {
        self.producers
    }

    pub(super) fn add_producer(&mut self) {
        self.producers += 1;
    }

    /// A producer handle goes away. True if that ended the channel.
    pub(super) fn remove_producer(&mut self, clean: bool, sent: u64) -> bool {
        self.producers -= 1;
        self.unclean |= !clean;
        let ends = self.producers == 0 && self.end.is_none() && !self.is_cancelled();
        if ends {
            self.end = Some(if self.unclean { End::Abandoned } else { End::Clean { sent } });
        }
        ends
    }

    /// True if this is what ended the channel.
    pub(super) fn fail(&mut self, failure: Failure) -> bool {
        let first = self.end.is_none() && !self.is_cancelled();
        if first {
            self.end = Some(End::Failed(failure));
        }
        first
    }

    /// Whether a producer may still send.
    pub(super) fn is_open(&self) -> bool {
        self.end.is_none() && self.stop.is_none()
    }

    /// Whether a permit that was given out may still be used.
    pub(super) fn honours_permits(&self) -> bool {
        self.end.is_none() && matches!(self.stop, None | Some(Stop::Draining))
    }

    /// Why a producer may send no more; `None` while it may, and after a clean end, which no producer outlives.
    pub(super) fn closed(&self) -> Option<Closed> {
        match (&self.end, &self.stop) {
            (Some(End::Failed(failure)), _) => Some(Closed::Failed(failure.clone())),
            (Some(End::Abandoned), _) => Some(Closed::Abandoned),
            (_, Some(Stop::Cancelled(reason))) => Some(Closed::Cancelled(reason.clone())),
            // A clean end that crossed a drain is a clean end: nobody was refused anything.
            (Some(End::Clean { .. }), _) | (None, None) => None,
            (None, Some(Stop::Draining)) => Some(Closed::Cancelled(CancelReason::Drained)),
        }
    }

    /// Whether the producer side is through, cleanly or not.
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    // ----- the consumer side -----

    /// True if this is what stopped the channel.
    pub(super) fn cancel(&mut self, reason: CancelReason) -> bool {
        let first = !self.delivered && !self.is_cancelled();
        if first {
            self.stop = Some(Stop::Cancelled(reason));
        }
        first
    }

    /// True if this is what began the draining.
    pub(super) fn drain(&mut self) -> bool {
        let first = self.is_open();
        if first {
            self.stop = Some(Stop::Draining);
        }
        first
    }

    pub(super) fn is_cancelled(&self) -> bool {
        matches!(self.stop, Some(Stop::Cancelled(_)))
    }

    /// What the consumer is told when it has received everything there is, if that is final.
    pub(super) fn outcome(&self, received: u64, permits_out: bool) -> Option<Outcome> {
        match (&self.stop, &self.end) {
            (Some(Stop::Cancelled(reason)), _) => Some(Err(RecvError::Cancelled(reason.clone()))),
            (_, Some(End::Clean { sent })) if *sent == received => Some(Ok(())),
            (_, Some(End::Clean { sent })) => Some(Err(RecvError::CountMismatch { sent: *sent, received })),
            (_, Some(End::Abandoned)) => Some(Err(RecvError::Abandoned { received })),
            (_, Some(End::Failed(failure))) => Some(Err(RecvError::Failed(failure.clone()))),
            (Some(Stop::Draining), None) if !permits_out => Some(Err(RecvError::Cancelled(CancelReason::Drained))),
            _ => None,
        }
    }

    /// The outcome was handed to the consumer.
    pub(super) fn deliver(&mut self) {
        self.delivered = true;
    }
}
