//! Whether the peer is there, and how far away: PING and PONG.
//!
//! At most one PING is out. A producer that had used up its credit answers like a PONG, too: with its next chunk. The
//! round trip is the smallest of the last eight: a loaded link only ever adds
//! to it, so that an average would measure the load (rust-libp2p #5387).

use std::time::{Duration, Instant};

const SAMPLES: usize = 8;

#[derive(Debug)]
pub(super) struct Keepalive {
    every: Duration,
    /// How often the peer takes a PING.
    spacing: Duration,
    /// Goes through the tokens; where it starts is nobody else's knowledge.
    seed: u64,
    asked: Option<Asked>,
    last_ping: Option<Instant>,
    round_trips: [Option<Duration>; SAMPLES],
    next_sample: usize,
    /// Ask as often as the peer takes it, also where it is not silent.
    measuring: bool,
}

/// A PING without its PONG.
#[derive(Debug)]
struct Asked {
    token: u64,
    at: Instant,
    written: bool,
}

impl Keepalive {
    /// `seed` is secret and `session` is not, but another one for each session.
    pub(super) fn new(every: Duration, seed: u64, session: [u8; 16]) -> Self {
        let seed = session.iter().fold(seed, |seed, byte| scrambled(seed ^ u64::from(*byte)));
        Self {
            every,
            spacing: Duration::ZERO,
            seed,
            asked: None,
            last_ping: None,
            round_trips: [None; SAMPLES],
            next_sample: 0,
            measuring: false,
        }
    }

    pub(super) fn set_spacing(&mut self, spacing: Duration) {
        self.spacing = spacing;
    }

    /// The way there and back is to be known from now on.
    pub(super) fn measure(&mut self) {
        self.measuring = true;
    }

    /// When to ask, after silence since `heard`.
    pub(super) fn due(&self, heard: Instant) -> Option<Instant> {
        if self.asked.is_some() || self.every.is_zero() {
            return None;
        }
        let wanted = if self.measuring { heard } else { heard.checked_add(self.every)? };
        match self.last_ping {
            Some(last) => {
                let allowed = last.checked_add(self.spacing)?;
                Some(if self.measuring { allowed } else { wanted.max(allowed) })
            }
            None => Some(wanted),
        }
    }

    /// When a peer that is silent since `heard` has been so for `idle`.
    ///
    /// One that takes a PING only seldom, or could not be asked because this side was asleep, gets as much
    /// time to answer as any other.
    pub(super) fn given_up(&self, heard: Instant, idle: Duration) -> Option<Instant> {
        if idle.is_zero() {
            return None;
        }
        let silent = heard.checked_add(idle)?;
        let asked = self.asked.as_ref().map(|asked| asked.at).or_else(|| self.due(heard));
        match (asked, idle.checked_sub(self.every)) {
            (Some(asked), Some(patience)) => Some(silent.max(asked.checked_add(patience)?)),
            _ => Some(silent),
        }
    }

    /// The token of a new PING.
    pub(super) fn ask(&mut self, now: Instant) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let token = scrambled(self.seed);
        self.asked = Some(Asked { token, at: now, written: false });
        token
    }

    /// The PING went out.
    pub(super) fn written(&mut self, now: Instant) {
        if let Some(asked) = &mut self.asked {
            asked.at = now;
            asked.written = true;
        }
        self.last_ping = Some(now);
    }

    /// A PONG came. False: nobody asked for it.
    pub(super) fn answered(&mut self, token: u64, now: Instant) -> bool {
        match self.asked.take() {
            Some(asked) if asked.written && asked.token == token => {
                self.went_round(now.saturating_duration_since(asked.at));
                true
            }
            _ => false,
        }
    }

    /// Something was said, and so long after that came what the peer could only say then.
    pub(super) fn went_round(&mut self, took: Duration) {
        self.round_trips[self.next_sample] = Some(took);
        self.next_sample = (self.next_sample + 1) % SAMPLES;
    }

    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.round_trips.iter().flatten().min().copied()
    }
}

/// The mixing step of splitmix64: from its output the input is not read off at a glance, which is enough
/// where guessing right gains a peer nothing but a better opinion of its latency.
fn scrambled(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
