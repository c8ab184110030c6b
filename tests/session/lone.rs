//! One session alone, with the test as its peer and its clock.

use credit_channel::session::{Event, Session, Settings, Traffic};
use credit_channel::wire::{Code, Frame, Grant, Hello, Role, Units, Version};
use credit_channel::{Credit, Disconnect, Timeout, Window};
use std::time::{Duration, Instant};

pub(crate) type Payload = Vec<u8>;

/// What a payload weighs.
pub(crate) fn weigh(payload: &Payload) -> u64 {
    u64::try_from(payload.len()).expect("a short payload")
}

pub(crate) fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A grant in messages.
pub(crate) fn grant(limit: u64, released: u64, window: u64) -> Grant {
    let messages = |n| Credit::new(n, 0);
    Grant { limit: messages(limit), released: messages(released), window: messages(window) }
}

pub(crate) fn chunk(seq: u64) -> Frame<Payload> {
    Frame::Chunk { seq, payload: vec![7; 3] }
}

pub(crate) fn end(count: u64) -> Frame<Payload> {
    Frame::End { count, bytes: 0 }
}

/// An ERROR with nothing but this code.
pub(crate) fn error(code: Code, count: u64) -> Frame<Payload> {
    Frame::Error { code, detail: 0, count, discard: false, text: String::new() }
}

/// A CANCEL with nothing but this code.
pub(crate) fn cancel(code: Code) -> Frame<Payload> {
    Frame::Cancel { code, detail: 0, text: String::new() }
}

/// A HELLO as a peer of this role says it: it counts both units, or has a window of 4 messages, and never gives up.
pub(crate) fn hello(role: Role) -> Hello {
    let window = if role == Role::Consumer { Credit::new(4, 0) } else { Credit::ZERO };
    Hello {
        version: Version::CURRENT,
        role,
        units: Units { messages: true, bytes: role == Role::Producer },
        features: 0,
        max_frame: 65_536,
        idle_timeout: secs(0),
        ping_interval: secs(1),
        window,
        session: [9; 16],
    }
}

/// The HELLO of a consumer with this window.
pub(crate) fn hello_with(window: Window) -> Hello {
    let units = Units { messages: window.message_limit().is_some(), bytes: window.byte_limit().is_some() };
    let window = Credit::new(window.message_limit().unwrap_or(0), window.byte_limit().unwrap_or(0));
    Hello { units, window, ..hello(Role::Consumer) }
}

#[derive(Debug)]
pub(crate) struct Lone {
    pub(crate) session: Session<Payload>,
    pub(crate) now: Instant,
    start: Instant,
}

impl Lone {
    pub(crate) fn producer() -> Self {
        Self::producer_with(Settings::default())
    }

    pub(crate) fn producer_with(settings: Settings) -> Self {
        let now = Instant::now();
        Self { session: Session::producer(settings, [1; 16], weigh, now), now, start: now }
    }

    pub(crate) fn consumer(window: Window) -> Self {
        Self::consumer_with(window, Settings::default())
    }

    pub(crate) fn consumer_with(window: Window, settings: Settings) -> Self {
        let now = Instant::now();
        Self { session: Session::consumer(settings, [2; 16], weigh, window, now), now, start: now }
    }

    /// A producer that may send as much as a window of 4 messages allows.
    pub(crate) fn granted_producer() -> Self {
        Self::granted_producer_with(Settings::default())
    }

    pub(crate) fn granted_producer_with(settings: Settings) -> Self {
        let mut lone = Self::producer_with(settings).introduced(hello(Role::Consumer));
        assert_eq!(lone.hear(Frame::Credit(grant(4, 0, 4))), Some(Event::Granted(grant(4, 0, 4))));
        lone
    }

    /// A consumer with a window of 4 messages, announced.
    pub(crate) fn open_consumer() -> Self {
        Self::open_consumer_with(Settings::default())
    }

    pub(crate) fn open_consumer_with(settings: Settings) -> Self {
        Self::consumer_with(Window::messages(4), settings).introduced(hello(Role::Producer))
    }

    /// Says its HELLO and what follows, and hears the peer's.
    pub(crate) fn introduced(mut self, hello: Hello) -> Self {
        self.said();
        assert_eq!(self.hear(Frame::Hello(hello.clone())), Some(Event::Opened(hello)));
        self
    }

    pub(crate) fn hear(&mut self, frame: Frame<Payload>) -> Option<Event<Payload>> {
        self.session.handle_frame(frame, self.now)
    }

    /// Hears a frame that breaks a rule: the code and the text that both its own channel and the peer are told.
    pub(crate) fn refuses(&mut self, frame: Frame<Payload>) -> (Code, String) {
        let shown = format!("{frame:?}");
        let event = self.hear(frame);
        let Some(Event::Lost(Disconnect::Violation(violation))) = event else {
            panic!("{shown} was not refused: {event:?}")
        };
        let (code, text) = self.goaway();
        assert_eq!((code, text.as_str()), (Code(violation.code()), violation.text()));
        assert!(self.session.wants_write_closed());
        (code, text)
    }

    /// Everything it has to say, which is a GOAWAY.
    pub(crate) fn goaway(&mut self) -> (Code, String) {
        let said = self.said();
        let [Frame::GoAway { code, text }] = &said[..] else { panic!("no GOAWAY: {said:?}") };
        (*code, text.clone())
    }

    /// All that it has to say now.
    pub(crate) fn said(&mut self) -> Vec<Frame<Payload>> {
        std::iter::from_fn(|| self.session.poll_frame(self.now)).collect()
    }

    /// What it said has left.
    pub(crate) fn flushed(&mut self) {
        self.session.handle_io(Traffic::default(), self.now);
    }

    pub(crate) fn send(&mut self) -> Frame<Payload> {
        assert!(self.session.may_send());
        self.session.send(vec![7; 3])
    }

    pub(crate) fn eof(&mut self) -> Option<Event<Payload>> {
        self.session.handle_close(None, self.now)
    }

    /// Lets so much time pass, comes whenever it is asked to, and gives back what it said and told, and when
    /// since the start.
    pub(crate) fn wait(&mut self, time: Duration) -> Vec<(Duration, Happened)> {
        let until = self.now + time;
        let said: Vec<_> =
            self.said().into_iter().map(|frame| (self.now - self.start, Happened::Said(frame))).collect();
        let mut happened = said;
        loop {
            let due = self.session.poll_timeout().filter(|at| *at <= until);
            self.now = due.unwrap_or(until).max(self.now);
            if let Some(event) = self.session.handle_timeout(self.now) {
                happened.push((self.now - self.start, Happened::Told(event)));
            }
            while let Some(frame) = self.session.poll_frame(self.now) {
                happened.push((self.now - self.start, Happened::Said(frame)));
            }
            if due.is_none() {
                return happened;
            }
            assert!(self.session.poll_timeout() != due, "the timer at {due:?} went off and is still there");
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Said(Frame<Payload>),
    Told(Event<Payload>),
}

/// What happens when a time is up: the channel is told, and so is the peer.
pub(crate) fn timed_out(timeout: Timeout, code: Code, text: &str) -> [Happened; 2] {
    [
        Happened::Told(Event::Lost(Disconnect::Timeout(timeout))),
        Happened::Said(Frame::GoAway { code, text: text.to_owned() }),
    ]
}
