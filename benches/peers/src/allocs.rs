//! Allocations per message once running, in every cell of the grid.

use crate::alloc::counted;
use crate::args::Args;
use crate::contenders::{CREDIT_CHANNEL, contenders};
use crate::grid::{Cell, cells};
use crate::measure::Sample;
use crate::output::Output;
use serde_json::json;

const NAME: &str = "allocs";

pub struct PerMessage {
    pub calls: f64,
    pub bytes: f64,
}

/// The difference between a run of n messages and one of a tenth of that: what opening, warming up and ending
/// allocate is in both.
pub fn per_message(stream: fn(Cell, u64) -> Sample, cell: Cell, n: u64) -> PerMessage {
    let allocated = |messages| {
        let mut sent = 0;
        let allocated = counted(|| sent = stream(cell, messages).messages);
        (allocated, sent as f64)
    };
    let ((less, few), (more, many)) = (allocated(n / 10), allocated(n));
    // Less than nothing is noise: how often a contender parks, and allocates to do so, differs from run to run.
    let per_message = |more: u64, less: u64| ((more as f64 - less as f64) / (many - few)).max(0.0);
    PerMessage { calls: per_message(more.calls, less.calls), bytes: per_message(more.bytes, less.bytes) }
}

pub fn run(args: &Args, output: &mut Output) {
    let n = if args.quick() { 50_000 } else { 200_000 };
    let cells = cells(args);
    println!("\n## {NAME}: per message, over {} cells", cells.len());
    println!("{:<22} {:>16} {:>20}   most at", "contender", "calls min..max", "bytes min..max");
    let mut ours = None;
    for contender in contenders().into_iter().filter(|contender| args.wants(contender.name)) {
        let mut all = Vec::new();
        for &cell in &cells {
            let PerMessage { calls, bytes } = per_message(contender.stream, cell, n);
            output.record(&json!({
                "cell": cell.json(NAME), "contender": contender.name, "messages": n,
                "calls_per_message": calls, "bytes_per_message": bytes,
            }));
            all.push((calls, bytes, cell));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(least), Some(most)) = (all.first(), all.last()) else { return };
        let bytes = all.iter().fold((f64::MAX, f64::MIN), |(low, high), (_, b, _)| (low.min(*b), high.max(*b)));
        println!(
            "{:<22} {:>16} {:>20}   ({})",
            contender.name,
            format!("{:.3}..{:.3}", least.0, most.0),
            format!("{:.1}..{:.1}", bytes.0, bytes.1),
            most.2
        );
        if contender.name == CREDIT_CHANNEL {
            ours = Some(format!("{:.4} allocations per message at ({})", most.0, most.2));
        }
    }
    if let Some(most) = ours {
        println!("{CREDIT_CHANNEL}: at most {most}");
    }
}
