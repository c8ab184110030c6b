//! Made-up work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What is owed has to come to so much before it is waited for: a timer is no finer than 1 ms.
const WORTH_A_WAIT: i64 = 1_000_000;

/// What a chunk costs, in microseconds; can be changed while it is in force.
#[derive(Debug)]
pub(crate) struct Cost(AtomicU64);

impl Cost {
    pub(crate) fn new(micros: u64) -> Self {
        Self(AtomicU64::new(micros))
    }

    pub(crate) fn micros(&self) -> u64 {
        self.0.load(Relaxed)
    }

    pub(crate) fn set(&self, micros: u64) {
        self.0.store(micros, Relaxed);
    }
}

/// Waits for as long as the work would take: on average, and by itself a little more or less.
#[derive(Debug)]
pub(crate) struct Pace {
    /// In nanoseconds; less than zero if the last wait was too long.
    owed: i64,
    dice: u64,
}

impl Pace {
    pub(crate) fn new(seed: u64) -> Self {
        Self { owed: 0, dice: seed }
    }

    /// The work on one chunk.
    pub(crate) async fn work(&mut self, micros: u64) {
        self.owed += self.nanos(micros);
        if self.owed < WORTH_A_WAIT {
            // So that a task whose work costs nothing still lets others have their turn.
            return tokio::task::yield_now().await;
        }
        let began = Instant::now();
        tokio::time::sleep(Duration::from_nanos(self.owed.unsigned_abs())).await;
        let slept = i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX);
        // What was slept too long is made up for, but not a machine that was suspended.
        self.owed = self.owed.saturating_sub(slept).max(-10 * WORTH_A_WAIT);
    }

    /// From half of it to one and a half.
    fn nanos(&mut self, micros: u64) -> i64 {
        // A multiplier of Knuth's; only looks have to be random.
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let thousandths = 500 + (self.dice >> 33) % 1001;
        i64::try_from(micros.saturating_mul(thousandths)).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn the_dice_are_fair() {
        let mut pace = Pace::new(7);
        let mean = (0..10_000).map(|_| pace.nanos(1000)).sum::<i64>() / 10_000;
        assert!((980_000..1_020_000).contains(&mean), "{mean}");
        assert_eq!(pace.nanos(0), 0);
    }
}
