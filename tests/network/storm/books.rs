//! What really happened in a storm, counted where it happens and not by the channel.

use super::plan::Plan;
use crate::support::Dice;
use bytes::Bytes;
use credit_channel::Window;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Clone)]
pub(crate) struct Books(Arc<Mutex<Counts>>);

pub(crate) struct Counts {
    /// Of each producer the chunks whose send said Ok, in order.
    pub(crate) accepted: Vec<Vec<u64>>,
    /// Of each producer the chunks that came, in order.
    pub(crate) received: Vec<Vec<u64>>,
    /// Accepted and not released. The consumer may be quicker than the sender's own note, so they may be below 0.
    pub(crate) messages: i64,
    pub(crate) bytes: i64,
    /// The largest window of the run, in what it counts.
    window: (Option<u64>, Option<u64>),
}

impl Books {
    pub(crate) fn new(plan: &Plan) -> Self {
        let none = vec![Vec::new(); plan.endings.len()];
        let window = (plan.window.message_limit(), plan.window.byte_limit());
        let counts = Counts { accepted: none.clone(), received: none, messages: 0, bytes: 0, window };
        Self(Arc::new(Mutex::new(counts)))
    }

    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().expect("no panic under this lock")
    }

    pub(crate) fn widen(&self, window: Window) {
        let mut counts = self.counts();
        counts.window.0 = counts.window.0.max(window.message_limit());
        counts.window.1 = counts.window.1.max(window.byte_limit());
    }

    pub(crate) fn accept(&self, producer: usize, n: u64, length: usize) {
        let mut counts = self.counts();
        counts.accepted[producer].push(n);
        counts.messages += 1;
        counts.bytes += cost(length);
        let fits = |amount: i64, limit: Option<u64>| limit.is_none_or(|limit| amount <= i64::try_from(limit).unwrap());
        let holds = fits(counts.messages, counts.window.0) && fits(counts.bytes, counts.window.1);
        assert!(holds, "{} messages, {} bytes in flight in {:?}", counts.messages, counts.bytes, counts.window);
    }

    /// Takes a chunk in, and says whose it is. Its content has to be right to the last byte.
    pub(crate) fn receive(&self, plan: &Plan, seq: u64, payload: &[u8]) {
        let (producer, n) = match plan.producers() {
            1 if payload.len() < HEAD => (0, seq_of_short(plan, &self.counts().received[0])),
            _ => (
                usize::from(payload[0]),
                u64::from_be_bytes([0, 0, 0, payload[1], payload[2], payload[3], payload[4], payload[5]]),
            ),
        };
        let mut counts = self.counts();
        let (n, counts) = (n, &mut *counts);
        assert_eq!(payload, &content(plan, producer, n)[..], "chunk {n} of producer {producer}");
        assert!(counts.received[producer].last().is_none_or(|last| *last < n), "in order, and once");
        counts.received[producer].push(n);
        let all: usize = counts.received.iter().map(Vec::len).sum();
        assert_eq!(u64::try_from(all).unwrap(), seq + 1, "without gaps");
    }

    pub(crate) fn release(&self, length: usize) {
        let mut counts = self.counts();
        counts.messages -= 1;
        counts.bytes -= cost(length);
    }
}

impl Counts {
    pub(crate) fn all_received(&self) -> bool {
        self.accepted == self.received
    }

    /// What came of each producer is the front of what it was told is sent. A chunk may come before its sender has noted
    /// that, and did so if it does in the end.
    pub(crate) fn assert_nothing_invented(&self) {
        for (received, accepted) in self.received.iter().zip(&self.accepted) {
            assert!(accepted.starts_with(received), "{received:?} of {accepted:?}");
        }
    }
}

fn cost(length: usize) -> i64 {
    i64::try_from(length.max(1)).expect("a length")
}

/// Whose chunk it is, and which.
const HEAD: usize = 6;

/// A short payload does not say which it is: it is the next.
fn seq_of_short(_: &Plan, received: &[u64]) -> u64 {
    received.last().map_or(0, |last| last + 1)
}

/// What a producer's nth chunk carries. It says whose it is, unless there is one producer only and no room for it.
pub(crate) fn content(plan: &Plan, producer: usize, n: u64) -> Bytes {
    let whose = u8::try_from(producer).expect("few");
    let mut dice = Dice::new(plan.seed ^ (n << 8) ^ u64::from(whose));
    let least = if plan.producers() == 1 { 0 } else { 6 };
    // Mostly short ones.
    let most = if dice.below(3) == 0 { plan.longest } else { plan.longest.min(50) };
    let length = usize::try_from(least.max(dice.below(most + 1))).expect("a length");
    let mut bytes = vec![whose];
    bytes.extend_from_slice(&n.to_be_bytes()[3..]);
    let salt = u8::try_from(dice.below(251)).expect("small");
    let pattern: Vec<u8> = (salt..=250).chain(0..salt).collect();
    while bytes.len() < length {
        bytes.extend_from_slice(&pattern);
    }
    bytes.truncate(length);
    bytes.into()
}
