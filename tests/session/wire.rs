//! Two sessions back to back: a wire that takes its time, a clock that jumps to whatever is next, and of the
//! channels on both sides only what the protocol needs.

use crate::lone::{Payload, weigh};
use credit_channel::session::{Event, Session, Settings, Traffic};
use credit_channel::wire::{Frame, Grant};
use credit_channel::{Credit, Window};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

type Word = fn(&mut Session<Payload>);

enum Carried {
    Frame(Frame<Payload>),
    Eof,
}

/// One side: its session, and what is on its way to the other.
pub(crate) struct Side {
    pub(crate) session: Session<Payload>,
    pub(crate) told: Vec<Event<Payload>>,
    /// All it said, chunks too.
    pub(crate) said: Vec<Frame<Payload>>,
    wire: VecDeque<(Instant, Carried)>,
    closed: bool,
    /// When it was over.
    pub(crate) over: Option<Duration>,
}

pub(crate) struct Wire {
    pub(crate) now: Instant,
    start: Instant,
    delay: Duration,
    pub(crate) producer: Side,
    pub(crate) consumer: Side,
    /// What the producer's user sends, and how it ends.
    pub(crate) outbox: VecDeque<Payload>,
    pub(crate) last_word: Option<Word>,
    sent: Credit,
    granted: Grant,
    window: Window,
    /// How long the consumer works on a chunk.
    work: Duration,
    working: VecDeque<(Instant, Credit)>,
    released: Credit,
    pub(crate) received: Vec<Payload>,
    ended: bool,
}

impl Side {
    fn new(session: Session<Payload>) -> Self {
        Self { session, told: Vec::new(), said: Vec::new(), wire: VecDeque::new(), closed: false, over: None }
    }

    fn say(&mut self, frame: Frame<Payload>, arrives: Instant) {
        assert!(!self.closed, "{frame:?} behind the end of the stream");
        self.said.push(frame.clone());
        self.wire.push_back((arrives, Carried::Frame(frame)));
    }

    fn say_all(&mut self, now: Instant, arrives: Instant) {
        while let Some(frame) = self.session.poll_frame(now) {
            self.say(frame, arrives);
        }
    }

    /// Everything has left; the write side is closed once it is wanted.
    fn flush(&mut self, now: Instant, arrives: Instant) {
        self.session.handle_io(Traffic::default(), now);
        if self.session.wants_write_closed() && !self.closed {
            self.closed = true;
            self.wire.push_back((arrives, Carried::Eof));
        }
    }

    fn next(&self) -> Option<Instant> {
        let carried = self.wire.front().map(|(at, _)| *at);
        carried.into_iter().chain(self.session.poll_timeout()).min()
    }
}

/// Hands over what has arrived.
fn deliver(from: &mut Side, to: &mut Side, now: Instant) -> Option<Option<Event<Payload>>> {
    if from.wire.front().is_none_or(|(at, _)| *at > now) {
        return None;
    }
    Some(match from.wire.pop_front()?.1 {
        Carried::Frame(frame) => to.session.handle_frame(frame, now),
        Carried::Eof => to.session.handle_close(None, now),
    })
}

/// What a chunk costs.
pub(crate) fn cost(window: Window, payload: &Payload) -> Credit {
    let messages = u64::from(window.message_limit().is_some());
    Credit::new(messages, if window.byte_limit().is_some() { weigh(payload).max(1) } else { 0 })
}

fn plus(a: Credit, b: Credit) -> Credit {
    Credit::new(a.messages() + b.messages(), a.bytes() + b.bytes())
}

fn fits(amount: Credit, limit: Credit) -> bool {
    amount.messages() <= limit.messages() && amount.bytes() <= limit.bytes()
}

impl Wire {
    pub(crate) fn new(window: Window, delay: Duration, work: Duration) -> Self {
        Self::with(window, delay, work, Settings::default())
    }

