//! Where the numbers of a pool are written down.

use super::admission::{Rate, TokenBucket};
use super::control::{Sample, per_second};
use crate::Stats;
use crate::channel::Meter;
use crate::sync::clock::Moment;
use crate::sync::shim::{AtomicU64, Mutex, Ordering};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Reads the numbers of a pool, from anywhere and for as long as wanted. It keeps nothing else alive.
#[derive(Clone)]
pub struct PoolMeter {
    pub(super) board: Arc<Board>,
    window: Meter,
}

impl PoolMeter {
    pub(super) fn new(board: Arc<Board>, window: Meter) -> Self {
        Self { board, window }
    }

    /// Reads those of the window round the pool.
    #[cfg(feature = "metrics")]
    pub(crate) fn window(&self) -> &Meter {
        &self.window
    }

    /// The numbers as of now.
    #[must_use]
    pub fn stats(&self) -> PoolStats {
        let Tally { queued, workers, busy, batch, received, served, work_time, last_sample } = self.board.tally();
        let [full, not_admitted, closed] = &self.board.refused;
        PoolStats {
            inbox: self.window.stats(),
            queued,
            workers,
            busy,
            batch,
            received,
            served,
            refused_full: full.load(Ordering::Relaxed),
            refused_not_admitted: not_admitted.load(Ordering::Relaxed),
            refused_closed: closed.load(Ordering::Relaxed),
            work_time,
            uptime: self.board.now(),
            last_sample,
        }
    }
}

impl fmt::Debug for PoolMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolMeter").finish_non_exhaustive()
    }
}

/// The numbers of one pool at one moment. Counters only grow; the others are as of the pool's last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// The window round it: `depth` is everything that came in and is not done with, queued, in work, waiting to be
    /// taken, or in the hands of who took it; `park_time` is how long others waited for room.
    pub inbox: Stats,
    /// Values that wait for a worker.
    pub queued: u64,
    /// How many workers there are.
    pub workers: u64,
    /// How many of them have something in hand.
    pub busy: u64,
    /// How many values a worker takes at once.
    pub batch: u64,
    /// Values that came in.
    pub received: u64,
    /// Values whose work was done. Once the pool is over, `received - served` are those whose was not.
    pub served: u64,
    /// Submissions refused since the inbox was full.
    pub refused_full: u64,
    /// Submissions refused since the rate was used up.
    pub refused_not_admitted: u64,
    /// Submissions refused since nothing was taken any more.
    pub refused_closed: u64,
    /// The time all workers together had something in hand, that is done.
    pub work_time: Duration,
    /// The time since the pool was made.
    pub uptime: Duration,
    /// What the controller was last shown: service time and output rate of the last interval, not since the beginning.
    pub last_sample: Option<Sample>,
}

impl PoolStats {
    /// What a worker needs for a value, on average since the beginning; zero if nothing was done.
    #[must_use]
    pub fn service_time(&self) -> Duration {
        mean(self.work_time, self.served)
    }

    /// Values done per second, since the beginning.
    #[must_use]
    pub fn output_per_second(&self) -> f64 {
        per_second(self.served, self.uptime)
    }
}

/// A share of that time for each; zero for none.
pub(super) fn mean(time: Duration, count: u64) -> Duration {
    let nanos = time.as_nanos().checked_div(u128::from(count)).unwrap_or(0);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// What the foreman writes down after each turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) queued: u64,
    pub(super) workers: u64,
    pub(super) busy: u64,
    pub(super) batch: u64,
    pub(super) received: u64,
    pub(super) served: u64,
    pub(super) work_time: Duration,
    pub(super) last_sample: Option<Sample>,
}

/// Why a submission was refused, as an index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    Full,
    NotAdmitted,
    Closed,
}

/// What the foreman, the inbox and the meters share: numbers, and the tokens. No value, and no user code under its locks.
pub(super) struct Board {
    began: Moment,
    tally: Mutex<Tally>,
    bucket: Option<Mutex<TokenBucket>>,
    refused: [AtomicU64; 3],
}

impl Board {
    pub(super) fn new(rate: Option<Rate>, tally: Tally) -> Arc<Self> {
        Arc::new(Self {
            began: Moment::now(),
            tally: Mutex::new(tally),
            bucket: rate.map(|rate| Mutex::new(TokenBucket::new(rate))),
            refused: [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)],
        })
    }

    /// The time since the pool was made.
    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub(super) fn write(&self, tally: Tally) {
        *self.tally.lock() = tally;
    }

    fn tally(&self) -> Tally {
        *self.tally.lock()
    }

    /// Takes a token, where there is an admission.
    pub(super) fn admits(&self) -> bool {
        match &self.bucket {
            Some(bucket) => {
                let now = self.now();
                bucket.lock().take(now)
            }
            None => true,
        }
    }

    pub(super) fn set_rate(&self, rate: Rate) {
        if let Some(bucket) = &self.bucket {
            let now = self.now();
            bucket.lock().set_rate(rate, now);
        }
    }

    pub(super) fn refused(&self, why: Why) {
        let [full, not_admitted, closed] = &self.refused;
        let counter = match why {
            Why::Full => full,
            Why::NotAdmitted => not_admitted,
            Why::Closed => closed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
