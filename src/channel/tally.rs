//! What is counted of one channel, and how long its ends wait.

use super::probe::SLOW;
use super::state::State;
use crate::stats::{DepthTimes, Level, level};
use crate::sync::clock::Moment;
use crate::{Credit, Stats};
use std::time::Duration;

/// Counters that only the lock protects.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) sent: u64,
    pub(super) peak_depth: Credit,
    /// It is all of the window: what is sent under that makes no new one.
    pub(super) peaked: bool,
    pub(super) forgotten: Credit,
    opened: Moment,
    parks: u64,
    /// What of them is known from credit that was used up.
    #[cfg(feature = "transport")]
    used_up: u64,
    /// Time in which at least one sender was parked, before the present time; and what of it was for the transport's
    /// sake.
    park_time: Duration,
    transport_park_time: Duration,
    /// Since when at least one sender is parked, and whether for the transport's sake.
    parked: Option<(Moment, bool)>,
    brief_parks: Brief,
    idle_time: Duration,
    /// Since when the receiving end waits, and whether it is idle: there is nothing in flight.
    wait: Option<(Moment, bool)>,
    brief_waits: Brief,
    /// What the last wait that was measured adds to the idle time.
    last_idle: Duration,
    depth_times: DepthTimes,
    /// When the depth was last looked at, and where it was.
    looked: (Moment, Level),
    /// It was long ago that it was looked at before: what is known of how long work takes may be out of date.
    pub(super) long_since: bool,
    /// How many were sent when the clock is read for it next, and after how many more it is read again.
    next_look: u64,
    look_step: u64,
}

impl Tally {
    pub(super) fn new() -> Self {
        let now = Moment::now();
        Self {
            sent: 0,
            peak_depth: Credit::ZERO,
            peaked: false,
            forgotten: Credit::ZERO,
            opened: now,
            parks: 0,
            #[cfg(feature = "transport")]
            used_up: 0,
            park_time: Duration::ZERO,
            transport_park_time: Duration::ZERO,
            parked: None,
            brief_parks: Brief::default(),
            idle_time: Duration::ZERO,
            wait: None,
            brief_waits: Brief::default(),
            last_idle: Duration::ZERO,
            depth_times: DepthTimes::default(),
            looked: (now, Level::Empty),
            long_since: false,
            next_look: 1,
            look_step: 1,
        }
    }

    /// Starts the count of what is sent here.
    pub(super) fn start_at(&mut self, sent: u64) {
        self.sent = sent;
        self.next_look = sent.wrapping_add(1);
    }

    // ----- parks -----

    pub(super) fn count_park(&mut self) {
        self.parks += 1;
    }

    /// At the consumer's end of a connection, which sees no senders.
    #[cfg(feature = "transport")]
    pub(super) fn note_used_up(&mut self, times: u64) {
        self.parks += times.saturating_sub(self.used_up);
        self.used_up = times;
    }

    /// A sender parks; the first one starts the clock.
    pub(super) fn begin_park(&mut self, for_transport: bool) -> Option<Moment> {
        if self.parked.is_some() {
            return None;
        }
        let now = Moment::now();
        self.parked = Some((now, for_transport));
        Some(now)
    }

    /// Nobody is parked any more: as of now, after so long.
    #[inline]
    pub(super) fn end_park(&mut self) -> Option<(Moment, Duration)> {
        let (since, for_transport) = self.parked.take()?;
        let now = Moment::now();
        let park = now.since(since);
        self.park_time += park;
        if for_transport {
            self.transport_park_time += park;
        }
        self.brief_parks.measured(park);
        Some((now, park))
    }

    /// A sender gives the runtime one turn instead of a park.
    pub(super) fn count_turn(&mut self) {
        self.brief_parks.unmeasured += 1;
    }

    /// It was not measured; the last one that was stands for it.
    pub(super) fn turn_was_enough(&mut self) {
        self.park_time += self.brief_parks.last;
    }

    pub(super) fn turn_was_no_use(&mut self) {
        self.brief_parks = Brief::default();
    }

    /// Whether the next park is likely to cost more than it waits.
    pub(super) fn parks_are_brief(&self) -> bool {
        self.brief_parks.goes_on()
    }

    // ----- waits of the receiving end -----

    /// It begins to wait. True if that is to be measured: it is not where waits are as brief as the ones before.
    #[inline]
    fn measures_wait(&mut self) -> bool {
        let brief = self.brief_waits.goes_on();
        if brief {
            self.brief_waits.unmeasured += 1;
            self.idle_time += self.last_idle;
        }
        !brief
    }

    fn begin_wait(&mut self, idle: bool) -> Moment {
        let now = Moment::now();
        self.wait = Some((now, idle));
        now
    }

    /// There is something for it.
    fn end_wait(&mut self) -> Option<Moment> {
        let (since, idle) = self.wait.take()?;
        let now = Moment::now();
        let wait = now.since(since);
        self.brief_waits.measured(wait);
        self.last_idle = if idle { wait } else { Duration::ZERO };
        self.idle_time += self.last_idle;
        Some(now)
    }

