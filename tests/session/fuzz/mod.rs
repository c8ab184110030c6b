//! Arbitrary frames, commands, losses and times against both sides: 100,000 seeded sequences.
//!
//! What is asserted after every step knows nothing of how the session does it: what may be said after what,
//! what may be told after what, and that chunks come in order and within what was announced.

mod peer;
mod rng;

use crate::lone::{Lone, Payload, hello, hello_with};
use credit_channel::session::{Event, Settings, Traffic};
use credit_channel::wire::{Code, Frame, Grant, Hello, Role};
use credit_channel::{CancelReason, Credit, Disconnect, Failure, Violation, Window};
use rng::Rng;
use std::collections::BTreeMap;
use std::time::Duration;

const SEQUENCES: u64 = 100_000;
const STEPS: u64 = 30;

const ENDINGS: &str = "Ended Failed Abandoned Drained Cancelled Granted Blocked Drain GoneAway Eof Io Handshake Idle \
                       Write Progress PROTOCOL FLOW_CONTROL SEQUENCE FINAL_COUNT STATE VERSION ENHANCE_CALM";

#[test]
fn nothing_a_peer_does_in_100_000_seeded_sequences_breaks_a_rule_of_ours() {
    // The endings that were met: a change that lets every sequence end at its first step would else go unseen.
    let mut met = BTreeMap::new();
    for seed in 0..SEQUENCES {
        for role in [Role::Producer, Role::Consumer] {
            let mut run = Run::new(seed, role);
            for _ in 0..STEPS {
                run.step();
                run.check();
            }
            run.wind_up();
            if let Some(ending) = run.ending {
                *met.entry(ending).or_insert(0) += 1;
            }
        }
    }
    for ending in ENDINGS.split(' ') {
        let times = met.get(ending).copied().unwrap_or(0);
        assert!(times >= 10, "{ending} was met {times} times: {met:#?}");
    }
}

/// A side, and what an onlooker knows of it.
struct Run {
    seed: u64,
    rng: Rng,
    role: Role,
    window: Window,
    lone: Lone,
    traffic: Traffic,
    // What it said.
    said: u64,
    last_word: bool,
    silent: bool,
    token: u64,
    announced: Grant,
    // What it was sent, or sent.
    chunks: u64,
    cost: Credit,
    granted: Grant,
    // What it told.
    opened: bool,
    ended: bool,
    ending: Option<String>,
    over: bool,
}

impl Run {
    fn new(seed: u64, role: Role) -> Self {
        let mut rng = Rng(seed);
        let window = rng.window();
        let progress_timeout = rng.one_in(4).then_some(Duration::from_secs(20));
        let settings = Settings { progress_timeout, ping_seed: seed, ..Settings::default() };
        let lone = match role {
            Role::Producer => Lone::producer_with(settings),
            Role::Consumer => Lone::consumer_with(window, settings),
        };
        let mut run = Self {
            seed,
            rng,
            role,
            window,
            lone,
            traffic: Traffic::default(),
            said: 0,
            last_word: false,
            silent: false,
            token: 0,
            announced: Grant::default(),
            chunks: 0,
            cost: Credit::ZERO,
            granted: Grant::default(),
            opened: false,
            ended: false,
            ending: None,
            over: false,
        };
        // Most get through the handshake: the states behind it are the many.
        if run.rng.below(10) > 0 {
            run.drain();
            let frame = Frame::Hello(run.right_hello());
            run.hear(frame);
            if role == Role::Producer && run.rng.below(10) > 0 {
                let limit = run.limit();
                run.hear(Frame::Credit(Grant { limit, released: Credit::ZERO, window: limit }));
            }
        }
        run
    }

    fn limit(&self) -> Credit {
        Credit::new(self.window.message_limit().unwrap_or(0), self.window.byte_limit().unwrap_or(0))
    }

    fn right_hello(&self) -> Hello {
        match self.role {
            Role::Producer => hello_with(self.window),
            Role::Consumer => hello(Role::Producer),
        }
    }

    // ----- steps -----

    fn step(&mut self) {
        match self.rng.below(20) {
            0 if self.rng.one_in(40) => {
                for token in 0..25 {
                    self.hear(Frame::Ping { token });
                }
            }
            0..=8 => {
                let frame = self.frame();
                self.hear(frame);
            }
            9..=11 => self.drain(),
            12 => drop(self.poll()),
            13 => self.pass_time(),
            14 => self.io(),
            15 if self.rng.one_in(12) => self.close(),
            15 | 16 => self.send(),
            _ => self.command(),
        }
    }

