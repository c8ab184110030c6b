//! What a peer may cost, measured by what it carries.
//!
//! Chunks are paid for with credit; every other frame is paid for from here. A peer that carries chunks, or
//! takes its time, earns what it needs; one that sends control frames and nothing else runs dry (h2 keeps
//! such a budget against the floods of CVE-2019-9512 and its kin).

use std::time::{Duration, Instant};

const FULL: u64 = 1_000;
const FRAME: u64 = 1;
const EARLY_PING: u64 = 50;
const PER_SECOND: u64 = 10;

#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    refilled: Instant,
    ping_interval: Duration,
    pinged: Option<Instant>,
}

impl Budget {
    pub(super) fn new(ping_interval: Duration, now: Instant) -> Self {
        Self { left: FULL, refilled: now, ping_interval, pinged: None }
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// A chunk was carried, this way or that.
    #[inline]
    pub(super) fn earn(&mut self) {
        self.left = (self.left + 1).min(FULL);
    }

    /// Pays for a frame that is not a PING. False: it cannot.
    pub(super) fn pay_frame(&mut self, now: Instant) -> bool {
        self.pay(FRAME, now)
    }

    /// Pays for a PING. False: it cannot.
    pub(super) fn pay_ping(&mut self, now: Instant) -> bool {
        // Half the interval: the network brings two closer together than they were sent.
        let early = self.pinged.is_some_and(|last| now.saturating_duration_since(last) < self.ping_interval / 2);
        self.pinged = Some(now);
        self.pay(if early { EARLY_PING } else { FRAME }, now)
    }

    fn pay(&mut self, cost: u64, now: Instant) -> bool {
        let seconds = now.saturating_duration_since(self.refilled).as_secs();
        if seconds > 0 {
            self.refilled += Duration::from_secs(seconds);
            self.left = self.left.saturating_add(seconds.saturating_mul(PER_SECOND)).min(FULL);
        }
        let left = self.left.checked_sub(cost);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}
