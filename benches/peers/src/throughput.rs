//! The whole grid: nanoseconds per message, and speed against the references.

use crate::args::Args;
use crate::contenders::contenders;
use crate::grid::cells;
use crate::measure::{Entry, Rounds};
use crate::output::Output;
use crate::{table, verdict};

const TITLE: &str = "throughput";
const PILOT: u64 = 20_000;

pub fn run(args: &Args, output: &mut Output) {
    let mut rounds = Rounds::new(args);
    let mut ours = Vec::new();
    for cell in cells(args) {
        let entries: Vec<_> = contenders()
            .into_iter()
            .filter(|contender| args.wants(contender.name))
            .map(|contender| Entry {
                name: contender.name,
                run: Box::new(move |messages| (contender.stream)(cell, messages)),
            })
            .collect();
        let measured = rounds.measure(PILOT, &entries);
        ours.extend(table::report(output, TITLE, &cell.to_string(), &cell.json("throughput"), measured));
    }
    verdict::print(TITLE, &ours);
}