    fn hear(&mut self, frame: Frame<Payload>) {
        let event = self.lone.hear(frame);
        self.told(event);
    }

    fn drain(&mut self) {
        let mut count = 0;
        while self.poll().is_some() {
            count += 1;
        }
        assert!(count <= 9, "{}: {count} frames were kept", self.seed);
    }

    fn poll(&mut self) -> Option<()> {
        let frame = self.lone.session.poll_frame(self.lone.now)?;
        self.note_said(&frame);
        Some(())
    }

    fn pass_time(&mut self) {
        let most = if self.rng.one_in(8) { 100_000 } else { 6_000 };
        self.lone.now += Duration::from_millis(self.rng.below(most));
        let event = self.lone.session.handle_timeout(self.lone.now);
        self.told(event);
    }

    fn io(&mut self) {
        self.traffic.read += self.rng.below(2);
        self.traffic.written += self.rng.below(2);
        self.traffic.frame_begun = self.rng.one_in(2);
        self.traffic.writes_pending = self.rng.one_in(2);
        self.lone.session.handle_io(self.traffic, self.lone.now);
    }

    fn close(&mut self) {
        let now = self.lone.now;
        let violation = || Violation::new(Code::FRAME_SIZE.0, "no frame");
        let event = match self.rng.below(4) {
            0 | 1 => self.lone.session.handle_close(None, now),
            2 => self.lone.session.handle_close(Some(std::io::ErrorKind::BrokenPipe.into()), now),
            _ if self.rng.one_in(2) => self.lone.session.handle_violation(violation(), now),
            _ => self.lone.session.handle_stranger(violation()),
        };
        self.told(event);
    }

    fn send(&mut self) {
        let payload = self.rng.payload();
        let cost = self.plus_chunk(&payload);
        if self.lone.session.may_send() && fits(cost, self.granted.limit) {
            self.cost = cost;
            let frame = self.lone.session.send(payload);
            assert!(matches!(frame, Frame::Chunk { seq, .. } if seq == self.chunks), "{}: {frame:?}", self.seed);
            self.chunks += 1;
            self.note_said(&frame);
        }
    }

    fn command(&mut self) {
        let more = self.limit();
        let session = &mut self.lone.session;
        match self.rng.below(10) {
            0 => session.end(),
            1 => session.fail(&Failure::new("x"), self.rng.one_in(2)),
            2 if self.rng.one_in(3) => session.abandon(),
            3 if self.rng.one_in(3) => session.drained(),
            4 => session.blocked(),
            5 => session.drain(),
            6 => session.finished(),
            7 if self.rng.one_in(3) => {
                session.cancel(&CancelReason::Requested);
                // Whether or not there was anything left to stop: a consumer hears nothing more.
                self.ended |= self.role == Role::Consumer;
            }
            8 if self.rng.one_in(10) => {
                session.close(Violation::new(Code::INTERNAL.0, "x"));
                self.ended = true;
            }
            _ => {
                let (messages, bytes) = (self.rng.below(3) * more.messages(), self.rng.below(3) * more.bytes());
                let limit = Credit::new(messages.max(more.messages()), bytes.max(more.bytes()));
                session.grant(Grant { limit, released: self.cost, window: more });
            }
        }
    }

    // ----- what may be said -----

    fn note_said(&mut self, frame: &Frame<Payload>) {
        let seed = self.seed;
        assert!(!self.silent && !self.over, "{seed}: {frame:?} after all was said");
        assert_eq!(self.said == 0, matches!(frame, Frame::Hello(_)), "{seed}: {frame:?} as frame {}", self.said);
        self.said += 1;
        match frame {
            Frame::Hello(_) | Frame::Pong { .. } => {}
            Frame::Ping { token } => self.token = *token,
            Frame::GoAway { text, .. } => {
                assert!(text.len() <= 4_096);
                self.silent = true;
            }
            Frame::Cancel { .. } if self.role == Role::Consumer => self.silent = true,
            Frame::Credit(grant) if self.role == Role::Consumer => {
                let back = !fits(self.announced.limit, grant.limit) || !fits(self.announced.released, grant.released);
                assert!(!back, "{seed}: {grant:?} after {:?}", self.announced);
                self.announced = *grant;
            }
            Frame::Drain if self.role == Role::Consumer => {}
            Frame::Chunk { .. } | Frame::Blocked { .. } if self.role == Role::Producer => {
                assert!(!self.last_word, "{seed}: {frame:?} after the last word");
            }
            Frame::End { count, .. } | Frame::Error { count, .. } if self.role == Role::Producer => {
                assert!(!self.last_word, "{seed}: a second last word");
                assert_eq!(*count, self.chunks, "{seed}");
                self.last_word = true;
            }
            _ => panic!("{seed}: {frame:?} from a {:?}", self.role),
        }
    }

