//! Two sessions and their users, all honest, over a connection that is not: it carries a few bytes at a time, whenever
//! it likes, loses all that is under way, and says so late.

mod end;
mod users;

use self::end::{End, Wire};
use self::users::{Consumer, Producer};
use super::super::input::Input;
use super::setup::{later, ring, settings, window};
use super::watch::{Amount, Ending, amounts};
use credit_channel::session::Session;
use credit_channel::wire::Role;
use credit_channel::{Disconnect, Window};
use std::time::Instant;

pub(super) fn run(input: &mut Input<'_>) {
    let mut pair = Pair::new(input);
    let winds_up = input.below(8) < 7;
    // A peer is told off for more CREDIT than its work is worth, so that nobody sends so many.
    while !input.is_empty() && pair.right.watch.credits < 700 {
        pair.step(input);
        pair.check();
    }
    if winds_up {
        pair.wind_up(input.yes());
    }
}

struct Pair {
    /// The producer's end, and the consumer's.
    left: End,
    right: End,
    to_right: Wire,
    to_left: Wire,
    producer: Producer,
    consumer: Consumer,
    now: Instant,
    cut: bool,
}

impl Pair {
    fn new(input: &mut Input<'_>) -> Self {
        let now = Instant::now();
        let (ours, theirs, window) = (settings(input), settings(input), window(input));
        let weigh = |payload: &bytes::Bytes| super::watch::Load::weight(payload);
        let counted = [window.message_limit().is_some(), window.byte_limit().is_some()];
        let (left_max, right_max) = (ours.max_frame, theirs.max_frame);
        let left = Session::producer(ours, [1; 16], weigh, now);
        let right = Session::consumer(theirs, [2; 16], weigh, window, now);
        Self {
            left: End::new(left, Role::Producer, counted, left_max),
            right: End::new(right, Role::Consumer, counted, right_max),
            to_right: Wire::default(),
            to_left: Wire::default(),
            producer: Producer::default(),
            consumer: Consumer::new(window, counted),
            now,
            cut: false,
        }
    }

    fn step(&mut self, input: &mut Input<'_>) {
        match input.below(16) {
            0 | 1 => self.producer.accept(usize::from(input.byte() % 32)),
            2 => self.producer.intend(input),
            3 | 4 => self.consumer.release(input.byte()),
            5 => self.consumer.report(&mut self.right),
            6 => self.consumer.decide(&mut self.right, input),
            7 | 8 => self.write_left(),
            9 => self.write_right(),
            10 => self.left.flush(&mut self.to_right, input.byte(), self.now),
            11 => self.right.flush(&mut self.to_left, input.byte(), self.now),
            12 => self.deliver_right(input.byte()),
            13 => self.deliver_left(input.byte()),
            14 => self.pass_time(input),
            _ => match input.byte() {
                0xFF => self.cut(true),
                0xFE => self.cut(false),
                0xFD => self.left.fail(self.now),
                0xFC => self.right.fail(self.now),
                0xFB => self.left.close(),
                0xFA => self.right.close(),
                _ => self.everything(),
            },
        }
    }

    // ----- what happens -----

    fn write_left(&mut self) {
        self.left.write_control(self.now);
        self.producer.send(&mut self.left);
        self.left.write_control(self.now);
    }

    fn write_right(&mut self) {
        self.consumer.finish(&mut self.right);
        self.right.write_control(self.now);
    }

    fn deliver_left(&mut self, most: u8) {
        for event in self.left.read(&mut self.to_left, most, self.now) {
            self.producer.hears(event);
        }
    }

    fn deliver_right(&mut self, most: u8) {
        for event in self.right.read(&mut self.to_right, most, self.now) {
            self.consumer.hears(event, &self.producer);
        }
    }

    fn pass_time(&mut self, input: &mut Input<'_>) {
        let due = [self.left.session.poll_timeout(), self.right.session.poll_timeout()];
        self.now = later(input, self.now, due.into_iter().flatten().min());
        for end in [&mut self.left, &mut self.right] {
            if end.session.poll_timeout().is_some_and(|at| at <= self.now) {
                ring(&mut end.session, &mut end.watch, self.now);
                if end.watch.ended {
                    // It may have given up without a word to its channel: then its GOAWAY is how it is known.
                    end.write_control(self.now);
                }
            }
        }
    }

    /// All that is under way is lost, and both ends see it when they read; or what is under way arrives.
    fn cut(&mut self, loses: bool) {
        self.cut = true;
        self.to_left.cut(loses);
        self.to_right.cut(loses);
    }

    /// One turn of a connection that is quick.
    fn everything(&mut self) {
        self.write_left();
        self.left.flush(&mut self.to_right, u8::MAX, self.now);
        self.deliver_right(u8::MAX);
        self.write_right();
        self.right.flush(&mut self.to_left, u8::MAX, self.now);
        self.deliver_left(u8::MAX);
    }

    // ----- what holds -----

