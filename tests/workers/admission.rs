//! Admission: the tokens and the target by themselves, and a pool that gets twice what it can do.

use crate::support::on_a_paused_clock;
use credit_channel::Failure;
use credit_channel::stages::{Stage, StageError};
use credit_channel::workers::{Admission, Rate, Refused, ResponseTarget, TokenBucket, Workers};
use std::time::Duration;
use tokio::time::{Instant, sleep};

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn tokens_by_table() {
    let mut bucket = TokenBucket::new(Rate::per_second(4.0).with_burst(2));
    // millisecond → admitted
    let table = [
        (0, true),
        (0, true),
        (0, false), // the burst is used up
        (249, false),
        (250, true),
        (250, false),
        (100, false), // a clock that goes backwards brings nothing
        (499, false),
        (500, true),
        (60_000, true),
        (60_000, true),
        (60_000, false), // no more than a burst is kept
    ];
    for (row, (at, admitted)) in table.into_iter().enumerate() {
        assert_eq!(bucket.take(millis(at)), admitted, "row {row}");
    }
    bucket.set_rate(Rate::per_second(1000.0).with_burst(1), millis(60_000));
    assert!(bucket.take(millis(60_001)) && !bucket.take(millis(60_001)));
}

#[test]
fn odd_rates_do_no_harm() {
    for rate in [-1.0, 0.0, f64::NAN, f64::NEG_INFINITY] {
        let mut bucket = TokenBucket::new(Rate::per_second(rate));
        assert!(bucket.take(Duration::ZERO), "{rate}: the first burst");
        assert!(!bucket.take(Duration::MAX), "{rate}: nothing after that");
    }
    let mut unlimited = TokenBucket::new(Rate::per_second(f64::INFINITY));
    assert!((0..10_000).all(|_| unlimited.take(Duration::ZERO)));
}

/// Feeds a hundred response times, and says what the rate is then.
fn after(admission: &mut ResponseTarget, response: impl Fn(u64) -> Duration) -> f64 {
    for n in 0..100 {
        admission.observe(response(n), Duration::ZERO);
    }
    admission.rate().rate_per_second()
}

#[test]
fn the_rate_falls_above_the_target_and_grows_well_below_it() {
    let mut admission = ResponseTarget::new(millis(100), 10.0..=1000.0);
    assert!((admission.rate().rate_per_second() - 1000.0).abs() < 1e-9, "it begins at the highest");
    assert!((after(&mut admission, |_| millis(150)) - 1000.0 / 1.2).abs() < 1e-9);
    assert_eq!(admission.percentile(), Some(millis(150)));
    for _ in 0..100 {
        after(&mut admission, |_| millis(150));
    }
    assert!((admission.rate().rate_per_second() - 10.0).abs() < 1e-9, "no further than the lowest");
    // Old times are forgotten by and by; between half the target and the target it stays.
    for _ in 0..30 {
        after(&mut admission, |_| millis(70));
    }
    let before = admission.rate().rate_per_second();
    assert!((after(&mut admission, |_| millis(70)) - before).abs() < 1e-9);
    for _ in 0..10 {
        after(&mut admission, |_| millis(10));
    }
    let before = admission.rate().rate_per_second();
    // A tenth of the target, or little above it: (1 - 0.1 - 0.1) of a fiftieth of the highest.
    let grown = after(&mut admission, |_| millis(10)) - before;
    assert!((15.0..=16.0).contains(&grown), "{grown}");
    for _ in 0..1000 {
        after(&mut admission, |_| millis(10));
    }
    assert!((admission.rate().rate_per_second() - 1000.0).abs() < 1e-9, "no further than the highest");
}

/// It is the 90th percentile: one slow in ten is none too many, one more is.
#[test]
fn one_slow_in_ten_is_within_the_target() {
    for (slow, falls) in [(10, false), (11, true)] {
        let mut admission = ResponseTarget::new(millis(100), 1.0..=1000.0);
        let rate = after(&mut admission, |n| if n < slow { millis(5000) } else { millis(80) });
        assert_eq!(rate < 999.0, falls, "{slow} slow ones in a hundred");
    }
}

#[test]
fn few_response_times_count_after_a_second() {
    let mut admission = ResponseTarget::new(millis(100), 1.0..=1000.0);
    admission.observe(millis(500), millis(0));
    admission.observe(millis(500), millis(999));
    assert_eq!(admission.percentile(), None);
    admission.observe(millis(500), millis(1000));
    assert_eq!(admission.percentile(), Some(millis(500)));
}

/// Offered twice what one worker can do, for two minutes. Without admission the queue would be as long as the inbox, and
/// each value would take 20 s through it.
#[test]
fn an_overloaded_pool_answers_in_time_what_it_admits() {
    on_a_paused_clock(|| async {
        let (inbox, mut pool) = Workers::new(1..=1)
            .inbox(2000)
            .admission(ResponseTarget::new(millis(500), 1.0..=200.0))
            .spawn(|submitted: Instant| async move {
                sleep(millis(10)).await;
                Ok::<_, Failure>(submitted.elapsed())
            })
            .unwrap();
        let meter = pool.meter();
        let answers = tokio::spawn(async move {
            let mut times = Vec::new();
            while let Some(time) = pool.recv().await.unwrap() {
                times.push(*time);
            }
            times
        });
        for _ in 0..120 * 200 {
            match inbox.try_submit(Instant::now()) {
                Ok(()) | Err(Refused::NotAdmitted(_)) => {}
                Err(refused) => panic!("{refused}"),
            }
            sleep(millis(5)).await;
        }
        let stats = meter.stats();
        inbox.end();
        let times = answers.await.unwrap();
        let mut late = times[times.len() / 2..].to_vec();
        late.sort();
        let ninetieth = late[late.len() * 9 / 10];
        assert!(ninetieth < millis(1000), "{ninetieth:?}");
        assert!(stats.refused_not_admitted > 12_000, "{stats:?}");
        assert!(stats.served > 7000, "it is kept busy: {stats:?}");
        assert_eq!(stats.refused_full, 0);
    });
}

#[test]
fn an_admission_that_panics_stops_the_pool_and_says_so() {
    struct Broken;
    impl Admission for Broken {
        fn rate(&self) -> Rate {
            Rate::per_second(1000.0)
        }
        fn observe(&mut self, _: Duration, _: Duration) {
            panic!("no clock")
        }
    }
    on_a_paused_clock(|| async {
        let (inbox, mut pool) =
            Workers::new(1..=1).admission(Broken).spawn(|n: u8| async move { Ok::<_, Failure>(n) }).unwrap();
        inbox.submit(1).await.unwrap();
        assert_eq!(pool.recv().await.unwrap_err(), StageError::HandlerPanic("no clock".into()));
    });
}