    // ----- what may be told -----

    fn told(&mut self, event: Option<Event<Payload>>) {
        let Some(event) = event else { return };
        let seed = self.seed;
        assert!(!self.ended && !self.over, "{seed}: {event:?} after the end");
        let first = !std::mem::replace(&mut self.opened, true);
        match &event {
            Event::Lost(lost) => self.ending = Some(name(lost)),
            Event::Opened(_) => {
                assert!(first, "{seed}: opened twice");
                return;
            }
            _ => assert!(!first, "{seed}: {event:?} before it was open"),
        }
        if !matches!(event, Event::Lost(_) | Event::Chunk { .. }) {
            self.ending = format!("{event:?}").split([' ', '(']).next().map(str::to_owned);
        }
        match (event, self.role) {
            (Event::Chunk { seq, payload }, Role::Consumer) => {
                assert_eq!(seq, self.chunks, "{seed}: out of order");
                self.chunks += 1;
                self.cost = self.plus_chunk(&payload);
                assert!(fits(self.cost, self.announced.limit), "{seed}: beyond what was announced");
            }
            (Event::Blocked, Role::Consumer) | (Event::Drain, Role::Producer) => {}
            (Event::Granted(grant), Role::Producer) => {
                assert!(fits(self.granted.limit, grant.limit) && fits(self.granted.released, grant.released), "{seed}");
                assert!(fits(grant.released, self.cost) && fits(self.cost, grant.limit), "{seed}");
                self.granted = grant;
            }
            (Event::Ended { count }, Role::Consumer) => {
                assert_eq!(count, self.chunks, "{seed}");
                self.ended = true;
            }
            (Event::Failed { .. } | Event::Abandoned | Event::Drained, Role::Consumer)
            | (Event::Cancelled(_), Role::Producer)
            | (Event::Lost(_), _) => self.ended = true,
            (event, role) => panic!("{seed}: {event:?} told to a {role:?}"),
        }
    }

    // ----- always -----

    fn check(&mut self) {
        let (session, seed) = (&self.lone.session, self.seed);
        assert!(!self.over || session.is_over(), "{seed}: over, and then not");
        self.over = session.is_over();
        if self.over {
            assert_eq!(session.poll_timeout(), None, "{seed}");
            assert!(session.wants_write_closed(), "{seed}");
        }
        if session.wants_write_closed() {
            assert!(!session.may_send(), "{seed}");
            self.silent = true;
        }
    }

    /// Whatever the state: with the peer gone and all flushed it is over, after its last words at the latest.
    fn wind_up(&mut self) {
        self.check();
        let event = self.lone.session.handle_close(None, self.lone.now);
        self.told(event);
        self.lone.session.finished();
        self.drain();
        self.lone.session.handle_io(Traffic::default(), self.lone.now);
        assert!(self.lone.session.is_over(), "{}: {:?}", self.seed, self.lone.session);
        self.check();
        let event = self.lone.hear(Frame::Ping { token: 1 });
        self.told(event);
        self.drain();
    }

    fn plus_chunk(&self, payload: &Payload) -> Credit {
        let cost = crate::wire::cost(self.window, payload);
        Credit::new(self.cost.messages() + cost.messages(), self.cost.bytes() + cost.bytes())
    }
}

fn name(lost: &Disconnect) -> String {
    match lost {
        Disconnect::Violation(violation) => Code(violation.code()).to_string(),
        Disconnect::Timeout(timeout) => format!("{timeout:?}"),
        Disconnect::GoneAway(_) => "GoneAway".to_owned(),
        Disconnect::Io(_) => "Io".to_owned(),
        lost => format!("{lost:?}"),
    }
}

fn fits(amount: Credit, limit: Credit) -> bool {
    amount.messages() <= limit.messages() && amount.bytes() <= limit.bytes()
}
