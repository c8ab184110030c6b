//! Peers that lie in every number that is theirs: none gets past the bounds.

use crate::model::Costs;
use crate::support::Case;
use crate::trial::{Trial, formula};
use credit_channel::sizing::{Adaptive, Sample};
use std::time::Duration;

/// It runs for long enough that a latency which doubles would reach any number.
fn under(tamper: fn(Sample) -> Sample) -> Trial<Adaptive> {
    let costs = Costs::micros(1_000, 14_000, 2_000);
    let mut trial = Trial::new(costs, 4, Adaptive::between(2, 32).byte_budget(20_000));
    trial.tamper = tamper;
    trial.run(Duration::from_secs(20));
    for (at, to) in &trial.changes {
        let _case = Case(format!("at {at:?}: {to:?}"));
        assert!((2..=20).contains(&to.window), "chunks of 1,000 bytes, and a budget of 20,000");
    }
    trial
}

const CHUNK_BYTES: u64 = 1_000;

/// Latency without bound, and it comes down again when the peer stops.
#[test]
fn a_peer_that_delays_its_pongs() {
    let mut trial = under(|sample| sample.latency(Duration::MAX).chunk_bytes(CHUNK_BYTES));
    assert_eq!(trial.window(), 20, "{:?}", trial.changes);
    trial.tamper = |sample| sample.chunk_bytes(CHUNK_BYTES);
    let target = formula(trial.model.costs);
    trial.run(Duration::from_secs(4));
    assert_eq!(trial.window(), target, "{:?}", trial.changes);

    // Each a bit later than the one before.
    let trial = under(|sample| {
        let late = u32::try_from(sample.window * 2).expect("small");
        sample.latency(Duration::from_millis(3) * late).chunk_bytes(CHUNK_BYTES)
    });
    assert_eq!(trial.window(), 20, "it runs away, as far as the bounds");
}

#[test]
fn a_peer_that_claims_to_be_blocked_for_ever() {
    let trial = under(|sample| sample.blocked(true).chunk_bytes(CHUNK_BYTES));
    assert_eq!(trial.window(), formula(trial.model.costs), "{:?}", trial.changes);

    // The same of a consumer that does idle, with costs that nobody knows.
    let trial = under(|mut sample| {
        sample.produce = None;
        sample.blocked(true).idle(true).chunk_bytes(CHUNK_BYTES)
    });
    assert_eq!(trial.window(), 20);
}

#[test]
fn a_peer_that_claims_to_produce_for_nothing() {
    let trial = under(|sample| sample.produce(Duration::ZERO).chunk_bytes(CHUNK_BYTES));
    assert_eq!(trial.window(), 20);
}

/// The bounds go by the largest of the mean and the latest.
#[test]
fn chunks_that_become_a_hundred_times_as_large() {
    let mut trial = under(|sample| sample.produce(Duration::ZERO).chunk_bytes(CHUNK_BYTES));
    trial.tamper = |sample| sample.chunk_bytes(CHUNK_BYTES * 5);
    trial.run(Duration::from_millis(10));
    assert_eq!(trial.window(), 4, "at the first sample");
    trial.tamper = |sample| sample.chunk_bytes(CHUNK_BYTES * 100);
    trial.run(Duration::from_millis(10));
    assert_eq!(trial.window(), 2, "never less");
}
