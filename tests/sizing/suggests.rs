//! What a sample suggests, by table.

use credit_channel::sizing::{Sample, suggest};
use std::time::Duration;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn by_table() {
    let costs = |window| Sample::new(window).latency(ms(1)).consume(ms(14)).produce(ms(2)).chunks(100);
    let blind = |window| Sample::new(window).chunks(100);
    let table = [
        (
            costs(2).blocked(true).idle(true),
            Some(
                "a window of 8 instead of 2: both sides wait, and 1ms of latency and 14ms of work are 8 chunks of 2ms",
            ),
        ),
        (
            blind(2).blocked(true).idle(true),
            Some("a window of 4 instead of 2: the producer waits for credit while the consumer is idle"),
        ),
        (
            costs(4).blocked(true),
            Some(
                "more workers: the producer waits and the consumer never does, so that a larger window than 4 only holds more",
            ),
        ),
        (blind(16).least_spare(10), Some("a window of 6 instead of 16: 10 were never used")),
        (costs(16).least_spare(10), Some("a window of 8 instead of 16: 10 were never used")),
        (blind(16).idle(true).least_spare(16), Some("a window of 2 instead of 16: 16 were never used")),
        // It is large enough for the costs: both sides waited, but not for lack of it.
        (costs(8).blocked(true).idle(true), None),
        (costs(8).least_spare(6), None),
        (costs(4).idle(true), None),
        (blind(16).least_spare(7), None),
        (blind(2).idle(true).least_spare(2), None),
        // Nothing happened at all: no reason to shrink.
        (Sample::new(16).idle(true).least_spare(16), None),
    ];
    for (sample, expected) in table {
        let said = suggest(&sample).map(|suggestion| suggestion.to_string());
        assert_eq!(said.as_deref(), expected, "{sample:?}");
    }
}
