//! The rules of the adaptive policy one by one, on samples made by hand.

use credit_channel::sizing::{Adaptive, Adjustment, Cause, Fixed, Sample, WindowPolicy};
use std::time::Duration;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A busy channel that asks for 8.
fn busy(window: u64) -> Sample {
    let sample = Sample::new(window).latency(ms(1)).consume(ms(14)).produce(ms(2));
    sample.chunks(50).blocked(true).peak_in_flight(window)
}

/// The decision after 100 ms of such samples.
fn decides(mut policy: Adaptive, sample: Sample) -> Adjustment {
    let first = policy.adjust(&sample.chunks(0), ms(0));
    assert!(!first.changes(&sample) || first.cause == Cause::Bounds, "{first:?}");
    policy.adjust(&sample, ms(100))
}

#[test]
fn each_window_has_its_cause() {
    let policy = || Adaptive::between(2, 64);
    let idle = busy(4).blocked(false).idle(true);
    for (sample, window, cause) in [
        (busy(4), 8, Cause::Costs),
        (idle, 8, Cause::Costs),
        (busy(8), 8, Cause::Steady),
        // A3: nobody waited.
        (busy(4).blocked(false), 4, Cause::NotStarved),
        // A4: it is not used.
        (busy(4).peak_in_flight(1), 4, Cause::HalfUsed),
        // A5: one step is a doubling or a halving.
        (busy(2), 4, Cause::Costs),
        (busy(64), 32, Cause::Costs),
        (busy(15), 8, Cause::Costs),
        // Shrinking does not ask who waited.
        (busy(12).blocked(false).peak_in_flight(1), 8, Cause::Costs),
        // A1: at once, whatever the step.
        (busy(1), 2, Cause::Bounds),
        (busy(1_000), 64, Cause::Bounds),
        (busy(0), 2, Cause::Bounds),
        // Too few chunks to go by.
        (busy(4).chunks(15), 4, Cause::TooSoon),
    ] {
        assert_eq!(decides(policy(), sample), Adjustment { window, cause }, "{sample:?}");
    }
}

#[test]
fn it_looks_every_100_ms_and_every_latency() {
    for (latency, looks_at) in [(1, 100), (99, 100), (250, 250)] {
        let sample = busy(2).latency(ms(latency));
        let mut policy = Adaptive::between(2, 64);
        // One look, so that the latency is known.
        assert_eq!(policy.adjust(&sample.peak_in_flight(0), ms(0)).cause, Cause::TooSoon);
        assert_eq!(policy.adjust(&sample.peak_in_flight(0), ms(looks_at)).cause, Cause::HalfUsed);
        assert_eq!(policy.adjust(&sample, ms(2 * looks_at - 1)).cause, Cause::TooSoon, "{latency} ms");
        assert_eq!(policy.adjust(&sample, ms(2 * looks_at)).cause, Cause::Costs, "{latency} ms");
    }
}

#[test]
fn it_makes_no_difference_how_often_it_is_asked() {
    let (mut seldom, mut often) = (Adaptive::between(2, 64), Adaptive::between(2, 64));
    let sample = busy(4);
    let _ = seldom.adjust(&Sample::new(4), ms(0));
    let _ = often.adjust(&Sample::new(4), ms(0));
    for tick in 1..100 {
        assert_eq!(often.adjust(&sample.chunks(1), ms(tick)).window, 4);
    }
    assert_eq!(often.adjust(&sample.chunks(1), ms(100)), seldom.adjust(&sample.chunks(100), ms(100)));
}

#[test]
fn both_sides_have_to_wait_for_a_ramp() {
    let unknown = Sample::new(4).latency(ms(10)).peak_in_flight(4);
    for (sample, window, cause) in [
        (unknown.blocked(true).idle(true), 8, Cause::Ramp),
        (unknown.blocked(true), 4, Cause::TooSoon),
        (unknown.idle(true), 4, Cause::TooSoon),
        (unknown.blocked(true).idle(true).peak_in_flight(1), 4, Cause::TooSoon),
        (unknown.blocked(true).idle(true).consume(ms(1)).produce(ms(1)).chunks(1), 8, Cause::Ramp),
        // The costs speak against it: they ask for 7.
        (unknown.blocked(true).idle(true).consume(ms(4)).produce(ms(2)).chunks(1), 4, Cause::TooSoon),
    ] {
        let mut policy = Adaptive::between(2, 64);
        assert_eq!(policy.adjust(&Sample::new(4), ms(0)).cause, Cause::TooSoon);
        assert_eq!(policy.adjust(&sample, ms(9)).cause, Cause::TooSoon, "not before one latency");
        assert_eq!(policy.adjust(&sample, ms(10)), Adjustment { window, cause }, "{sample:?}");
    }
}