    // ----- depth -----

    /// The depth that was found at the last look counts until now.
    fn look(&mut self, now: Moment, level: Level) {
        let (then, before) = std::mem::replace(&mut self.looked, (now, level));
        let since = now.since(then);
        self.long_since |= since >= SLOW;
        self.depth_times.add(before, since);
    }
}

/// Waits that were shorter than what measuring them costs, the last ones in a row.
#[derive(Debug, Default)]
struct Brief {
    in_a_row: u32,
    last: Duration,
    /// Waits that were not measured since one was.
    unmeasured: u32,
}

impl Brief {
    /// Below this a park is not worth its cost. A wait that is not measured is off by less.
    const LIMIT: Duration = Duration::from_micros(2);
    /// So many have to be brief before one is not measured (and a park replaced by a turn of the runtime).
    const BEFORE: u32 = 8;
    /// After so many that were not measured one is again.
    const UNMEASURED: u32 = 63;

    fn measured(&mut self, wait: Duration) {
        self.in_a_row = if wait < Self::LIMIT { self.in_a_row.saturating_add(1) } else { 0 };
        self.last = wait;
        self.unmeasured = 0;
    }

    fn goes_on(&self) -> bool {
        self.in_a_row >= Self::BEFORE && self.unmeasured < Self::UNMEASURED
    }
}

/// The clock is read for the depth after ever more chunks, and at last once for so many.
const CHUNKS_PER_LOOK: u64 = 1024;

impl<T> State<T> {
    pub(super) fn sent(&self) -> u64 {
        self.tally.sent
    }

    /// Counts what is sent, and looks at the depth now and then.
    #[inline]
    pub(super) fn count_sent(&mut self, n: u64) {
        let before = self.tally.sent;
        self.tally.sent = before.wrapping_add(n);
        if self.tally.next_look.wrapping_sub(before) <= n {
            self.look_now();
        }
    }

    #[cold]
    fn look_now(&mut self) {
        let tally = &mut self.tally;
        tally.next_look = tally.sent.wrapping_add(tally.look_step);
        tally.look_step = (tally.look_step * 2).min(CHUNKS_PER_LOOK);
        self.look(Moment::now());
    }

    pub(super) fn look(&mut self, now: Moment) {
        // What is reserved is as good as sent: a sender that was served has only not been polled yet.
        let taken = self.in_flight_now().plus(self.ledger.reserved());
        self.tally.look(now, level(taken, self.ledger.window()));
    }

    /// The receiving end found nothing and leaves its waker.
    #[inline]
    pub(super) fn begin_wait(&mut self) {
        if self.tally.measures_wait() {
            let now = self.tally.begin_wait(self.in_flight_now().is_zero());
            self.look(now);
        }
    }

    /// There is something for it, which is not in flight yet.
    #[inline]
    pub(super) fn end_wait(&mut self) {
        if self.consumer.is_some() {
            self.end_wait_now();
        }
    }

    #[cold]
    fn end_wait_now(&mut self) {
        if let Some(now) = self.tally.end_wait() {
            self.look(now);
        }
    }

    /// What is in flight, less what lies in the tray and the ledger has not seen.
    fn in_flight_now(&self) -> Credit {
        self.outstanding().minus(self.tray.glance().minus(self.armed))
    }

    /// All but what is known without the lock.
    pub(super) fn stats(&mut self) -> Stats {
        let now = Moment::now();
        self.look(now);
        let tally = &self.tally;
        let park = tally.parked.map_or(Duration::ZERO, |(since, _)| now.since(since));
        let for_transport = tally.parked.is_some_and(|(_, for_transport)| for_transport);
        let idle = if let Some((since, true)) = tally.wait { now.since(since) } else { Duration::ZERO };
        let elapsed = now.since(tally.opened);
        // Waits that were not measured are counted as the last one that was: their sum is no more than all the time.
        Stats {
            window: self.ledger.window(),
            credit: self.ledger.credit(),
            depth: self.ledger.in_flight(),
            peak_depth: tally.peak_depth,
            reserved: self.ledger.reserved(),
            sent: tally.sent,
            released: self.ledger.released(),
            forgotten: tally.forgotten,
            waiting: u64::try_from(self.ledger.waiting()).unwrap_or(u64::MAX),
            parks: tally.parks,
            park_time: (tally.park_time + park).min(elapsed),
            parked_for: tally.parked.map(|_| park),
            transport_park_time: tally.transport_park_time + if for_transport { park } else { Duration::ZERO },
            idle_time: (tally.idle_time + idle).min(elapsed),
            depth_times: tally.depth_times,
            work: crate::WorkTimes::default(),
            oldest_work: None,
            round_trip: self.remote.round_trip(),
            over_connection: self.life.is_far() || self.is_listened_to(),
            producers: self.life.producers(),
            elapsed,
        }
    }
}
