//! The consumer's books: what was announced, and what came.

use super::reasons::breach;
use crate::wire::{Code, Grant};
use crate::{Credit, Violation, Window};
use std::time::Instant;

#[derive(Debug)]
pub(super) struct Consuming {
    /// Only for what it counts: the window in force is in the books.
    measure: Window,
    /// The limit that the producer was really told, or is being told.
    announced: Credit,
    received: Credit,
    count: u64,
    /// The channel's newest books, said or about to be.
    books: Grant,
    /// The producer's last word came.
    ended: bool,
    /// It was an error.
    failed: bool,
    draining: bool,
    cancelled: bool,
    finished: bool,
    /// When CREDIT went out to a producer that had none left: its next chunk is an answer to that.
    asked: Option<Instant>,
    /// How often that was.
    used_up: u64,
}

impl Consuming {
    pub(super) fn new(window: Window) -> Self {
        let limit = window.as_credit();
        Self {
            measure: window,
            announced: Credit::ZERO,
            received: Credit::ZERO,
            count: 0,
            books: Grant { limit, released: Credit::ZERO, window: limit },
            ended: false,
            failed: false,
            draining: false,
            cancelled: false,
            finished: false,
            asked: None,
            used_up: 0,
        }
    }

    // ----- out -----

    pub(super) fn books(&self) -> Grant {
        self.books
    }

    /// Takes newer books; gives back what is to be said of them, unless it is said already.
    pub(super) fn grant(&mut self, new: Grant) -> Option<Grant> {
        if self.cancelled || self.finished {
            return None;
        }
        // Whoever drives this may come late with an older copy; on the wire nothing goes back.
        let books = Grant {
            limit: self.books.limit.max(new.limit),
            released: self.books.released.max(new.released),
            window: new.window,
        };
        if books == self.books {
            return None;
        }
        self.books = books;
        Some(books)
    }

    /// A CREDIT went out.
    pub(super) fn announce(&mut self, grant: Grant, now: Instant) {
        let used_up = self.count > 0 && !self.received.plus(self.measure.cost(0)).fits_in(self.announced);
        if used_up && grant.limit != self.announced {
            self.asked = Some(now);
            self.used_up += 1;
        }
        self.announced = grant.limit;
        self.debug_assert_invariants();
    }

    /// False: it stopped already, or there is nothing left to stop.
    pub(super) fn cancel(&mut self) -> bool {
        let first = !self.cancelled && !self.finished;
        self.cancelled |= first;
        first
    }

    /// False: it said so already, or there is nothing left to ask for.
    pub(super) fn drain(&mut self) -> bool {
        let first = !self.draining && !self.cancelled && !self.ended;
        self.draining |= first;
        first
    }

    /// All the work is done. False: the producer may still send some.
    pub(super) fn finish(&mut self) -> bool {
        self.finished |= self.ended && !self.cancelled;
        self.finished
    }

    // ----- in -----

    #[inline]
    pub(super) fn weighs(&self) -> bool {
        self.measure.byte_limit().is_some()
    }

    /// Takes a chunk of `bytes` bytes into the books. False, and nothing has changed: it breaks a rule.
    #[inline]
    pub(super) fn take_in(&mut self, seq: u64, bytes: u64) -> bool {
        let received = self.received.plus(self.measure.cost(bytes));
        if self.ended || seq != self.count || !received.fits_in(self.announced) {
            return false;
        }
        self.received = received;
        self.count += 1;
        self.debug_assert_invariants();
        true
    }

    pub(super) fn times_used_up(&self) -> u64 {
        self.used_up
    }

    /// If the chunk that came was the answer to a CREDIT: when that went out.
    #[inline]
    pub(super) fn answers(&mut self) -> Option<Instant> {
        self.asked.take()
    }

    /// Which rule it breaks.
    #[cold]
    pub(super) fn breach_of(&self, seq: u64, bytes: u64) -> Violation {
        let cost = self.measure.cost(bytes);
        if self.ended {
            return breach(Code::STATE, format!("CHUNK {seq} after the producer's last word"));
        }
        if seq != self.count {
            return breach(Code::SEQUENCE, format!("CHUNK {seq} came, {} is next", self.count));
        }
        let (received, announced) = (self.received, self.announced);
        let text = format!("CHUNK {seq} costs {cost} on top of {received}, the limit is {announced}");
        breach(Code::FLOW_CONTROL, text)
    }

    /// Checks the producer's last word. Its bytes, if it says them.
    pub(super) fn end(&mut self, frame: &str, count: u64, bytes: Option<u64>) -> Result<(), Violation> {
        if self.ended {
            return Err(breach(Code::STATE, format!("{frame} after the producer's last word")));
        }
        if count != self.count {
            let text = format!("{frame} counts {count} chunks, {} were received", self.count);
            return Err(breach(Code::FINAL_COUNT, text));
        }
        let received = self.received.bytes();
        match bytes {
            Some(bytes) if self.weighs() && bytes != received => {
                Err(breach(Code::FINAL_COUNT, format!("{frame} counts {bytes} bytes, {received} were received")))
            }
            _ => {
                self.ended = true;
                self.failed = bytes.is_none();
                Ok(())
            }
        }
    }

    /// Whether a BLOCKED at this limit means that more is waited for than was announced.
    pub(super) fn is_blocked_at(&self, limit: Credit) -> bool {
        let counts = self.measure.cost(1);
        let same = |counted: u64, a: u64, b: u64| counted == 0 || a == b;
        same(counts.messages(), limit.messages(), self.announced.messages())
            && same(counts.bytes(), limit.bytes(), self.announced.bytes())
    }

    // ----- reading -----

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }

    fn debug_assert_invariants(&self) {
        if cfg!(debug_assertions) {
            assert!(self.received.fits_in(self.announced), "3: no more is taken in than was announced: {self:?}");
            assert!(self.announced.fits_in(self.books.limit), "4: no more is announced than was granted: {self:?}");
        }
    }
}
