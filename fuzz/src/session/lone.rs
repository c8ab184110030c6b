//! One session and a peer that says anything.

use super::super::input::Input;
use super::setup::{drain, later, ring, settings, wait_for_ever, window};
use super::verdict::{Verdict, verdict};
use super::watch::{Load, Watch, amounts, units};
use credit_channel::session::{Event, Session, Traffic};
use credit_channel::wire::{Code, Frame, Grant, Hello, Role, Units, Version};
use credit_channel::{CancelReason, Credit, Disconnect, Failure, Violation, Window};
use std::time::{Duration, Instant};

/// A payload is a weight and no more: it may be any.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weight(pub(super) u64);

impl Load for Weight {
    fn weight(&self) -> u64 {
        self.0
    }
}

pub(super) fn run(role: Role, input: &mut Input<'_>) {
    let mut lone = Lone::new(role, input);
    while !input.is_empty() {
        lone.step(input);
        let now = lone.now;
        lone.watch.check(&mut lone.session, now);
    }
    lone.wind_up();
}

pub(super) struct Lone {
    pub(super) session: Session<Weight>,
    pub(super) watch: Watch,
    pub(super) now: Instant,
    pub(super) window: Window,
    /// A producer that cannot count bytes.
    pub(super) unweighed: bool,
    /// What the peer's frames cost, at most.
    pub(super) spent: u32,
    pub(super) closed: bool,
    traffic: Traffic,
}

impl Lone {
    fn new(role: Role, input: &mut Input<'_>) -> Self {
        let now = Instant::now();
        let (settings, window) = (settings(input), window(input));
        let unweighed = role == Role::Producer && input.below(8) == 7;
        let session = match role {
            Role::Producer if unweighed => Session::unweighed_producer(settings, [1; 16], now),
            Role::Producer => Session::producer(settings, [1; 16], Weight::weight, now),
            Role::Consumer => Session::consumer(settings, [2; 16], Weight::weight, window, now),
        };
        let counted = [window.message_limit().is_some(), window.byte_limit().is_some()];
        let watch = Watch::new(role, if role == Role::Consumer { counted } else { [false; 2] });
        let traffic = Traffic::default();
        let mut lone = Self { session, watch, now, window, unweighed, spent: 0, closed: false, traffic };
        // Most get through the handshake: the states behind it are the many.
        if input.below(8) < 7 {
            drain(&mut lone.session, &mut lone.watch, now);
            lone.hear(Frame::Hello(lone.right_hello()));
            if role == Role::Producer && lone.watch.opened && input.below(8) < 7 {
                let limit = lone.limit();
                lone.hear(Frame::Credit(Grant { limit, released: Credit::ZERO, window: limit }));
            }
        }
        lone
    }

    pub(super) fn limit(&self) -> Credit {
        Credit::new(self.window.message_limit().unwrap_or(0), self.window.byte_limit().unwrap_or(0))
    }

    /// The HELLO of a peer that fits.
    pub(super) fn right_hello(&self) -> Hello {
        let consumer = self.watch.role == Role::Producer;
        let counted = Units {
            messages: !consumer || self.window.message_limit().is_some(),
            bytes: !consumer || self.window.byte_limit().is_some(),
        };
        Hello {
            version: Version::CURRENT,
            role: if consumer { Role::Consumer } else { Role::Producer },
            units: counted,
            features: 0,
            max_frame: 65_536,
            idle_timeout: Duration::from_secs(30),
            ping_interval: Duration::from_secs(1),
            window: if consumer { self.limit() } else { Credit::ZERO },
            session: [9; 16],
        }
    }

    // ----- steps -----

    fn step(&mut self, input: &mut Input<'_>) {
        match input.below(16) {
            0..=6 => {
                let frame = self.frame(input);
                self.hear(frame);
            }
            7 | 8 => drain(&mut self.session, &mut self.watch, self.now),
            9 => {
                if let Some(frame) = self.session.poll_frame(self.now) {
                    self.watch.said(&frame);
                }
            }
            10 => {
                self.now = later(input, self.now, self.session.poll_timeout());
                ring(&mut self.session, &mut self.watch, self.now);
            }
            11 => {
                let bits = input.byte();
                self.traffic.read += u64::from(bits & 1);
                self.traffic.written += u64::from(bits >> 1 & 1);
                self.traffic.frame_begun = bits & 4 != 0;
                self.traffic.writes_pending = bits & 8 != 0;
                self.session.handle_io(self.traffic, self.now);
            }
            12 => self.close(input),
            13 => self.send(input),
            _ => self.command(input),
        }
    }

