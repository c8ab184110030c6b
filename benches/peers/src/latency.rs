//! Ping-pong: every message parks and wakes both ends, so it is the parking that is measured.

use crate::args::Args;
use crate::contenders::contenders;
use crate::measure::{Entry, Rounds};
use crate::output::Output;
use crate::{table, verdict};
use serde_json::json;

const NAME: &str = "latency";
const TITLE: &str = "latency of a round trip, window 1 each way";
const PILOT: u64 = 5_000;

pub fn run(args: &Args, output: &mut Output) {
    let mut rounds = Rounds::new(args);
    let mut ours = Vec::new();
    for &runtime in &args.runtime {
        let entries: Vec<_> = contenders()
            .into_iter()
            .filter(|contender| args.wants(contender.name))
            .map(|contender| Entry {
                name: contender.name,
                run: Box::new(move |trips| (contender.ping_pong)(runtime, trips)),
            })
            .collect();
        let measured = rounds.measure(PILOT, &entries);
        let label = runtime.to_string();
        ours.extend(table::report(output, TITLE, &label, &json!({"workload": NAME, "runtime": label}), measured));
    }
    verdict::print(TITLE, &ours);
}
