//! What the promise is for: 12,000 chunks of 256 kB under a window of 4, through a consumer that works 50 us on
//! each. How much is alive at the peak, how much memory that takes, and how long it all takes.

mod chunk;
mod contenders;
mod run;

pub use run::{CHILD, child};

use crate::args::Args;
use crate::contenders::CREDIT_CHANNEL;
use crate::output::Output;
use crate::spread::Spread;
use chunk::SIZE;
use contenders::{CONTENDERS, Processing, WINDOW};
use run::Figures;
use serde_json::json;

const NAME: &str = "memory";
/// A run is long, and its peak hardly varies.
const MOST_ROUNDS: u64 = 5;

pub fn run(args: &Args, output: &mut Output) {
    let chunks = if args.quick() { 1_000 } else { 12_000 };
    let rounds = args.rounds().min(MOST_ROUNDS);
    let contenders: Vec<_> =
        CONTENDERS.iter().filter(|contender| contender.reference || args.wants(contender.name)).collect();
    let mut runs: Vec<Vec<Figures>> = contenders.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (contender, runs) in contenders.iter().zip(&mut runs) {
            runs.push(run::in_a_process_of_its_own(contender, chunks));
        }
    }

    println!("\n## {NAME}: {chunks} chunks of {SIZE} B, window {WINDOW}, 50 us of work, 2 workers, {rounds} rounds");
    println!(
        "{:<30} {:<10} {:>18} {:>14} {:>12} {:>8}",
        "contender", "processing", "peak chunks alive", "(min..max)", "peak RSS MB", "seconds"
    );
    let mut most = None;
    for (contender, runs) in contenders.iter().zip(&runs) {
        let alive = Spread::of(runs.iter().map(|run| run.peak_chunks as f64));
        // Only Linux tells.
        let rss: Vec<f64> = runs.iter().filter_map(|run| run.peak_rss_mb).collect();
        let rss = (!rss.is_empty()).then(|| Spread::of(rss).median);
        let seconds = Spread::of(runs.iter().map(|run| run.seconds)).median;
        println!(
            "{:<30} {:<10} {:>18.0} {:>14} {:>12} {seconds:>8.3}",
            contender.name,
            contender.processing.name(),
            alive.median,
            format!("{:.0}..{:.0}", alive.low, alive.high),
            rss.map_or_else(|| "?".to_owned(), |mb| format!("{mb:.1}")),
        );
        output.record(&json!({
            "cell": {"workload": NAME, "processing": contender.processing.name(), "chunks": chunks, "bytes": SIZE,
                "window": WINDOW},
            "contender": contender.name, "rounds": rounds, "seconds": seconds,
            "peak_chunks": {"median": alive.median, "min": alive.low, "max": alive.high}, "peak_rss_mb": rss,
        }));
        if contender.name.starts_with(CREDIT_CHANNEL) {
            most = most.max(Some(alive.high as u64));
        }
    }
    if let Some(most) = most {
        println!("{CREDIT_CHANNEL}: at most {most} chunks alive under a window of {WINDOW}, inline or spawned");
    }
}

impl Processing {
    fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Spawned => "spawned",
        }
    }
}
