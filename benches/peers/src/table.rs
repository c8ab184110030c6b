//! One cell of a measured grid: printed fastest first, and recorded.

use crate::contenders::{CREDIT_CHANNEL, IDIOM, PLAIN};
use crate::measure::Series;
use crate::output::Output;
use crate::spread::Spread;
use crate::verdict::Ratios;
use serde_json::{Value, json};

/// Prints a cell and returns how credit-channel did in it, if it took part.
pub fn report(output: &mut Output, title: &str, label: &str, cell: &Value, mut all: Vec<Series>) -> Option<Ratios> {
    all.sort_by(|a, b| a.ns().median.total_cmp(&b.ns().median));
    println!("\n## {title}: {label}");
    let (of_idiom, of_plain) = (format!("of {IDIOM}"), format!("of {PLAIN}"));
    println!("{:<22} {:>9} {:>21}   {of_idiom:<24} {of_plain}", "contender", "ns", "ns min..max");
    let mut ours = None;
    for series in &all {
        let ns = series.ns();
        let ratios = Ratios {
            cell: label.to_owned(),
            idiom: series.speed_of(find(&all, IDIOM)),
            plain: series.speed_of(find(&all, PLAIN)),
        };
        let range = format!("{:.1}..{:.1}", ns.low, ns.high);
        let (idiom, plain) = (ratios.idiom, ratios.plain);
        println!("{:<22} {:>9.1} {range:>21}   {idiom:<24} {plain}", series.name, ns.median);
        output.record(&json!({
            "cell": cell, "contender": series.name, "messages": series.messages,
            "rounds": series.ns.len(), "ns": spread(ns), "speed_of_idiom": spread(idiom), "speed_of_plain": spread(plain),
        }));
        if series.name == CREDIT_CHANNEL {
            ours = Some(ratios);
        }
    }
    ours
}

fn find<'a>(all: &'a [Series], name: &str) -> &'a Series {
    all.iter().find(|series| series.name == name).expect("the references always take part")
}

fn spread(spread: Spread) -> Value {
    json!({"median": spread.median, "min": spread.low, "max": spread.high})
}
