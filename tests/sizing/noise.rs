//! Costs that vary: it settles near enough, stays there, and is as fast.

use crate::model::{Costs, Model};
use crate::support::Case;
use crate::trial::{Trial, best_fixed, fixed, formula};
use credit_channel::sizing::Adaptive;
use std::time::Duration;

const MAX: u64 = 512;

#[test]
fn noise_does_not_move_it() {
    for noise in [5, 20, 50] {
        for (latency, consume, produce) in [
            (100, 14_000, 2_000),
            (1_000, 14_000, 2_000),
            (1_000, 1_000, 20_000),
            (10_000, 5_000, 5_000),
            (50_000, 14_000, 2_000),
            (200_000, 14_000, 2_000),
            (200_000, 2_000, 600),
        ] {
            let costs = Costs { noise, ..Costs::micros(latency, consume, produce) };
            let target = formula(costs).min(MAX);
            // The formula knows of means only. Where costs vary by half, a larger window does better than it says;
            // there the measure is its own throughput.
            let top = if noise < 50 { best_fixed(costs, target * 2).1 } else { fixed(costs, target) };
            for seed in [0, 1] {
                let _case = Case(format!("{costs:?}, seed {seed}: {target}"));
                let mut trial = Trial::new(costs, 2, Adaptive::between(2, MAX));
                trial.model = Model::new(costs, 2, seed);
                trial.settles(target, (target / 16).max(1));
                let (rest, before) = (trial.window(), trial.changes.len());
                let reached = trial.throughput(Duration::from_secs(5));
                let after = &trial.changes[before..];
                assert!(
                    after.iter().all(|(_, to)| to.window.abs_diff(rest) <= (target / 16).max(1)),
                    "{rest}: {after:#?}"
                );
                assert!(reached >= top * 0.95, "{reached} of {top} a second");
            }
        }
    }
}
