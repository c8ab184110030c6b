//! The producer's books: what was sent, and what the consumer granted and released.

use super::handshake::window_of;
use super::reasons::breach;
use crate::wire::{Code, Grant, Hello};
use crate::{Credit, Violation, Window};
use std::time::Instant;

/// The limit stays this close to what is released, so that no sum of the two can overflow.
const MAX_AHEAD: u64 = 1 << 63;

#[derive(Debug)]
pub(super) struct Producing {
    /// Only for what it counts: the window in force is in the grant.
    measure: Window,
    sent: Credit,
    count: u64,
    granted: Option<Grant>,
    last: Last,
    draining: bool,
    /// The limit at which BLOCKED was said.
    blocked_at: Option<Credit>,
    /// Work is out, and none of it came home since.
    waiting: Option<Instant>,
}

/// Where the producer's last word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Unsaid,
    Waiting,
    Said,
}

impl Producing {
    pub(super) fn new() -> Self {
        Self {
            measure: Window::messages(1),
            sent: Credit::ZERO,
            count: 0,
            granted: None,
            last: Last::Unsaid,
            draining: false,
            blocked_at: None,
            waiting: None,
        }
    }

    pub(super) fn open(&mut self, consumer: &Hello) {
        self.measure = window_of(consumer);
    }

    // ----- out -----

    pub(super) fn may_send(&self) -> bool {
        self.last == Last::Unsaid && self.granted.is_some()
    }

    #[inline]
    pub(super) fn weighs(&self) -> bool {
        self.measure.byte_limit().is_some()
    }

    /// Books a chunk of `bytes` bytes and gives it its number.
    #[inline]
    pub(super) fn send(&mut self, bytes: u64) -> u64 {
        debug_assert!(self.may_send(), "chunks are sent between the first grant and the last word");
        let seq = self.count;
        self.count += 1;
        self.sent = self.sent.plus(self.measure.cost(bytes));
        self.debug_assert_invariants();
        seq
    }

    /// Chunks sent, and their cost in bytes where bytes are counted.
    pub(super) fn totals(&self) -> (u64, u64) {
        (self.count, self.sent.bytes())
    }

    /// The last word waits in its slot. False: there is one already.
    pub(super) fn end(&mut self) -> bool {
        let first = self.last == Last::Unsaid;
        if first {
            self.last = Last::Waiting;
        }
        first
    }

    /// The last word went out.
    pub(super) fn ended(&mut self) {
        self.last = Last::Said;
    }

    /// A send waits: the limit to say BLOCKED with, unless it was said already.
    pub(super) fn block(&mut self) -> Option<Credit> {
        let limit = self.granted?.limit;
        if self.last != Last::Unsaid || self.blocked_at == Some(limit) {
            return None;
        }
        self.blocked_at = Some(limit);
        Some(limit)
    }

    // ----- in -----

    /// Checks a CREDIT and takes it into the books.
    pub(super) fn credit(&mut self, grant: Grant, now: Instant) -> Result<Grant, Violation> {
        let known = self.granted.unwrap_or_default();
        for unit in [Unit::Messages, Unit::Bytes] {
            if unit.is_counted(self.measure) {
                check(unit, &grant, &known, self.sent)?;
            }
        }
        let grant = Grant {
            limit: self.counted(grant.limit),
            released: self.counted(grant.released),
            window: self.counted(grant.window),
        };
        if grant.released != known.released {
            self.waiting = None;
        }
        self.granted = Some(grant);
        self.watch(now);
        self.debug_assert_invariants();
        Ok(grant)
    }

    /// DRAIN came. False: not for the first time, or too late.
    pub(super) fn drain(&mut self) -> bool {
        let first = self.last == Last::Unsaid && !self.draining;
        self.draining = true;
        first
    }

    /// Whether the last word is out and all the work done.
    pub(super) fn is_done(&self) -> bool {
        self.last == Last::Said && !self.is_waiting()
    }

    // ----- progress -----

    /// Notes since when work is out. Sending does not look at the clock.
    pub(super) fn watch(&mut self, now: Instant) {
        self.waiting = self.is_waiting().then(|| self.waiting.unwrap_or(now));
    }

    /// Since when nothing came home of what is out.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        self.waiting
    }

    // ----- inside -----

    fn is_waiting(&self) -> bool {
        let released = self.granted.unwrap_or_default().released;
        // A chunk whose message is released is done, in bytes too.
        if self.measure.message_limit().is_some() {
            released.messages() != self.sent.messages()
        } else {
            released.bytes() != self.sent.bytes()
        }
    }

    fn counted(&self, amount: Credit) -> Credit {
        let of = |unit: Unit| if unit.is_counted(self.measure) { unit.of(amount) } else { 0 };
        Credit::new(of(Unit::Messages), of(Unit::Bytes))
    }

    fn debug_assert_invariants(&self) {
        if cfg!(debug_assertions) {
            let granted = self.granted.unwrap_or_default();
            assert!(self.sent.fits_in(granted.limit), "1: no more is sent than the peer granted: {self:?}");
            assert!(granted.released.fits_in(self.sent), "2: no more is known to be released than was sent: {self:?}");
        }
    }
}

#[derive(Clone, Copy)]
enum Unit {
    Messages,
    Bytes,
}

impl Unit {
    fn is_counted(self, window: Window) -> bool {
        match self {
            Self::Messages => window.message_limit().is_some(),
            Self::Bytes => window.byte_limit().is_some(),
        }
    }

    fn of(self, amount: Credit) -> u64 {
        match self {
            Self::Messages => amount.messages(),
            Self::Bytes => amount.bytes(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Bytes => "bytes",
        }
    }
}

/// The rules for one unit of a CREDIT.
fn check(unit: Unit, new: &Grant, known: &Grant, sent: Credit) -> Result<(), Violation> {
    let of = |amount: Credit| unit.of(amount);
    let name = unit.name();
    let (limit, released, window) = (of(new.limit), of(new.released), of(new.window));
    let wrong = |code, text| Err(breach(code, text));
    if limit == 0 {
        return wrong(Code::PROTOCOL, format!("CREDIT with a limit of 0 {name} grants nothing"));
    }
    if limit < of(known.limit) {
        return wrong(
            Code::PROTOCOL,
            format!("CREDIT takes the limit back from {} to {limit} {name}", of(known.limit)),
        );
    }
    if released < of(known.released) {
        let before = of(known.released);
        return wrong(Code::PROTOCOL, format!("CREDIT takes {released} {name} for released after {before}"));
    }
    if released > of(sent) {
        return wrong(Code::PROTOCOL, format!("CREDIT says {released} {name} released, {} were sent", of(sent)));
    }
    if limit - released > MAX_AHEAD {
        let text = format!("CREDIT with a limit of {limit} {name} is too far ahead of the {released} released");
        return wrong(Code::FLOW_CONTROL, text);
    }
    if !(1..=Window::MAX).contains(&window) {
        return wrong(Code::PROTOCOL, format!("CREDIT with a window of {window} {name}: it has to be 1 to 2^62"));
    }
    Ok(())
}
