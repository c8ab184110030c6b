//! How a session ends, and what the passing of time does to it.

use super::event::Event;
use super::machine::{Farewell, Phase, Session, Side};
use super::reasons::breach;
use super::timers::up;
use crate::wire::Code;
use crate::{Disconnect, Timeout, Violation};
use std::time::Instant;

/// What is due.
#[derive(Clone, Copy, Debug)]
enum Due {
    Ping,
    /// A CREDIT that says nothing new.
    Refresh,
    Leave,
    /// The peer takes nothing, and so could not read a GOAWAY either.
    Stuck,
    Lost(Timeout, Code, &'static str),
}

const HANDSHAKE: Due = Due::Lost(Timeout::Handshake, Code::TIMEOUT_HANDSHAKE, "no HELLO in time");
const IDLE: Due = Due::Lost(Timeout::Idle, Code::TIMEOUT_IDLE, "nothing was heard for too long");
const FRAME: Due = Due::Lost(Timeout::Idle, Code::TIMEOUT_IDLE, "a frame was begun and not completed in time");
const PROGRESS: Due = Due::Lost(Timeout::Progress, Code::NO_PROGRESS, "no work was done for too long");

impl<T> Session<T> {
    /// When to call [`handle_timeout`](Self::handle_timeout), if nothing else happens before. Changes with
    /// everything that goes in and with [`poll_frame`](Self::poll_frame).
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.next_due().map(|(at, _)| at)
    }

    /// The time may be up. To come too early or too late does no harm.
    #[must_use = "the channel has to do what it says"]
    pub fn handle_timeout(&mut self, now: Instant) -> Option<Event<T>> {
        self.stamp(now);
        while let Some((at, due)) = self.next_due() {
            if at > now {
                break;
            }
            match due {
                Due::Ping => self.slots.ping = Some(self.keepalive.ask(now)),
                Due::Refresh => self.refresh(),
                Due::Leave => {
                    self.settle_lost(Disconnect::Timeout(Timeout::Write));
                    self.leave();
                }
                Due::Stuck => return self.end_with(Disconnect::Timeout(Timeout::Write)),
                Due::Lost(timeout, code, text) => {
                    return self.lose(Disconnect::Timeout(timeout), Some(breach(code, text)), now);
                }
            }
        }
        self.debug_assert_invariants();
        None
    }

    fn next_due(&self) -> Option<(Instant, Due)> {
        let (timers, settings) = (&self.timers, &self.settings);
        let write = || (up(timers.stalled, settings.write_timeout), Due::Stuck);
        let leave = || (timers.closing.and_then(|at| at.checked_add(settings.linger)), Due::Leave);
        let never = (None, Due::Leave);
        let all = match self.phase {
            Phase::Handshake => {
                [(up(Some(timers.started), settings.handshake_timeout), HANDSHAKE), write(), never, never, never, never]
            }
            Phase::Open if self.read_over => [write(), never, never, never, never, never],
            Phase::Open => [
                write(),
                (up(timers.frame_begun, settings.frame_timeout), FRAME),
                (self.keepalive.given_up(timers.heard, settings.idle_timeout), IDLE),
                (self.no_progress_at(), PROGRESS),
                (self.keepalive.due(timers.heard), Due::Ping),
                (self.refresh_at(), Due::Refresh),
            ],
            Phase::Closing(Farewell::Word) => [leave(), write(), never, never, never, never],
            Phase::Closing(_) => [leave(), never, never, never, never, never],
            Phase::Over => [never; 6],
        };
        all.into_iter().filter_map(|(at, due)| Some((at?, due))).min_by_key(|(at, _)| *at)
    }

    fn no_progress_at(&self) -> Option<Instant> {
        match &self.side {
            Side::Producing(producing) => up(producing.waiting_since(), self.settings.progress_timeout?),
            Side::Consuming(_) => None,
        }
    }

    /// When a consumer to which bytes keep coming has to be heard from: what would answer its producer's PING may wait
    /// behind megabytes that are on their way.
    fn refresh_at(&self) -> Option<Instant> {
        match &self.side {
            Side::Consuming(consuming) if !consuming.is_cancelled() => {
                up(self.timers.unanswered, self.peer.as_ref()?.idle_timeout / 2)
            }
            _ => None,
        }
    }

