//! What the channel asks of a session.
//!
//! A command that comes too late, because the channel has ended or stopped meanwhile, is ignored, and so is
//! one that is the other side's.

use super::machine::{Farewell, Phase, Session, Side};
use super::producing::Producing;
use super::reasons::Words;
use super::slots::Terminal;
use crate::wire::{Code, Frame, Grant};
use crate::{CancelReason, Failure, Violation};

/// For a producer.
impl<T> Session<T> {
    /// Sends a chunk: the frame to write.
    ///
    /// The channel has admitted it: only while [`may_send`](Self::may_send), and within the limit of the
    /// latest grant. Debug builds assert it.
    #[must_use = "it counts as sent"]
    pub fn send(&mut self, payload: T) -> Frame<T> {
        Frame::Chunk { seq: self.send_next(&payload), payload }
    }

    /// Sends a chunk, whose number this is.
    #[inline]
    pub(crate) fn send_next(&mut self, payload: &T) -> u64 {
        match &mut self.side {
            Side::Producing(producing) => {
                let bytes = if producing.weighs() { (self.weigh)(payload) } else { 0 };
                self.budget.earn();
                self.sent.chunk += 1;
                producing.send(bytes)
            }
            Side::Consuming(_) => {
                debug_assert!(false, "a consumer sends no chunks");
                0
            }
        }
    }

    /// All was sent. This and the three others are said last: call one when the last chunk went through
    /// [`send`](Self::send). The first of them counts.
    pub fn end(&mut self) {
        self.say_last(|producing| {
            let (count, bytes) = producing.totals();
            Terminal::End { count, bytes }
        });
    }

    /// The producer failed, after what was sent; with `discard` the consumer throws away what it has not
    /// handed out.
    pub fn fail(&mut self, failure: &Failure, discard: bool) {
        self.say_error(Words::of_failure(failure), discard);
    }

    /// The producer was dropped without an end.
    pub fn abandon(&mut self) {
        self.say_error(Words::new(Code::ABANDONED, 0, ""), false);
    }

    /// All that was accepted before the consumer asked for no more was sent.
    pub fn drained(&mut self) {
        self.say_error(Words::new(Code::DRAINED, 0, ""), false);
    }

    /// A send waits for credit. Said once for each limit.
    pub fn blocked(&mut self) {
        if self.phase != Phase::Open {
            return;
        }
        if let Side::Producing(producing) = &mut self.side {
            if let Some(limit) = producing.block() {
                self.slots.blocked = Some(limit);
            }
        }
    }

    fn say_error(&mut self, words: Words, discard: bool) {
        self.say_last(|producing| Terminal::Error { words, count: producing.totals().0, discard });
    }

    fn say_last(&mut self, terminal: impl FnOnce(&Producing) -> Terminal) {
        if !self.is_running() {
            return;
        }
        if let Side::Producing(producing) = &mut self.side {
            if producing.end() {
                self.slots.blocked = None;
                self.slots.terminal = Some(terminal(producing));
            }
        }
    }
}

/// For a consumer.
impl<T> Session<T> {
    /// The channel's books are these now. The newest are said, once there is room to say them.
    pub fn grant(&mut self, books: Grant) {
        if !self.is_running() {
            return;
        }
        if let Side::Consuming(consuming) = &mut self.side {
            if let Some(grant) = consuming.grant(books) {
                self.slots.credit = Some(grant);
            }
        }
    }

    /// Stops the channel: what still comes is counted and thrown away. The first reason counts.
    pub fn cancel(&mut self, reason: &CancelReason) {
        self.stop(Words::of_cancel(reason));
    }

    /// Stops the channel because a chunk's payload could not be decoded.
    pub fn undecodable(&mut self, seq: u64, text: &str) {
        self.cancel(&CancelReason::Undecodable(format!("chunk {seq}: {text}").into()));
    }

    /// Asks for no more than what the producer has accepted.
    pub fn drain(&mut self) {
        if !self.is_running() {
            return;
        }
        if let Side::Consuming(consuming) = &mut self.side {
            if consuming.drain() {
                self.slots.drain = Some(());
            }
        }
    }

    /// The last chunk is worked off, and [`grant`](Self::grant) was called with the books that say so. Before
    /// the producer's terminal it says nothing.
    pub fn finished(&mut self) {
        if self.phase != Phase::Open {
            return;
        }
        if let Side::Consuming(consuming) = &mut self.side {
            if consuming.finish() && self.slots.is_empty() {
                self.depart(Farewell::Word, None);
            }
        }
    }

    fn stop(&mut self, words: Words) {
        if !self.is_running() {
            return;
        }
        if let Side::Consuming(consuming) = &mut self.side {
            if consuming.cancel() {
                self.settled = true;
                self.slots.cancel = Some(words);
            }
        }
    }
}

/// For both.
impl<T> Session<T> {
    /// Ends the connection from this side, at once and for a reason that has no other way to be said. The
    /// channel knows: it is told nothing.
    pub fn close(&mut self, why: Violation) {
        if self.is_running() {
            self.settled = true;
            self.slots.keep_goaway(why);
            self.depart(Farewell::GoAway, None);
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Handshake | Phase::Open)
    }
}
