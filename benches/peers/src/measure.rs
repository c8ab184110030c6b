//! Interleaved measuring: every round runs every contender once, so that a noisy neighbour hits them all.

use crate::args::Args;
use crate::spread::Spread;
use std::time::Duration;

/// One run.
#[derive(Clone, Copy)]
pub struct Sample {
    pub messages: u64,
    pub took: Duration,
}

impl Sample {
    /// Nanoseconds per message.
    pub fn ns(&self) -> f64 {
        self.took.as_nanos() as f64 / self.messages as f64
    }
}

/// One contender in one cell: runs so many messages.
pub struct Entry<'a> {
    pub name: &'static str,
    pub run: Box<dyn Fn(u64) -> Sample + 'a>,
}

/// What one contender took in one cell, round by round.
pub struct Series {
    pub name: &'static str,
    /// Messages per run.
    pub messages: u64,
    /// Nanoseconds per message.
    pub ns: Vec<f64>,
}

impl Series {
    pub fn ns(&self) -> Spread {
        Spread::of(self.ns.iter().copied())
    }

    /// How many times as fast as another, taken within each round: above 1 is faster.
    pub fn speed_of(&self, other: &Self) -> Spread {
        Spread::of(self.ns.iter().zip(&other.ns).map(|(own, others)| others / own))
    }
}

pub struct Rounds {
    rounds: u64,
    target: Duration,
    dice: Dice,
}

impl Rounds {
    pub fn new(args: &Args) -> Self {
        Self { rounds: args.rounds(), target: args.target(), dice: Dice(0x9E37_79B9_7F4A_7C15) }
    }

    /// Measures all entries. A pilot run of so many messages sizes each contender's runs: they take about the
    /// same time, however fast it is.
    pub fn measure(&mut self, pilot: u64, entries: &[Entry<'_>]) -> Vec<Series> {
        let mut all: Vec<Series> = entries
            .iter()
            .map(|entry| {
                (entry.run)(pilot / 4); // warms up
                let wanted = self.target.as_nanos() as f64 / (entry.run)(pilot).ns();
                let messages = (wanted as u64).clamp(pilot / 10, pilot * 400);
                Series { name: entry.name, messages, ns: Vec::new() }
            })
            .collect();
        let mut order: Vec<usize> = (0..entries.len()).collect();
        for _ in 0..self.rounds {
            // Shuffled, or a contender would always follow the same one.
            self.dice.shuffle(&mut order);
            for &i in &order {
                let series = &mut all[i];
                series.ns.push((entries[i].run)(series.messages).ns());
            }
        }
        all
    }
}

/// xorshift64*: enough for orders, and the same ones in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n as u64) as usize
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for i in (1..order.len()).rev() {
            order.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dice, Series};

    #[test]
    fn ratios_are_taken_within_a_round() {
        // A neighbour made the second round four times as slow for both.
        let fast = Series { name: "fast", messages: 1, ns: vec![10.0, 40.0, 10.0] };
        let slow = Series { name: "slow", messages: 1, ns: vec![20.0, 80.0, 20.0] };
        assert_eq!(fast.speed_of(&slow).to_string(), "2.00 (2.00..2.00)");
        assert_eq!(slow.speed_of(&fast).to_string(), "0.50 (0.50..0.50)");
    }

    #[test]
    fn a_shuffle_loses_nobody() {
        let mut order: Vec<usize> = (0..9).collect();
        Dice(1).shuffle(&mut order);
        assert_ne!(order, (0..9).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
    }
}
