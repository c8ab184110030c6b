//! Since when something is as it is: what the timers measure from.

use super::event::Traffic;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Timers {
    pub(super) started: Instant,
    /// The latest byte or frame.
    pub(super) heard: Instant,
    /// The first byte since this side last said something.
    pub(super) unanswered: Option<Instant>,
    /// A frame was begun and is not complete.
    pub(super) frame_begun: Option<Instant>,
    /// Something waits to be written, and nothing was.
    pub(super) stalled: Option<Instant>,
    /// All is said. Not set yet where it came about without a look at the clock.
    pub(super) closing: Option<Instant>,
    /// The last that was said has left, and all before it. Chunks need no flag of their own: a word that
    /// is waited for comes behind them.
    pub(super) flushed: bool,
    read: u64,
    written: u64,
}

impl Timers {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            started: now,
            heard: now,
            unanswered: None,
            frame_begun: None,
            stalled: None,
            closing: None,
            flushed: true,
            read: 0,
            written: 0,
        }
    }

    /// A frame is complete.
    #[inline]
    pub(super) fn hear_frame(&mut self, now: Instant) {
        self.heard = now;
        self.frame_begun = None;
    }

    pub(super) fn note(&mut self, traffic: Traffic, now: Instant) {
        if traffic.read != self.read {
            self.heard = now;
            self.unanswered.get_or_insert(now);
        }
        self.frame_begun = traffic.frame_begun.then(|| self.frame_begun.unwrap_or(now));
        let progress = traffic.written != self.written;
        self.stalled = traffic.writes_pending.then(|| self.stalled.filter(|_| !progress).unwrap_or(now));
        self.flushed = !traffic.writes_pending;
        (self.read, self.written) = (traffic.read, traffic.written);
    }
}

/// When a time that runs since `since` is up. Zero: never.
pub(super) fn up(since: Option<Instant>, time: Duration) -> Option<Instant> {
    if time.is_zero() { None } else { since?.checked_add(time) }
}