    pub(crate) fn with(window: Window, delay: Duration, work: Duration, settings: Settings) -> Self {
        let now = Instant::now();
        Self {
            now,
            start: now,
            delay,
            producer: Side::new(Session::producer(settings.clone(), [1; 16], weigh, now)),
            consumer: Side::new(Session::consumer(settings, [2; 16], weigh, window, now)),
            outbox: VecDeque::new(),
            last_word: None,
            sent: Credit::ZERO,
            granted: Grant::default(),
            window,
            work,
            working: VecDeque::new(),
            released: Credit::ZERO,
            received: Vec::new(),
            ended: false,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.now - self.start
    }

    /// Lets so much time pass.
    pub(crate) fn run(&mut self, time: Duration) {
        let until = self.now + time;
        let mut stuck = 0;
        loop {
            self.turn();
            let nexts = [self.producer.next(), self.consumer.next(), self.working.front().map(|(at, _)| *at)];
            let next = nexts.into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= until) else { break };
            stuck = if next <= self.now { stuck + 1 } else { 0 };
            assert!(stuck < 100, "the clock stands still: {:?} {:?}", self.producer.session, self.consumer.session);
            self.now = next.max(self.now);
        }
        self.now = until;
        self.turn();
    }

    fn turn(&mut self) {
        let (now, arrives) = (self.now, self.now + self.delay);
        while let Some(event) = deliver(&mut self.producer, &mut self.consumer, now) {
            self.tell_consumer(event);
        }
        while let Some(event) = deliver(&mut self.consumer, &mut self.producer, now) {
            self.tell_producer(event);
        }
        let event = self.consumer.session.handle_timeout(now);
        self.tell_consumer(event);
        let event = self.producer.session.handle_timeout(now);
        self.tell_producer(event);
        self.finish_work();

        self.producer.say_all(now, arrives);
        self.send_chunks(arrives);
        self.producer.say_all(now, arrives);
        self.consumer.say_all(now, arrives);
        let elapsed = self.elapsed();
        for side in [&mut self.producer, &mut self.consumer] {
            side.flush(now, arrives);
            if side.session.is_over() {
                side.over.get_or_insert(elapsed);
            }
        }
    }

    fn send_chunks(&mut self, arrives: Instant) {
        while self.producer.session.may_send() {
            let Some(payload) = self.outbox.pop_front() else {
                if let Some(word) = self.last_word.take() {
                    word(&mut self.producer.session);
                }
                return;
            };
            let sent = plus(self.sent, cost(self.window, &payload));
            if !fits(sent, self.granted.limit) {
                self.outbox.push_front(payload);
                self.producer.session.blocked();
                return;
            }
            self.sent = sent;
            let frame = self.producer.session.send(payload);
            self.producer.say(frame, arrives);
        }
    }

    fn finish_work(&mut self) {
        while self.working.front().is_some_and(|(at, _)| *at <= self.now) {
            let Some((_, cost)) = self.working.pop_front() else { break };
            self.released = plus(self.released, cost);
            let window = Credit::new(self.window.message_limit().unwrap_or(0), self.window.byte_limit().unwrap_or(0));
            let books = Grant { limit: plus(self.released, window), released: self.released, window };
            self.consumer.session.grant(books);
        }
        if self.ended && self.working.is_empty() {
            self.consumer.session.finished();
        }
    }

    fn tell_consumer(&mut self, event: Option<Event<Payload>>) {
        let Some(event) = event else { return };
        match &event {
            Event::Chunk { seq, payload } => {
                assert_eq!(*seq, u64::try_from(self.received.len()).expect("few"), "out of order");
                self.working.push_back((self.now + self.work, cost(self.window, payload)));
                self.received.push(payload.clone());
                let held = self.working.iter().fold(Credit::ZERO, |sum, (_, cost)| plus(sum, *cost));
                assert!(held.messages() <= self.window.message_limit().unwrap_or(0), "more in hand than the window");
                assert!(held.bytes() <= self.window.byte_limit().unwrap_or(0), "more in hand than the window");
                return;
            }
            Event::Ended { .. } | Event::Failed { .. } | Event::Abandoned | Event::Drained => self.ended = true,
            _ => {}
        }
        self.consumer.told.push(event);
    }

    fn tell_producer(&mut self, event: Option<Event<Payload>>) {
        let Some(event) = event else { return };
        if let Event::Granted(grant) = &event {
            self.granted = *grant;
        }
        self.producer.told.push(event);
    }

    /// What the producer was told, without the grants.
    pub(crate) fn producer_told(&self) -> Vec<Event<Payload>> {
        self.producer.told.iter().filter(|event| !matches!(event, Event::Granted(_))).cloned().collect()
    }
}
