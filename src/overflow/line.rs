//! Those who wait for room.

use crate::sync::WakeList;
use std::collections::BTreeMap;
use std::task::Waker;

/// A line of bounded length. A place in it is a number; who is served leaves it, and has a place in the buffer that is
/// kept for them until they put their value there or go.
#[derive(Debug)]
pub(super) struct Line {
    waiting: BTreeMap<u64, Waker>,
    next: u64,
    /// Places in the buffer kept for those who were served.
    kept: u64,
    max_parked: u64,
}

impl Line {
    pub(super) fn new(max_parked: u64) -> Self {
        Self { waiting: BTreeMap::new(), next: 0, kept: 0, max_parked }
    }

    /// A place at the end, if the line is not too long.
    pub(super) fn join(&mut self, waker: &mut Option<Waker>) -> Option<u64> {
        if self.parked() >= self.max_parked {
            return None;
        }
        let ticket = self.next;
        self.waiting.insert(ticket, waker.take()?);
        self.next += 1;
        Some(ticket)
    }

    /// Still waiting, the other waker is the one to be woken, and the old one comes back. False if served.
    pub(super) fn still_waits(&mut self, ticket: u64, waker: &mut Option<Waker>) -> bool {
        let Some(place) = self.waiting.get_mut(&ticket) else { return false };
        if let Some(waker) = waker {
            std::mem::swap(place, waker);
        }
        true
    }

    /// Serves from the head as far as there is room.
    pub(super) fn serve(&mut self, room: u64, wakes: &mut WakeList) {
        while self.kept < room {
            let Some((_, waker)) = self.waiting.pop_first() else { return };
            self.kept += 1;
            wakes.push(waker);
        }
    }

    /// One who was served has put their value in, or goes.
    pub(super) fn leave_served(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }

    /// One who waits goes. None if they were served.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        self.waiting.remove(&ticket)
    }

    /// Nobody will be served any more.
    pub(super) fn close(&mut self, wakes: &mut WakeList) {
        wakes.extend(std::mem::take(&mut self.waiting).into_values());
        self.kept = 0;
    }

    /// Places in the buffer that are promised.
    pub(super) fn kept(&self) -> u64 {
        self.kept
    }

    /// How many wait.
    pub(super) fn parked(&self) -> u64 {
        u64::try_from(self.waiting.len()).unwrap_or(u64::MAX)
    }

    /// How many ever had to.
    pub(super) fn parks(&self) -> u64 {
        self.next
    }
}