    fn check(&mut self) {
        for end in [&mut self.left, &mut self.right] {
            end.watch.check(&mut end.session, self.now);
        }
        let (left, right) = (&self.left.watch, &self.right.watch);
        let sent = left.cost;
        assert!(left.chunks == 0 || left.fits(sent, self.consumer.books().limit), "I1: more than the books allow");
        let within = |amount: Amount, most: Amount| amount[0] <= most[0] && amount[1] <= most[1];
        assert!(within(right.cost, sent), "I6: more came than was sent");
        let known = amounts(left.grant.released);
        assert!(within(known, self.consumer.released), "I2: more is known to be released than was");
        assert!(within(self.consumer.released, right.cost), "I2: more was released than came");
        self.check_endings();
    }

    /// I8: each side is told what the other said, or why it is cut off; and that no honest side broke a rule.
    fn check_endings(&self) {
        for (end, other, wire) in [(&self.left, &self.right, &self.to_left), (&self.right, &self.left, &self.to_right)]
        {
            match &end.watch.ending {
                Some(Ending::Lost(Disconnect::GoneAway(said))) => {
                    assert_eq!(other.watch.goaway, Some(said.code()), "{said:?}");
                }
                Some(Ending::Lost(Disconnect::Eof)) => assert!(wire.is_over(), "an end that nobody made"),
                Some(Ending::Lost(Disconnect::Io(_))) => assert!(end.failed),
                Some(Ending::Lost(Disconnect::Timeout(_))) | None => {}
                Some(Ending::Lost(why)) => panic!("{why:?}: {:?} and {:?}", end.session, other.session),
                Some(Ending::Cancelled(reason)) => self.consumer.assert_said(reason),
                Some(ending) => {
                    assert_eq!(Some(ending), self.producer.said(self.left.watch.chunks).as_ref());
                    assert_eq!(end.watch.chunks, other.watch.chunks, "all that was sent came");
                }
            }
        }
    }

    /// Everybody does what is theirs to do, and nobody is slow: then it ends, with no help of a timer.
    fn wind_up(&mut self, cancels: bool) {
        // No time passes from here on: what was well stays well.
        let quiet = self.is_untroubled();
        if cancels {
            self.consumer.cancel(&mut self.right, credit_channel::CancelReason::Shutdown);
        }
        self.producer.intend_end();
        for _ in 0..400 {
            self.everything();
            self.consumer.release_all();
            self.consumer.report(&mut self.right);
            self.check();
            if self.left.session.is_over() && self.right.session.is_over() {
                break;
            }
        }
        if self.cut {
            // An end that has ended may still work; what it writes goes nowhere.
            self.left.fail(self.now);
            self.right.fail(self.now);
        }
        self.check();
        assert!(
            self.left.session.is_over() && self.right.session.is_over(),
            "I4, I5: {:?}\n{:?}\n{:?}\n{:?}",
            self.left,
            self.right,
            self.producer,
            self.consumer
        );
        if quiet {
            self.assert_clean();
        }
    }

    /// Nothing went wrong that is not one of the two users' doing, and nobody was given up before all had arrived.
    fn is_untroubled(&self) -> bool {
        let lost = |end: &End| {
            matches!(end.watch.ending, Some(Ending::Lost(_))) || end.watch.goaway.is_some() || end.session.is_over()
        };
        !self.cut && ![&self.left, &self.right].into_iter().any(|end| lost(end) || end.failed || end.closed)
    }

    fn assert_clean(&self) {
        let (left, right) = (&self.left.watch, &self.right.watch);
        // A CANCEL that was not written before the producer was through is not missed by it.
        let cut_short = self.left.session.cut_short().or_else(|| self.right.session.cut_short());
        assert!(cut_short.is_none() || self.consumer.cancelled.is_some(), "{cut_short:?}");
        match (&left.ending, &right.ending) {
            (Some(Ending::Cancelled(_)), _) => {}
            // It came when all was said, and done.
            (None, None) if self.consumer.cancelled.is_some() => assert!(left.last_word),
            (None, Some(Ending::Ended(_))) => {
                assert_eq!(left.chunks, right.chunks);
                assert_eq!(left.cost, amounts(left.grant.released), "I3: all came home");
                let [limit, released, window] = [left.grant.limit, left.grant.released, left.grant.window].map(amounts);
                assert_eq!(released, self.consumer.released);
                assert!((0..2).all(|unit| limit[unit] - released[unit] >= window[unit]), "I3: the whole window");
            }
            // After an error nobody waits for the work.
            (None, Some(Ending::Failed(..) | Ending::Abandoned | Ending::Drained)) => {
                assert_eq!(left.chunks, right.chunks)
            }
            endings => panic!("{endings:?}: {:?} {:?}", self.left, self.right),
        }
    }
}

/// A window of the same units, and another size.
fn resized(window: Window, input: &mut Input<'_>) -> Window {
    let (messages, bytes) = (1 + u64::from(input.below(12)), 1 + u64::from(input.byte()));
    match (window.message_limit(), window.byte_limit()) {
        (Some(_), Some(_)) => Window::messages(messages).and_bytes(bytes),
        (Some(_), None) => Window::messages(messages),
        _ => Window::bytes(bytes),
    }
}
