//! Each of the three costs becomes ten times as large, and goes back.

use crate::model::Costs;
use crate::support::Case;
use crate::trial::{Trial, formula};
use credit_channel::sizing::Adaptive;

const MAX: u64 = 1_024;

fn follows(from: Costs, to: Costs) {
    let mut trial = Trial::new(from, 4, Adaptive::between(2, MAX));
    for costs in [from, to, from, to] {
        let target = formula(costs).min(MAX);
        let _case = Case(format!("to {target}, by {costs:?}"));
        trial.model.costs = costs;
        trial.settles(target, 1);
    }
}

#[test]
fn the_work_times_ten() {
    for latency in [100, 10_000, 200_000] {
        let from = Costs { workers: 100, ..Costs::micros(latency, 3_000, 2_000) };
        follows(from, Costs { consume: from.consume * 10, ..from });
    }
}

#[test]
fn the_production_times_ten() {
    for latency in [100, 10_000, 200_000] {
        let from = Costs { workers: 100, ..Costs::micros(latency, 14_000, 2_000) };
        follows(from, Costs { produce: from.produce * 10, ..from });
    }
}

#[test]
fn the_latency_times_ten() {
    for latency in [100, 1_000, 20_000] {
        let from = Costs { workers: 100, ..Costs::micros(latency, 14_000, 2_000) };
        follows(from, Costs { latency: from.latency * 10, ..from });
    }
}

/// Steps that are too small for the step detection.
#[test]
fn a_fifth_and_a_half() {
    for percent in [20, 30, 50, 80] {
        let from = Costs { workers: 100, ..Costs::micros(100_000, 14_000, 2_000) };
        follows(from, Costs { latency: from.latency * (100 + percent) / 100, ..from });
    }
}
