//! A pool that grows with its queue and shrinks when it has nothing to do, on a clock that jumps.

use crate::support::on_a_paused_clock;
use credit_channel::stages::{Stage, StageError};
use credit_channel::workers::{Controller, Plan, QueueThreshold, Sample, Workers};
use credit_channel::{CancelReason, Closed, Failure};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const TENTH: Duration = Duration::from_millis(100);

async fn work(n: u64) -> Result<u64, Failure> {
    tokio::time::sleep(SECOND).await;
    Ok(n)
}

#[test]
fn one_more_for_each_sample_above_the_threshold_and_none_when_idle() {
    on_a_paused_clock(|| async {
        let (inbox, mut pool) =
            Workers::new(1..=4).inbox(40).controller(QueueThreshold::new(2, 3 * SECOND), TENTH).spawn(work).unwrap();
        let meter = pool.meter();
        for n in 0..30 {
            inbox.try_submit(n).unwrap();
        }
        tokio::time::sleep(TENTH / 2).await;
        for expected in [1, 2, 3, 4, 4] {
            let stats = meter.stats();
            assert_eq!((stats.workers, stats.busy), (expected, expected));
            tokio::time::sleep(TENTH).await;
        }
        for _ in 0..30 {
            drop(pool.recv().await.unwrap().unwrap());
        }
        assert_eq!(meter.stats().workers, 4, "idle for a moment only");
        tokio::time::sleep(4 * SECOND).await;
        assert_eq!((meter.stats().workers, meter.stats().busy), (1, 0), "and never fewer than the fewest");
        inbox.submit(30).await.unwrap();
        assert_eq!(*pool.recv().await.unwrap().unwrap(), 30, "it goes on");
    });
}

/// A worker that the plan takes away finishes what it has.
#[test]
fn a_smaller_plan_interrupts_nobody() {
    struct Shrinks;
    impl Controller for Shrinks {
        fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
            Plan { workers: if now < SECOND / 4 { 4 } else { 1 }, ..sample.plan() }
        }
    }
    on_a_paused_clock(|| async {
        let (inbox, mut pool) = Workers::new(1..=4).inbox(8).controller(Shrinks, TENTH).spawn(work).unwrap();
        for n in 0..6 {
            inbox.try_submit(n).unwrap();
        }
        tokio::time::sleep(SECOND / 2).await;
        let stats = pool.meter().stats();
        assert_eq!((stats.workers, stats.busy, stats.queued), (1, 4, 2));
        inbox.end();
        let mut count = 0;
        while pool.recv().await.unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 6);
        assert_eq!(pool.meter().stats().uptime.as_secs(), 3, "then one at a time");
    });
}

#[test]
fn samples_say_what_happened_since_the_last() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<(Duration, Sample)>>>);
    impl Controller for Log {
        fn adjust(&mut self, sample: &Sample, now: Duration) -> Plan {
            self.0.lock().unwrap().push((now, *sample));
            sample.plan()
        }
    }
    on_a_paused_clock(|| async {
        let log = Log::default();
        let (inbox, mut pool) =
            Workers::new(2..=5).inbox(10).batch(3).controller(log.clone(), SECOND * 5 / 2).spawn(work).unwrap();
        for n in 0..10 {
            inbox.try_submit(n).unwrap();
        }
        let mut taken = 0;
        while taken < 10 {
            drop(pool.recv().await.unwrap().unwrap());
            taken += 1;
        }
        tokio::time::sleep(2 * SECOND).await;
        let samples = log.0.lock().unwrap().clone();
        let first = Sample {
            queued: 4,
            workers: 2,
            busy: 2,
            batch: 3,
            interval: SECOND * 5 / 2,
            received: 10,
            served: 0,
            service_time: Duration::ZERO,
            min_workers: 2,
            max_workers: 5,
            max_batch: 3,
        };
        let (now, sample) = samples[0];
        assert_eq!(now.as_secs(), 2);
        assert_eq!(Sample { interval: SECOND * 5 / 2, ..sample }, first);
        // By the fifth second 7 are done: two batches of 3 after three seconds, the one of 1 after the fourth.
        let (_, sample) = samples[1];
        assert_eq!((sample.served, sample.received, sample.queued, sample.busy), (7, 0, 0, 1));
        assert_eq!(sample.service_time.as_millis() / 10, 100);
        assert!((sample.output_per_second() - 2.8).abs() < 0.1, "{}", sample.output_per_second());
        let (_, sample) = samples[2];
        assert_eq!((sample.served, sample.queued, sample.busy), (3, 0, 0), "since the last sample only");
        assert_eq!(pool.meter().stats().last_sample.map(|sample| sample.max_workers), Some(5));
        assert_eq!(pool.meter().stats().service_time().as_millis() / 10, 100);
    });
}

/// A pool that may grow does so by itself, unless it is told how.
#[test]
fn a_range_has_a_controller_of_its_own() {
    on_a_paused_clock(|| async {
        let (inbox, pool) = Workers::new(1..=3).inbox(16).spawn(work).unwrap();
        for n in 0..16 {
            inbox.try_submit(n).unwrap();
        }
        tokio::time::sleep(TENTH / 2 + 3 * TENTH).await;
        assert_eq!(pool.meter().stats().workers, 3);
    });
}

#[test]
fn a_controller_that_panics_stops_the_pool_and_says_so() {
    struct Broken;
    impl Controller for Broken {
        fn adjust(&mut self, _: &Sample, _: Duration) -> Plan {
            panic!("no plan")
        }
    }
    on_a_paused_clock(|| async {
        let (inbox, mut pool) = Workers::new(1..=1).inbox(4).controller(Broken, TENTH).spawn(work).unwrap();
        inbox.submit(1).await.unwrap();
        for _ in 0..2 {
            assert_eq!(pool.recv().await.unwrap_err(), StageError::HandlerPanic("no plan".into()));
        }
        assert_eq!(inbox.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
        tokio::time::sleep(TENTH).await;
        assert_eq!(pool.meter().stats().inbox.depth.messages(), 0);
    });
}
