//! The session itself: what came, and what follows from it.

use super::budget::Budget;
use super::consuming::Consuming;
use super::counts::FrameCounts;
use super::event::{Event, Traffic};
use super::handshake;
use super::keepalive::Keepalive;
use super::producing::Producing;
use super::reasons::{Words, bounded, breach};
use super::settings::Settings;
use super::slots::Slots;
use super::timers::Timers;
use crate::wire::{Code, Frame, Grant, Hello, Role, Units};
use crate::{Credit, Disconnect, Violation, Window};
use std::time::Instant;
use std::{fmt, io};

/// One end of one connection, as a state machine. See the [module](super) for how to drive it.
pub struct Session<T> {
    pub(super) settings: Settings,
    pub(super) side: Side,
    pub(super) phase: Phase,
    pub(super) slots: Slots,
    pub(super) timers: Timers,
    pub(super) keepalive: Keepalive,
    pub(super) budget: Budget,
    /// Frames that came, and frames that were taken out to be written.
    pub(super) received: FrameCounts,
    pub(super) sent: FrameCounts,
    /// What this side said, or is about to.
    hello: Hello,
    pub(super) peer: Option<Hello>,
    /// The channel knows how it ended: there is nothing more to tell it.
    pub(super) settled: bool,
    /// Why the connection went when the channel had ended and the peer did not know all about it.
    pub(super) cut_short: Option<Disconnect>,
    /// The peer says nothing more.
    pub(super) read_over: bool,
    pub(super) weigh: Box<dyn Fn(&T) -> u64 + Send + Sync>,
}

#[derive(Debug)]
pub(super) enum Side {
    Producing(Producing),
    Consuming(Consuming),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Handshake,
    Open,
    Closing(Farewell),
    Over,
}

/// How this side leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// With its last word, which is waited for until it has left.
    Word,
    /// With a GOAWAY, which the peer gets if it takes it soon.
    GoAway,
    /// With nothing: the peer waits for no word.
    Silent,
}

impl<T> Session<T> {
    /// The producer's end. `weigh` gives a payload's bytes; it is asked where the consumer's window counts
    /// them.
    pub fn producer(
        settings: Settings,
        session: [u8; 16],
        weigh: impl Fn(&T) -> u64 + Send + Sync + 'static,
        now: Instant,
    ) -> Self {
        let units = Units { messages: true, bytes: true };
        let side = Side::Producing(Producing::new());
        Self::new(settings, session, (Role::Producer, units, Credit::ZERO), side, Box::new(weigh), now)
    }

    /// The producer's end of a channel whose values nothing weighs: a consumer whose window counts bytes is
    /// refused.
    pub fn unweighed_producer(settings: Settings, session: [u8; 16], now: Instant) -> Self {
        let units = Units { messages: true, bytes: false };
        let side = Side::Producing(Producing::new());
        Self::new(settings, session, (Role::Producer, units, Credit::ZERO), side, Box::new(|_| 0), now)
    }

    /// The consumer's end. `weigh` gives a payload's bytes; it is asked where the window counts them.
    ///
    /// Its first CREDIT, the whole window, goes out right behind its HELLO.
    pub fn consumer(
        settings: Settings,
        session: [u8; 16],
        weigh: impl Fn(&T) -> u64 + Send + Sync + 'static,
        window: Window,
        now: Instant,
    ) -> Self {
        let consuming = Consuming::new(window);
        let first: Grant = consuming.books();
        let said = (Role::Consumer, handshake::units_of(window), window.as_credit());
        let mut session = Self::new(settings, session, said, Side::Consuming(consuming), Box::new(weigh), now);
        session.slots.credit = Some(first);
        session
    }

    fn new(
        settings: Settings,
        session: [u8; 16],
        (role, units, window): (Role, Units, Credit),
        side: Side,
        weigh: Box<dyn Fn(&T) -> u64 + Send + Sync>,
        now: Instant,
    ) -> Self {
        let hello = handshake::own_hello(&settings, role, units, window, session);
        Self {
            side,
            phase: Phase::Handshake,
            slots: Slots { hello: Some(hello.clone()), ..Slots::default() },
            timers: Timers::new(now),
            keepalive: Keepalive::new(settings.keepalive, settings.ping_seed, session),
            budget: Budget::new(settings.ping_interval, now),
            received: FrameCounts::default(),
            sent: FrameCounts::default(),
            settings,
            hello,
            peer: None,
            settled: false,
            cut_short: None,
            read_over: false,
            weigh,
        }
    }

    // ----- in -----

    /// A frame came.
    #[must_use = "the channel has to do what it says"]
    pub fn handle_frame(&mut self, frame: Frame<T>, now: Instant) -> Option<Event<T>> {
        self.timers.hear_frame(now);
        match frame {
            Frame::Chunk { seq, payload } if self.take_chunk(seq, &payload, now) => Some(Event::Chunk { seq, payload }),
            Frame::Chunk { seq, payload } => self.handle_odd_chunk(seq, payload, now),
            control => {
                self.received.count(&control);
                self.handle_control(control, now)
            }
        }
    }

