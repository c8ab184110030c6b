//! What comes out of a session.

use super::counts::ConnectionStats;
use super::handshake::LEAST_MAX_FRAME;
use super::machine::{Farewell, Phase, Session, Side};
use crate::Disconnect;
use crate::wire::{Frame, Hello};
use std::time::{Duration, Instant};

impl<T> Session<T> {
    /// The next frame to write, before any chunk. Chunks come from [`send`](Self::send).
    ///
    /// A frame that was taken out counts as said: take it when there is room to write it.
    #[must_use = "it counts as said"]
    pub fn poll_frame(&mut self, now: Instant) -> Option<Frame<T>> {
        self.stamp(now);
        let frame = self.slots.pop(self.peer.is_some())?;
        self.sent.count(&frame);
        self.timers.flushed = false;
        self.timers.unanswered = None;
        match (&frame, &mut self.side) {
            (Frame::Credit(grant), Side::Consuming(consuming)) => consuming.announce(*grant, now),
            (Frame::Ping { .. }, _) => self.keepalive.written(now),
            (Frame::End { .. }, Side::Producing(producing)) => producing.ended(),
            // After an error nobody waits for the work, and the consumer may leave without saying what it did.
            (Frame::Error { .. }, Side::Producing(producing)) => {
                producing.ended();
                self.settled = true;
                self.depart(Farewell::Word, Some(now));
            }
            (Frame::Cancel { .. }, _) => self.depart(Farewell::Word, Some(now)),
            _ => {}
        }
        if self.phase == Phase::Open {
            self.close_if_done(now);
        }
        self.debug_assert_invariants();
        Some(frame)
    }

    /// Whether a chunk may be sent, as far as the life of the channel goes. Whether there is credit for it is
    /// the channel's to know.
    #[must_use]
    pub fn may_send(&self) -> bool {
        match &self.side {
            // HELLO is the first frame, even where the peer's whole opening was quicker.
            Side::Producing(producing) => {
                self.phase == Phase::Open && producing.may_send() && self.slots.hello.is_none()
            }
            Side::Consuming(_) => false,
        }
    }

    /// Whether everything is said: flush what is left, close the write side, and go on reading.
    #[must_use]
    pub fn wants_write_closed(&self) -> bool {
        matches!(self.phase, Phase::Closing(_) | Phase::Over) && self.slots.is_empty()
    }

    /// Whether nothing is left to do but to drop the transport.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Why the connection went after the channel had ended and before the peer knew all about it, if that is so: there
    /// was no [`Lost`](super::Event::Lost) then.
    #[must_use]
    pub fn cut_short(&self) -> Option<&Disconnect> {
        self.cut_short.as_ref()
    }

    /// The longest frame body that the peer takes; before it said so, the length that every peer takes.
    #[must_use]
    pub fn peer_max_frame(&self) -> u32 {
        self.peer.as_ref().map_or(LEAST_MAX_FRAME, |peer| peer.max_frame)
    }

    /// What the peer said of itself, once it has.
    #[must_use]
    pub fn peer(&self) -> Option<&Hello> {
        self.peer.as_ref()
    }

    /// The shortest of the last eight round trips: of a PING and its PONG, which a connection sends that was silent for a
    /// while, and at the consumer's end of a CREDIT to a producer that had none left and its next chunk.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        self.keepalive.round_trip()
    }

    /// The numbers of the connection. Bytes are the transport's to count: they are 0 here.
    #[must_use]
    pub fn stats(&self) -> ConnectionStats {
        ConnectionStats {
            received: self.received,
            sent: self.sent,
            budget_left: self.budget.left(),
            round_trip: self.keepalive.round_trip(),
            ..ConnectionStats::default()
        }
    }

    /// Sends a PING as often as the peer takes it from now on, so that [`round_trip`](Self::round_trip) is known also of a
    /// connection that is never silent. Nothing happens where there is no keepalive.
    pub fn measure_round_trips(&mut self) {
        self.keepalive.measure();
    }

    /// At the consumer's end: how often a CREDIT went out to a producer that had none left.
    #[must_use]
    pub fn times_used_up(&self) -> u64 {
        match &self.side {
            Side::Consuming(consuming) => consuming.times_used_up(),
            Side::Producing(_) => 0,
        }
    }
}
