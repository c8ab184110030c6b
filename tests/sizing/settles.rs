//! It comes to rest at the formula, from wherever it starts, and does as well as the best fixed window.

use crate::formula::limit;
use crate::model::Costs;
use crate::support::Case;
use crate::trial::{Trial, best_fixed, formula};
use credit_channel::Window;
use credit_channel::sizing::{Adaptive, Cause};
use std::time::Duration;

const MAX: u64 = 512;

/// Latency, work and production in µs.
fn grid() -> impl Iterator<Item = Costs> {
    let latencies = [100, 1_000, 10_000, 50_000, 200_000];
    let costs = [(14_000, 2_000), (1_000, 20_000), (5_000, 5_000), (500, 1_000), (2_000, 600)];
    latencies
        .into_iter()
        .flat_map(move |latency| costs.map(|(consume, produce)| Costs::micros(latency, consume, produce)))
}

#[test]
fn at_the_formula_and_as_fast_as_the_best_fixed_window() {
    for costs in grid() {
        let target = formula(costs).min(MAX);
        let (best, top) = best_fixed(costs, MAX);
        // The formula is right about the model: a window below it is slower, unless a smaller one would do.
        let _case = Case(format!("{costs:?}: formula {target}, best fixed {best} with {top} a second"));
        assert!(best <= target && (best + 1 >= target || target == 2));
        for start in [2, 4, MAX] {
            let _case = Case(format!("started at {start}"));
            let mut trial = Trial::new(costs, start, Adaptive::between(2, MAX));
            trial.settles(target, 1);
            let reached = trial.throughput(Duration::from_secs(2));
            assert!(reached >= top * 0.95, "{reached} of {top} a second at {}", trial.window());
        }
    }
}

/// 14 ms of work, 2 ms of production, 1 ms: 8. One worker or seven: that is the definition.
#[test]
fn by_the_book() {
    for workers in [1, 7, 20] {
        let costs = Costs { workers, ..Costs::micros(1_000, 14_000, 2_000) };
        let mut trial = Trial::new(costs, 4, Adaptive::between(2, 64));
        trial.settles(8, 0);
    }
    let mut trial = Trial::new(Costs::micros(0, 1_000, 20_000), 64, Adaptive::between(2, 64));
    trial.settles(2, 0);
}

/// A producer that costs nothing wants all that there is.
#[test]
fn production_for_nothing() {
    let costs = Costs { workers: 4, ..Costs::micros(1_000, 1_000, 0) };
    let mut trial = Trial::new(costs, 2, Adaptive::between(2, 64));
    trial.settles(64, 0);
}

/// With the bottleneck in view, the same throughput with less in flight.
#[test]
fn with_the_bottleneck_in_view() {
    for workers in [1_u32, 2, 4, 7] {
        let costs = Costs { workers: workers.into(), ..Costs::micros(1_000, 14_000, 1_000) };
        let target = limit(Window::for_workers(costs.latency, costs.consume, costs.produce, workers));
        let (best, top) = best_fixed(costs, 64);
        let _case = Case(format!("{workers} workers: {target} by Little's law, {best} is the best fixed window"));
        assert!(target < formula(costs) && best.abs_diff(target) <= 1);
        let mut trial = Trial::new(costs, 64, Adaptive::between(2, 64).bottleneck_aware(workers));
        trial.settles(target, 1);
        assert!(trial.throughput(Duration::from_secs(4)) >= top * 0.95);
    }
}

/// Credit that is held back has to be there besides.
#[test]
fn with_returns_in_batches() {
    for batch in [2, 4, 8] {
        let costs = Costs { batch, ..Costs::micros(20_000, 4_000, 2_000) };
        let target = formula(costs) + batch - 1;
        let (best, top) = best_fixed(costs, 64);
        let _case = Case(format!("batches of {batch}: {target}, and {best} is the best fixed window"));
        assert!(best <= target && best + 1 >= target);
        let mut trial = Trial::new(costs, 2, Adaptive::between(2, 64));
        trial.settles(target, 1);
        assert!(trial.throughput(Duration::from_secs(2)) >= top * 0.95);
    }
}

/// The same run twice is the same run.
#[test]
fn the_same_again() {
    let run = || {
        let costs = Costs { noise: 30, ..Costs::micros(50_000, 14_000, 2_000) };
        let mut trial = Trial::new(costs, 2, Adaptive::between(2, 64));
        trial.run(Duration::from_secs(5));
        trial.changes
    };
    assert_eq!(run(), run());
    assert!(run().iter().any(|(_, to)| to.cause == Cause::Ramp), "it starts by doubling: {:?}", run());
}
