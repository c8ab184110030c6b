//! The controllers by themselves, on made-up samples and made-up time.

use credit_channel::workers::{BatchSizer, Controller, Fixed, Plan, QueueThreshold, Sample};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn the_queue_threshold_by_table() {
    let mut controller = QueueThreshold::new(10, seconds(5));
    // second, queued, workers, busy → workers
    let table = [
        (1, 0, 2, 2, 2),
        (2, 10, 2, 2, 2),  // at the threshold is not above it
        (3, 11, 2, 2, 3),  // above it
        (4, 99, 3, 3, 4),  // one at a time, however long the queue is
        (5, 0, 4, 1, 4),   // three are idle: since now
        (9, 0, 4, 2, 4),   // two of them all the time
        (10, 0, 4, 1, 2),  // for 5 s: those two go
        (11, 0, 2, 1, 2),  // the third has been idle since 10 only
        (15, 0, 2, 2, 2),  // needed after all
        (16, 0, 2, 1, 2),  // counted anew
        (20, 0, 2, 1, 2),  // 4 s
        (21, 0, 2, 1, 1),  // 5 s
        (22, 11, 1, 0, 2), // a queue and an idle one: it is about to take from it
        (23, 0, 2, 0, 2),
        (28, 0, 2, 0, 0), // the pool sees to it that the fewest stay
        (30, 0, 9, 8, 9), // one idle
        (32, 0, 9, 4, 9), // five
        (33, 0, 9, 6, 9), // three of them still
        (35, 0, 9, 1, 8), // the first one for 5 s
        (37, 0, 8, 1, 6), // two more
        (40, 0, 6, 1, 1), // five more, since 35
    ];
    for (second, queued, workers, busy, expected) in table {
        let sample = Sample { queued, workers, busy, batch: 7, ..Sample::default() };
        let plan = controller.adjust(&sample, seconds(second));
        assert_eq!(plan, Plan { workers: expected, batch: 7 }, "second {second}");
    }
}

#[test]
fn odd_samples_do_no_harm() {
    let mut controller = QueueThreshold::new(0, Duration::ZERO);
    let most = Sample { queued: 1, workers: u64::MAX, busy: 0, ..Sample::default() };
    assert_eq!(controller.adjust(&most, SECOND).workers, u64::MAX);
    let more_busy_than_there_are = Sample { workers: 1, busy: 4, ..Sample::default() };
    assert_eq!(controller.adjust(&more_busy_than_there_are, Duration::ZERO).workers, 1, "and time went backwards");
    assert_eq!(BatchSizer::new().adjust(&Sample::default(), Duration::MAX).batch, 0);
    assert!(Sample::default().output_per_second().abs() < f64::EPSILON);
}

/// A stage whose rate depends on its batch, as a call costs `fixed_us` and each value `each_us`.
fn settle(mut sizer: BatchSizer, fixed_us: u64, each_us: u64, rounds: u64) -> (BatchSizer, u64, Vec<u64>) {
    let mut sample = Sample { batch: 64, max_batch: 64, interval: SECOND, ..Sample::default() };
    let mut seen = Vec::new();
    for round in 0..rounds {
        sample.served = 1_000_000 * sample.batch / (fixed_us + each_us * sample.batch);
        sample.batch = sizer.adjust(&sample, seconds(round)).batch;
        seen.push(sample.batch);
    }
    (sizer, sample.batch, seen)
}

/// Where a call costs nothing by itself, the smallest batch does.
#[test]
fn the_batch_shrinks_as_long_as_the_rate_stays() {
    let (_, batch, seen) = settle(BatchSizer::new(), 0, 100, 12);
    assert_eq!(batch, 1);
    assert_eq!(seen, [64, 56, 48, 40, 32, 24, 16, 8, 1, 1, 1, 1]);
}

/// Where it costs a good deal, the batch stays where that is spread.
#[test]
fn the_batch_stays_where_the_rate_would_fall() {
    let (_, _, seen) = settle(BatchSizer::new(), 1000, 100, 100);
    let late = &seen[50..];
    assert!(late.iter().all(|batch| (24..=64).contains(batch)), "{seen:?}");
    assert!(late.iter().any(|batch| *batch < 64), "{seen:?}");
}

#[test]
fn a_load_that_goes_away_starts_it_over_at_the_largest() {
    let (mut sizer, batch, _) = settle(BatchSizer::new(), 0, 100, 12);
    assert_eq!(batch, 1);
    let sample = Sample { batch, max_batch: 64, interval: SECOND, served: 10, ..Sample::default() };
    assert_eq!(sizer.adjust(&sample, seconds(13)).batch, 64);
    let sample = Sample { batch: 64, ..sample };
    assert_eq!(sizer.adjust(&sample, seconds(14)).batch, 56, "and from there by what it sees now");
}

#[test]
fn a_pair_decides_together() {
    let mut pair = (QueueThreshold::new(0, SECOND), BatchSizer::new());
    let sample = Sample { queued: 5, workers: 2, busy: 2, batch: 3, max_batch: 9, ..Sample::default() };
    assert_eq!(pair.adjust(&sample, SECOND), Plan { workers: 3, batch: 9 });
    let mut boxed: Box<dyn Controller> = Box::new((pair, Fixed { workers: 1, batch: 2 }));
    assert_eq!(boxed.adjust(&sample, SECOND), Plan { workers: 1, batch: 2 }, "the last one decides");
}