    /// What came is no frame of this protocol, as its decoder says: the peer is told so.
    #[must_use = "the channel has to do what it says"]
    pub fn handle_violation(&mut self, violation: Violation, now: Instant) -> Option<Event<T>> {
        self.lose(Disconnect::Violation(violation.clone()), Some(violation), now)
    }

    /// What came is of another protocol altogether: nothing is said to who would not understand it.
    #[must_use = "the channel has to do what it says"]
    pub fn handle_stranger(&mut self, violation: Violation) -> Option<Event<T>> {
        self.end_with(Disconnect::Violation(violation))
    }

    /// Bytes came or went, or the writer became empty.
    pub fn handle_io(&mut self, traffic: Traffic, now: Instant) {
        self.timers.note(traffic, now);
        self.stamp(now);
        if self.phase == Phase::Closing(Farewell::Word) && traffic.writes_pending {
            self.timers.closing = Some(now);
        }
        self.leave_if_through();
    }

    /// The stream is over: the peer closed its write side, or there is an error, in whatever direction.
    #[must_use = "the channel has to do what it says"]
    pub fn handle_close(&mut self, error: Option<io::Error>, now: Instant) -> Option<Event<T>> {
        self.stamp(now);
        let stays = match (&self.phase, &self.side) {
            // The work in hand goes on, and so do the reports of it.
            (Phase::Open, Side::Consuming(consuming)) => consuming.has_ended() && !consuming.is_cancelled(),
            (Phase::Closing(_), _) => true,
            _ => false,
        };
        match error {
            None if stays => {
                self.read_over = true;
                self.leave_if_through();
                None
            }
            None => self.end_with(Disconnect::Eof),
            Some(error) => self.end_with(error.into()),
        }
    }

    // ----- frames -----

    /// Takes a chunk into the books if it is one for the channel, as nearly all are. False, and nothing has changed:
    /// [`handle_frame`](Self::handle_frame) says what becomes of it.
    #[inline]
    pub(crate) fn take_chunk(&mut self, seq: u64, payload: &T, now: Instant) -> bool {
        let (Phase::Open, Side::Consuming(consuming)) = (self.phase, &mut self.side) else { return false };
        let bytes = if consuming.weighs() { (self.weigh)(payload) } else { 0 };
        let taken = !consuming.is_cancelled() && consuming.take_in(seq, bytes);
        if taken {
            if let Some(asked) = consuming.answers() {
                self.keepalive.went_round(now.saturating_duration_since(asked));
            }
            self.timers.hear_frame(now);
            self.budget.earn();
            self.received.chunk += 1;
        }
        taken
    }

    /// A chunk that is not for the channel: it was on its way when the consumer cancelled, or breaks a rule.
    fn handle_odd_chunk(&mut self, seq: u64, payload: T, now: Instant) -> Option<Event<T>> {
        self.received.chunk += 1;
        let Side::Consuming(consuming) = &mut self.side else {
            return self.handle_control(Frame::Chunk { seq, payload }, now);
        };
        let judged = match self.phase {
            Phase::Open => true,
            Phase::Closing(Farewell::Word) => consuming.is_cancelled(),
            _ => false,
        };
        if !judged {
            return self.handle_control(Frame::Chunk { seq, payload }, now);
        }
        let bytes = if consuming.weighs() { (self.weigh)(&payload) } else { 0 };
        if consuming.take_in(seq, bytes) {
            self.budget.earn();
            return None;
        }
        let violation = consuming.breach_of(seq, bytes);
        self.handle_violation(violation, now)
    }

    fn handle_control(&mut self, frame: Frame<T>, now: Instant) -> Option<Event<T>> {
        self.stamp(now);
        if !self.pay_for(&frame, now) {
            let text = "more frames than the work that came with them pays for";
            return self.handle_violation(breach(Code::ENHANCE_CALM, text), now);
        }
        let event = match self.phase {
            Phase::Handshake => self.handle_first(frame, now),
            Phase::Open => self.handle_open(frame, now),
            Phase::Closing(Farewell::Word) => self.handle_late(frame, now),
            Phase::Closing(_) | Phase::Over => None,
        };
        self.debug_assert_invariants();
        event
    }

    fn pay_for(&mut self, frame: &Frame<T>, now: Instant) -> bool {
        match frame {
            Frame::Chunk { .. } => true,
            Frame::Ping { .. } => self.budget.pay_ping(now),
            _ => self.budget.pay_frame(now),
        }
    }

