//! The receiving end: frames become chunks, and finished work becomes CREDIT.

use super::link::Link;
use super::pump::{Side, give_a_turn};
use super::wrap::Wrap;
use crate::CancelReason;
use crate::channel::{Inlet, Way};
use crate::session::{Event, Session};
use crate::wire::Grant;
use std::mem;
use std::task::Context;

/// The channel at the receiving end.
pub(super) struct Consuming<T, W> {
    inlet: Inlet<T>,
    wrap: W,
    ended: bool,
    /// CREDIT is due, and goes out with what one more turn of the runtime brings.
    waits_a_turn: bool,
}

impl<T, W> Consuming<T, W> {
    pub(super) fn new(inlet: Inlet<T>, wrap: W) -> Self {
        Self { inlet, wrap, ended: false, waits_a_turn: false }
    }
}

impl<T, W, L> Side<L> for Consuming<T, W>
where
    L: Link,
    W: Wrap<T, Payload = L::Payload>,
{
    fn poll_local(&mut self, session: &mut Session<L::Payload>, cx: &mut Context<'_>) {
        // After the end there is nothing more to wait for.
        let turn_passed = mem::take(&mut self.waits_a_turn) || self.ended;
        let way = Way { round_trip: session.round_trip(), used_up: session.times_used_up() };
        let news = self.inlet.poll_news(turn_passed, way, cx);
        if news.measure {
            session.measure_round_trips();
        }
        if news.next_turn {
            self.waits_a_turn = true;
            give_a_turn(cx);
        }
        if let Some(books) = news.books {
            session.grant(Grant { limit: books.limit, released: books.released, window: books.window });
        }
        match news.stop {
            None => {}
            Some(CancelReason::Drained) => session.drain(),
            Some(reason) => session.cancel(&reason),
        }
        if self.ended && news.done {
            session.finished();
        }
    }

    #[inline(always)]
    fn on_chunk(&mut self, seq: u64, payload: L::Payload, session: &mut Session<L::Payload>) {
        let bytes = W::length(&payload);
        match self.wrap.unwrap(payload) {
            Ok(value) => self.inlet.push(value, bytes),
            Err(text) => {
                session.undecodable(seq, &text);
                self.inlet.undecodable(seq, text);
            }
        }
    }

    fn on_event(&mut self, event: Event<L::Payload>, session: &mut Session<L::Payload>) {
        match event {
            Event::Chunk { seq, payload } => Side::<L>::on_chunk(self, seq, payload, session),
            Event::Ended { count } => {
                self.ended = true;
                self.inlet.end(count);
            }
            Event::Failed { failure, discard } => {
                self.ended = true;
                self.inlet.fail(failure, discard);
            }
            Event::Abandoned => {
                self.ended = true;
                self.inlet.abandon();
            }
            Event::Drained => {
                self.ended = true;
                self.inlet.drained();
            }
            Event::Blocked => self.inlet.blocked(),
            Event::Lost(reason) => self.inlet.lose(reason),
            // The rest is for a producer.
            _ => {}
        }
    }

    fn settle(&mut self) {
        self.inlet.hand_over();
    }
}
