//! Samples that make no sense, in no order: no panic, and never out of bounds.

use crate::support::{Case, Dice};
use credit_channel::sizing::{Adaptive, Sample, WindowPolicy, suggest};
use std::time::Duration;

fn number(dice: &mut Dice) -> u64 {
    match dice.below(6) {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => 1 << dice.below(64),
        4 => dice.below(100),
        _ => dice.below(1 << 40),
    }
}

fn duration(dice: &mut Dice) -> Option<Duration> {
    match dice.below(8) {
        0 => None,
        1 => Some(Duration::ZERO),
        2 => Some(Duration::MAX),
        3 => Some(Duration::from_nanos(1)),
        4 => Some(Duration::from_secs(number(dice))),
        _ => Some(Duration::from_nanos(number(dice))),
    }
}

fn sample(dice: &mut Dice, window: u64) -> Sample {
    let mut sample = Sample::new(if dice.below(4) == 0 { number(dice) } else { window });
    sample.latency = duration(dice);
    sample.consume = duration(dice);
    sample.produce = duration(dice);
    sample
        .chunks(number(dice))
        .blocked(dice.below(2) == 0)
        .idle(dice.below(2) == 0)
        .peak_in_flight(number(dice))
        .least_spare(number(dice))
        .held_back(number(dice))
        .chunk_bytes(number(dice))
}

#[test]
fn ten_thousand_samples_that_make_no_sense() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let max = number(&mut dice).clamp(2, 1 << 62);
        let budget = number(&mut dice);
        let mut policy = Adaptive::between(number(&mut dice).min(max), max).byte_budget(budget);
        if seed % 2 == 0 {
            policy = policy.bottleneck_aware(u32::try_from(number(&mut dice)).unwrap_or(u32::MAX));
        }
        let (mut window, mut now) = (2, Duration::ZERO);
        for step in 0..10_000 {
            let sample = sample(&mut dice, window);
            let _case = Case(format!("seed {seed}, step {step}: {sample:?} at {now:?}"));
            window = policy.adjust(&sample, now).window;
            assert!((2..=max).contains(&window), "{window} of 2 to {max}");
            let weight = u128::from(window) * u128::from(sample.chunk_bytes);
            assert!(window == 2 || weight <= budget.into(), "{window} chunks, {budget} bytes");
            if let Some(suggestion) = suggest(&sample) {
                assert!(suggestion.window.message_limit() > Some(0) && !suggestion.to_string().is_empty());
            }
            // Forwards as a rule, sometimes to the end of time and back.
            now = match dice.below(50) {
                0 => duration(&mut dice).unwrap_or_default(),
                _ => now.saturating_add(Duration::from_millis(dice.below(300))),
            };
        }
    }
}
