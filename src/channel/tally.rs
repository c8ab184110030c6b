//! What is counted of one channel, and how long its senders wait.

use super::state::State;
use crate::sync::clock::Moment;
use crate::{Credit, Stats};
use std::time::Duration;

/// Counters that only the lock protects.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) sent: u64,
    pub(super) peak_depth: Credit,
    pub(super) forgotten: Credit,
    parks: u64,
    /// Time in which at least one sender was parked, before the present time.
    park_time: Duration,
    /// Since when at least one sender is parked.
    parked_since: Option<Moment>,
    brief: Brief,
}

impl Tally {
    pub(super) fn count_park(&mut self) {
        self.parks += 1;
    }

    /// A sender parks; the first one starts the clock.
    pub(super) fn begin_park(&mut self) {
        if self.parked_since.is_none() {
            self.parked_since = Some(Moment::now());
        }
    }

    /// Nobody is parked any more.
    #[inline]
    pub(super) fn end_park(&mut self) {
        if let Some(since) = self.parked_since.take() {
            let park = since.elapsed();
            self.park_time += park;
            self.brief.measured(park);
        }
    }

    /// A sender gives the runtime one turn instead of a park.
    pub(super) fn count_turn(&mut self) {
        self.brief.unmeasured += 1;
    }

    /// It was not measured; the last one that was stands for it.
    pub(super) fn turn_was_enough(&mut self) {
        self.park_time += self.brief.last;
    }

    pub(super) fn turn_was_no_use(&mut self) {
        self.brief = Brief::default();
    }

    /// Whether the next park is likely to cost more than it waits.
    pub(super) fn parks_are_brief(&self) -> bool {
        self.brief.goes_on()
    }

    pub(super) fn parks(&self) -> u64 {
        self.parks
    }

    pub(super) fn park_time(&self) -> Duration {
        self.park_time + self.parked_since.map_or(Duration::ZERO, Moment::elapsed)
    }
}

/// Parks that were shorter than what parking costs, the last ones in a row.
#[derive(Debug, Default)]
struct Brief {
    in_a_row: u32,
    last: Duration,
    /// Waits of one turn since a park was last measured.
    unmeasured: u32,
}

impl Brief {
    /// Below this a park is not worth its cost. A wait that is not measured is off by less.
    const LIMIT: Duration = Duration::from_micros(2);
    /// So many have to be brief before one is replaced by a turn of the runtime.
    const BEFORE: u32 = 8;
    /// After so many that were replaced one is measured again.
    const UNMEASURED: u32 = 63;

    fn measured(&mut self, park: Duration) {
        self.in_a_row = if park < Self::LIMIT { self.in_a_row.saturating_add(1) } else { 0 };
        self.last = park;
        self.unmeasured = 0;
    }

    fn goes_on(&self) -> bool {
        self.in_a_row >= Self::BEFORE && self.unmeasured < Self::UNMEASURED
    }
}

impl<T> State<T> {
    pub(super) fn sent(&self) -> u64 {
        self.tally.sent
    }

    pub(super) fn stats(&self) -> Stats {
        Stats {
            window: self.ledger.window(),
            credit: self.ledger.credit(),
            depth: self.ledger.in_flight(),
            peak_depth: self.tally.peak_depth,
            reserved: self.ledger.reserved(),
            sent: self.tally.sent,
            released: self.ledger.released(),
            forgotten: self.tally.forgotten,
            waiting: u64::try_from(self.ledger.waiting()).unwrap_or(u64::MAX),
            parks: self.tally.parks(),
            park_time: self.tally.park_time(),
            producers: self.life.producers(),
        }
    }
}
