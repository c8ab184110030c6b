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

use crate::{CancelReason, Closed, Disconnect, Failure, RecvError};
use std::sync::Arc;

/// The producer side's end of the channel.
#[derive(Debug)]
#[cfg_attr(not(feature = "transport"), expect(dead_code, reason = "only what has a connection can lose it"))]
pub(super) enum End {
    Clean {
        sent: u64,
    },
    Abandoned,
    Failed(Failure),
    /// The connection under the channel is gone.
    Lost(Disconnect),
    /// The producer sent what it had, as it was asked.
    Drained,
    /// A chunk that came over a connection could not be decoded.
    Undecodable {
        seq: u64,
        text: Arc<str>,
    },
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
    /// One went without `end` after it was asked for no more.
    drained: bool,
    end: Option<End>,
    stop: Option<Stop>,
    /// The end was delivered to the consumer: there is nothing left to cancel.
    delivered: bool,
    /// The consumer is at the other end of a connection: who takes the end out here only carries it there.
    far: bool,
}

/// What the consumer is told once its queue is empty.
pub(super) type Outcome = Result<(), RecvError>;

impl Lifecycle {
    pub(super) fn new() -> Self {
        Self { producers: 1, unclean: false, drained: false, end: None, stop: None, delivered: false, far: false }
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
        // Who was told to stop and went has abandoned nothing.
        let told = matches!(self.stop, Some(Stop::Draining));
        self.unclean |= !clean && !told;
        self.drained |= !clean && told;
        let ends = self.producers == 0 && self.end.is_none() && !self.is_cancelled();
        if ends {
            self.end = Some(match (self.unclean, self.drained) {
                (true, _) => End::Abandoned,
                (false, true) => End::Drained,
                (false, false) => End::Clean { sent },
            });
        }
        ends
    }

    /// True if this is what ended the channel.
    pub(super) fn fail(&mut self, failure: Failure) -> bool {
        self.end(End::Failed(failure))
    }

    /// The first end counts. True if this is what ended the channel.
    pub(super) fn end(&mut self, end: End) -> bool {
        let first = self.end.is_none() && !self.is_cancelled();
        if first {
            self.end = Some(end);
        }
        first
    }

    /// The connection to the consumer is gone. Of work that was not done nobody will ever hear, also after a clean
    /// end: that is then no longer how the channel ended. True if this is how it did.
    #[cfg(feature = "transport")]
    pub(super) fn lose(&mut self, reason: Disconnect, idle: bool) -> bool {
        if let (Some(End::Clean { .. }), false) = (&self.end, idle) {
            self.end = None;
        }
        self.end(End::Lost(reason))
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
            (Some(End::Lost(reason)), _) => Some(Closed::Disconnected(reason.clone())),
            (Some(End::Drained), _) => Some(Closed::Cancelled(CancelReason::Drained)),
            (Some(End::Undecodable { text, .. }), _) => {
                Some(Closed::Cancelled(CancelReason::Undecodable(Arc::clone(text))))
            }
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

    /// That the consumer wants no more, and why.
    #[cfg(feature = "transport")]
    pub(super) fn stopped(&self) -> Option<CancelReason> {
        match &self.stop {
            None => None,
            Some(Stop::Draining) => Some(CancelReason::Drained),
            Some(Stop::Cancelled(reason)) => Some(reason.clone()),
        }
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
            (_, Some(End::Lost(reason))) => Some(Err(RecvError::Truncated { received, reason: reason.clone() })),
            (_, Some(End::Drained)) => Some(Err(RecvError::Cancelled(CancelReason::Drained))),
            (_, Some(End::Undecodable { seq, text })) => {
                Some(Err(RecvError::Undecodable { seq: *seq, text: Arc::clone(text) }))
            }
            (Some(Stop::Draining), None) if !permits_out => Some(Err(RecvError::Cancelled(CancelReason::Drained))),
            _ => None,
        }
    }

    /// The outcome was handed to the consumer.
    pub(super) fn deliver(&mut self) {
        self.delivered = !self.far;
    }

    pub(super) fn is_far(&self) -> bool {
        self.far
    }

    /// The consumer is at the other end of a connection, and may cancel until it has said that all is done.
    #[cfg(feature = "transport")]
    pub(super) fn set_far(&mut self) {
        self.far = true;
    }
}