    fn handle_first(&mut self, frame: Frame<T>, now: Instant) -> Option<Event<T>> {
        let Frame::Hello(theirs) = frame else {
            return self.handle_violation(breach(Code::STATE, format!("{} before HELLO", name_of(&frame))), now);
        };
        if let Err(violation) = handshake::check(&self.hello, &theirs) {
            return self.handle_violation(violation, now);
        }
        if let Side::Producing(producing) = &mut self.side {
            producing.open(&theirs);
        }
        self.keepalive.set_spacing(theirs.ping_interval);
        self.phase = Phase::Open;
        self.peer = Some(theirs.clone());
        (!self.settled).then_some(Event::Opened(theirs))
    }

    fn handle_open(&mut self, frame: Frame<T>, now: Instant) -> Option<Event<T>> {
        match (frame, &mut self.side) {
            (Frame::Ping { token }, _) => {
                self.slots.pong = Some(token);
                None
            }
            (Frame::Pong { token }, _) => {
                if self.keepalive.answered(token, now) {
                    return None;
                }
                let text = format!("PONG with token {token:#x}, which was not asked for");
                self.handle_violation(breach(Code::PROTOCOL, text), now)
            }
            (Frame::GoAway { code, text }, _) => {
                let said = Violation::new(code.0, bounded(text));
                self.lose(Disconnect::GoneAway(said), None, now)
            }
            (Frame::Ignored { .. }, _) => None,

            (Frame::Credit(grant), Side::Producing(producing)) => match producing.credit(grant, now) {
                Ok(grant) => {
                    // It was about the limit before.
                    self.slots.blocked = None;
                    self.close_if_done(now);
                    Some(Event::Granted(grant))
                }
                Err(violation) => self.handle_violation(violation, now),
            },
            (Frame::Cancel { code, detail, text }, Side::Producing(_)) => {
                self.settled = true;
                self.depart(Farewell::Silent, Some(now));
                Some(Event::Cancelled(Words::new(code, detail, text).into_cancel()))
            }
            (Frame::Drain, Side::Producing(producing)) => producing.drain().then_some(Event::Drain),

            (Frame::End { count, bytes }, Side::Consuming(consuming)) => {
                match consuming.end("END", count, Some(bytes)) {
                    Ok(()) => self.settle(Event::Ended { count }),
                    Err(violation) => self.handle_violation(violation, now),
                }
            }
            (Frame::Error { code, detail, count, discard, text }, Side::Consuming(consuming)) => {
                match consuming.end("ERROR", count, None) {
                    Ok(()) => self.settle(Words::new(code, detail, text).into_ending(discard)),
                    Err(violation) => self.handle_violation(violation, now),
                }
            }
            (Frame::Blocked { limit }, Side::Consuming(consuming)) => {
                (!self.settled && consuming.is_blocked_at(limit)).then_some(Event::Blocked)
            }

            (frame @ Frame::Hello(_), _) => self.handle_misplaced(&frame, "a second time", now),
            (frame, Side::Producing(_)) => self.handle_misplaced(&frame, "from a consumer", now),
            (frame, Side::Consuming(_)) => self.handle_misplaced(&frame, "from a producer", now),
        }
    }

    fn handle_misplaced(&mut self, frame: &Frame<T>, how: &str, now: Instant) -> Option<Event<T>> {
        self.handle_violation(breach(Code::STATE, format!("{} {how}", name_of(frame))), now)
    }

    /// All is said. What was on its way is let pass, but a consumer that cancelled still counts.
    fn handle_late(&mut self, frame: Frame<T>, now: Instant) -> Option<Event<T>> {
        let Side::Consuming(consuming) = &mut self.side else { return None };
        let checked = match frame {
            _ if !consuming.is_cancelled() => Ok(()),
            Frame::End { count, bytes } => consuming.end("END", count, Some(bytes)),
            Frame::Error { count, .. } => consuming.end("ERROR", count, None),
            _ => Ok(()),
        };
        checked.err().and_then(|violation| self.handle_violation(violation, now))
    }
}

impl<T> fmt::Debug for Session<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("phase", &self.phase).field("side", &self.side).field("slots", &self.slots);
        shown.field("timers", &self.timers).field("budget", &self.budget).finish_non_exhaustive()
    }
}

/// A frame's name in PROTOCOL.md.
fn name_of<T>(frame: &Frame<T>) -> &'static str {
    match frame {
        Frame::Hello(_) => "HELLO",
        Frame::Chunk { .. } => "CHUNK",
        Frame::Credit(_) => "CREDIT",
        Frame::End { .. } => "END",
        Frame::Error { .. } => "ERROR",
        Frame::Cancel { .. } => "CANCEL",
        Frame::Ping { .. } => "PING",
        Frame::Pong { .. } => "PONG",
        Frame::Blocked { .. } => "BLOCKED",
        Frame::Drain => "DRAIN",
        Frame::GoAway { .. } => "GOAWAY",
        Frame::Ignored { .. } => "an extension",
    }
}