    fn refresh(&mut self) {
        self.timers.unanswered = None;
        if let Side::Consuming(consuming) = &self.side {
            self.slots.credit = Some(consuming.books());
        }
    }

    /// Notes the time of what came about without a look at the clock.
    pub(super) fn stamp(&mut self, now: Instant) {
        match (&self.phase, &mut self.side) {
            (Phase::Open, Side::Producing(producing)) => producing.watch(now),
            (Phase::Closing(_), _) => {
                self.timers.closing.get_or_insert(now);
            }
            _ => {}
        }
    }

    // ----- endings -----

    /// The producer's last word came: the channel is told, unless it stopped before.
    pub(super) fn settle(&mut self, ending: Event<T>) -> Option<Event<T>> {
        let told = std::mem::replace(&mut self.settled, true);
        (!told).then_some(ending)
    }

    /// The connection goes. A channel that ended before is told nothing more; that the peer does not know all of it is
    /// kept for whoever drives this.
    fn settle_lost(&mut self, why: Disconnect) -> Option<Event<T>> {
        if self.settled && self.cut_short.is_none() && !self.has_said_all() {
            self.cut_short = Some(why.clone());
        }
        self.settle(Event::Lost(why))
    }

    /// The connection is of no more use; with `goodbye` the peer is told why, if it can still be.
    pub(super) fn lose(&mut self, why: Disconnect, goodbye: Option<Violation>, now: Instant) -> Option<Event<T>> {
        let event = self.settle_lost(why);
        match (self.phase, goodbye) {
            // The write side is closed already, or does not become free.
            (Phase::Closing(Farewell::Word) | Phase::Over, _) => self.leave(),
            (Phase::Closing(_), _) => {}
            (_, Some(violation)) => {
                self.slots.keep_goaway(violation);
                self.depart(Farewell::GoAway, Some(now));
            }
            (_, None) => self.depart(Farewell::Silent, Some(now)),
        }
        event
    }

    /// There is no connection any more.
    pub(super) fn end_with(&mut self, why: Disconnect) -> Option<Event<T>> {
        let event = self.settle_lost(why);
        self.leave();
        event
    }

    /// Everything is said once the slots are empty.
    pub(super) fn depart(&mut self, farewell: Farewell, now: Option<Instant>) {
        if farewell != Farewell::GoAway {
            self.slots.clear();
        }
        self.phase = Phase::Closing(farewell);
        self.timers.closing = now;
        self.leave_if_through();
        self.debug_assert_invariants();
    }

    /// Producer: after the terminal, and all of the work done.
    pub(super) fn close_if_done(&mut self, now: Instant) {
        let done = match &self.side {
            Side::Producing(producing) => producing.is_done(),
            Side::Consuming(consuming) => consuming.is_finished() && self.slots.is_empty(),
        };
        if done {
            self.settled = true;
            self.depart(Farewell::Word, Some(now));
        }
    }

    /// Over, if neither side has anything more to say.
    pub(super) fn leave_if_through(&mut self) {
        if self.has_said_all() && self.read_over {
            self.leave();
        }
    }

    /// Whether the peer has all that it waits for, or it is on its way.
    fn has_said_all(&self) -> bool {
        match self.phase {
            Phase::Closing(Farewell::Silent) | Phase::Over => true,
            Phase::Closing(_) => self.slots.is_empty() && self.timers.flushed,
            // After an error nobody waits for the work.
            Phase::Open => matches!(&self.side, Side::Consuming(consuming) if consuming.has_failed()),
            Phase::Handshake => false,
        }
    }

    fn leave(&mut self) {
        self.slots.clear();
        self.phase = Phase::Over;
    }

    pub(super) fn debug_assert_invariants(&self) {
        if cfg!(debug_assertions) {
            let leaving = matches!(self.phase, Phase::Closing(_) | Phase::Over);
            assert!(!leaving || self.slots.only_last_words(), "5: nothing is said after the last word: {self:?}");
            assert!(!leaving || self.settled, "6: whoever leaves has told its channel how it ended: {self:?}");
        }
    }
}