    fn hear(&mut self, frame: Frame<Weight>) {
        let expected = verdict(self, &frame);
        self.spent += if matches!(frame, Frame::Ping { .. }) { 50 } else { 1 };
        let listens = self.is_open() || expected != Verdict::Unknown;
        match frame {
            Frame::Ping { token } if listens => self.watch.owed = Some(token),
            Frame::Pong { .. } if listens => self.watch.asked = None,
            _ => {}
        }
        let event = self.session.handle_frame(frame.clone(), self.now);
        if let Some(event) = &event {
            self.watch.told(event);
        }
        assert!(expected.allows(event.as_ref()), "{frame:?} made it {event:?}: {expected:?}, {:?}", self.session);
        if let (Verdict::Refused(_), Some(Event::Lost(Disconnect::Violation(why)))) = (&expected, &event) {
            self.is_refused(why);
        }
    }

    /// It knows its peer, and has not said that it is through.
    fn is_open(&self) -> bool {
        self.session.peer().is_some() && !self.session.wants_write_closed()
    }

    /// The peer is told the same as the channel, and nothing more. (HELLO before it, if it was not said.)
    fn is_refused(&mut self, why: &Violation) {
        drain(&mut self.session, &mut self.watch, self.now);
        assert_eq!(self.watch.goaway, Some(why.code()), "{why:?}: {:?}", self.session);
        assert!(self.session.wants_write_closed());
    }

    fn close(&mut self, input: &mut Input<'_>) {
        let violation = || Violation::new(Code::FRAME_SIZE.0, "no frame");
        let event = match input.byte() {
            0xE0..=0xEF => self.session.handle_close(None, self.now),
            0xF0..=0xF5 => self.session.handle_close(Some(std::io::ErrorKind::BrokenPipe.into()), self.now),
            0xF6..=0xFA => self.session.handle_violation(violation(), self.now),
            0xFB..=0xFF => self.session.handle_stranger(violation()),
            _ => return,
        };
        self.closed = true;
        if let Some(event) = event {
            self.watch.told(&event);
        }
    }

    fn send(&mut self, input: &mut Input<'_>) {
        let payload = Weight(u64::from(input.byte()));
        let cost = self.watch.plus(payload.0);
        if self.session.may_send() && self.watch.fits(cost, self.watch.grant.limit) {
            let frame = self.session.send(payload);
            self.watch.said(&frame);
        }
    }

    fn command(&mut self, input: &mut Input<'_>) {
        let window = self.limit();
        let session = &mut self.session;
        match input.below(16) {
            0 => session.end(),
            1 => session.fail(&Failure::new("x".repeat(usize::from(input.byte()) * 32)), input.yes()),
            2 => session.abandon(),
            3 => session.drained(),
            4 | 5 => session.blocked(),
            6 => session.drain(),
            7 | 8 => session.finished(),
            9 => {
                session.cancel(&CancelReason::HandlerError("ü".repeat(usize::from(input.byte()) * 16).into()));
                self.watch.ended |= self.watch.role == Role::Consumer;
            }
            10 => {
                session.close(Violation::new(Code::INTERNAL.0, "ü".repeat(usize::from(input.byte()) * 16)));
                self.watch.ended = true;
            }
            _ => {
                // Newer books, or older ones.
                let [messages, bytes] = amounts(window).map(|limit| limit * u64::from(input.below(5)));
                let limit = Credit::new(messages, bytes);
                let released =
                    if input.yes() { Credit::new(self.watch.cost[0], self.watch.cost[1]) } else { Credit::ZERO };
                session.grant(Grant { limit, released, window });
            }
        }
    }

    /// Whatever the state: with the peer gone and all flushed it is over, after its last words at the latest.
    fn wind_up(mut self) {
        self.watch.check(&mut self.session, self.now);
        if !self.closed {
            // One whose peer stays silent waits for nothing in the end, or for its user.
            self.now = wait_for_ever(&mut self.session, &mut self.watch, self.now);
        }
        if let Some(event) = self.session.handle_close(None, self.now) {
            self.watch.told(&event);
        }
        self.session.finished();
        drain(&mut self.session, &mut self.watch, self.now);
        self.session.handle_io(Traffic::default(), self.now);
        assert!(self.session.is_over(), "{:?}", self.session);
        self.watch.check(&mut self.session, self.now);
        let late = self.session.handle_frame(Frame::Ping { token: 1 }, self.now);
        assert!(late.is_none() && self.session.poll_frame(self.now).is_none());
    }

    pub(super) fn peer_units(&self, hello: &Hello) -> [bool; 2] {
        if hello.role == Role::Consumer { units(hello) } else { self.watch.counted }
    }
}