/// Blocked once and idle another time, but with a change between them: no reason for a ramp.
#[test]
fn what_waited_before_a_change_does_not_count() {
    let mut policy = Adaptive::between(2, 64);
    let both = Sample::new(4).latency(ms(1)).blocked(true).idle(true).peak_in_flight(4);
    assert_eq!(policy.adjust(&both, ms(0)).window, 4);
    assert_eq!(policy.adjust(&both, ms(1)).window, 8);
    let blocked = Sample::new(8).latency(ms(1)).blocked(true).peak_in_flight(8);
    assert_eq!(policy.adjust(&blocked, ms(5)).cause, Cause::TooSoon);
    assert_eq!(policy.adjust(&blocked.blocked(false).idle(true), ms(6)).cause, Cause::Ramp);
}

#[test]
fn unused_credit_goes_where_costs_are_unknown() {
    let sample = |spare| Sample::new(16).chunks(20).least_spare(spare);
    let shrinks = |sample| decides(Adaptive::between(2, 64), sample);
    assert_eq!(shrinks(sample(5)), Adjustment { window: 11, cause: Cause::Spare });
    assert_eq!(shrinks(sample(15)), Adjustment { window: 8, cause: Cause::Spare }, "no more than half");
    assert_eq!(shrinks(sample(0)), Adjustment { window: 16, cause: Cause::Steady });
    // Where they are known, they decide: a burst that is not there just now is no reason to be small when it comes.
    let known = busy(8).blocked(false).least_spare(6);
    assert_eq!(shrinks(known), Adjustment { window: 8, cause: Cause::Steady });
}

#[test]
fn a_byte_budget_holds_at_once() {
    let policy = || Adaptive::between(4, 64).byte_budget(1_000);
    for (window, chunk_bytes, expected) in
        [(8, 0, 8), (8, 100, 8), (16, 100, 10), (64, 1, 64), (64, 333, 3), (8, 600, 2), (8, u64::MAX, 2), (2, 1, 4)]
    {
        let adjustment = policy().adjust(&Sample::new(window).chunk_bytes(chunk_bytes), ms(0));
        assert_eq!(adjustment.window, expected, "{window} chunks of {chunk_bytes} bytes");
    }
    assert_eq!(decides(policy(), busy(8).latency(ms(100)).chunk_bytes(90)).window, 11, "the formula says 57");
}

/// Smaller differences wait until the target stood still for three looks.
#[test]
fn a_small_difference_waits() {
    let mut policy = Adaptive::between(2, 64);
    let sample = busy(10).produce(Duration::from_micros(1_310));
    let windows = [0, 100, 200, 300].map(|now| policy.adjust(&sample, ms(now)).window);
    assert_eq!(windows, [10, 10, 10, 12], "15 / 1.31 = 11.5");
}

#[test]
fn what_it_goes_by_can_be_seen() {
    let mut policy = Adaptive::between(2, 64);
    assert_eq!((policy.latency(), policy.consume(), policy.produce()), (None, None, None));
    let _ = policy.adjust(&busy(8), ms(0));
    let _ = policy.adjust(&busy(8), ms(100));
    assert_eq!((policy.latency(), policy.consume(), policy.produce()), (Some(ms(1)), Some(ms(14)), Some(ms(2))));
}

#[test]
fn bounds_that_contradict_each_other() {
    for (min, max, window) in [(0, 0, 2), (0, 10, 8), (16, 4, 16), (u64::MAX, 0, 1 << 62), (2, u64::MAX, 8)] {
        assert_eq!(decides(Adaptive::between(min, max), busy(8)).window, window, "between {min} and {max}");
    }
}

#[test]
fn a_fixed_window_is_fixed() {
    for (fixed, window) in [(4, 4), (0, 1), (u64::MAX, 1 << 62)] {
        let mut policy = Fixed(fixed);
        assert_eq!(policy.adjust(&busy(9), ms(0)), Adjustment { window, cause: Cause::Fixed });
        assert_eq!(policy.adjust(&busy(window), ms(0)), Adjustment { window, cause: Cause::Steady });
    }
}
