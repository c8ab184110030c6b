//! `Window::for_costs` and `Window::for_workers`, by table.

use crate::support::Dice;
use credit_channel::Window;
use std::time::Duration;

pub(crate) fn limit(window: Window) -> u64 {
    window.message_limit().expect("it counts messages")
}

fn for_costs(latency: Duration, consume: Duration, produce: Duration) -> u64 {
    limit(Window::for_costs(latency, consume, produce))
}

fn for_workers(latency: Duration, consume: Duration, produce: Duration, workers: u32) -> u64 {
    limit(Window::for_workers(latency, consume, produce, workers))
}

const ZERO: Duration = Duration::ZERO;
const NANO: Duration = Duration::from_nanos(1);
const MAX: Duration = Duration::MAX;

#[test]
fn for_costs_by_table() {
    let ms = Duration::from_millis;
    for (latency, consume, produce, window) in [
        (ms(1), ms(14), ms(2), 8),
        (ms(1), ms(1), ms(20), 2),
        (ms(0), ms(20), ms(20), 2),
        (ms(1), ms(20), ms(10), 3),
        (ms(0), ms(30), ms(10), 3),
        (ms(0), ms(30) + NANO, ms(10), 4),
        (ms(200), ms(14), ms(2), 107),
        // What costs nothing.
        (ZERO, ZERO, ZERO, 2),
        (ZERO, ZERO, ms(1), 2),
        (NANO, ZERO, ZERO, Window::MAX),
        (ms(1), ms(14), ZERO, Window::MAX),
        // What takes for ever.
        (MAX, MAX, MAX, 2),
        (MAX, NANO, MAX, 2),
        (MAX, MAX, NANO, Window::MAX),
        (MAX, ZERO, Duration::from_secs(1), Window::MAX),
        (MAX, ZERO, Duration::from_secs(8), 1 << 61),
        (ZERO, ZERO, MAX, 2),
    ] {
        assert_eq!(for_costs(latency, consume, produce), window, "{latency:?}, {consume:?}, {produce:?}");
    }
}

#[test]
fn for_workers_by_table() {
    let ms = Duration::from_millis;
    for (latency, consume, produce, workers, window) in [
        (ms(1), ms(14), ms(2), 1, 2),
        (ms(1), ms(14), ms(2), 0, 2),
        (ms(1), ms(14), ms(2), 4, 5),
        (ms(1), ms(14), ms(2), 6, 7),
        (ms(1), ms(14), ms(2), 7, 8),
        (ms(1), ms(14), ms(2), u32::MAX, 8),
        (ms(1), ms(14), ZERO, 3, 4),
        // 10/3 ms per chunk: no remainder is lost, and none is invented.
        (ZERO, ms(10), ms(1), 3, 3),
        (NANO, ms(10), ms(1), 3, 4),
        (ms(1), ZERO, ZERO, 3, Window::MAX),
        (ZERO, ZERO, ZERO, 3, 2),
        (MAX, MAX, ZERO, u32::MAX, 2 * u64::from(u32::MAX)),
        (MAX, MAX, MAX, u32::MAX, 2),
        (MAX, NANO, ZERO, u32::MAX, Window::MAX),
    ] {
        let found = for_workers(latency, consume, produce, workers);
        assert_eq!(found, window, "{latency:?}, {consume:?}, {produce:?}, {workers}");
    }
}

/// It is the smallest number, from 2 on, that covers the time; and workers never make it larger.
#[test]
fn it_covers_the_time_and_no_more() {
    let mut dice = Dice::new(7);
    for _ in 0..10_000 {
        let mut any = || Duration::from_nanos(dice.below(50_000) + 1);
        let (latency, consume, produce) = (any(), any(), any());
        let window = for_costs(latency, consume, produce);
        let covers = |n: u64| produce * u32::try_from(n).expect("small") >= latency + consume;
        assert!(
            covers(window) && (window == 2 || !covers(window - 1)),
            "{latency:?}, {consume:?}, {produce:?}: {window}"
        );
        let workers = u32::try_from(dice.below(9) + 1).expect("small");
        assert!((2..=window).contains(&for_workers(latency, consume, produce, workers)));
    }
}
