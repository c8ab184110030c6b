//! One cell: printed fastest first, with ratios to the references, and recorded.

use crate::measure::Series;
use crate::output::Output;
use serde_json::json;

/// What everything is compared with, within each round.
pub const REFERENCES: [&str; 3] = ["raw", "raw+hand-credit", "remoc-bin"];

pub fn report(output: &mut Output, title: &str, label: &str, mut all: Vec<Series>) {
    all.sort_by(|a, b| a.ns().median.total_cmp(&b.ns().median));
    println!("\n## {title}: {label}");
    print!("{:<18} {:>11} {:>23}", "contender", "ns/chunk", "min..max");
    for reference in REFERENCES {
        print!("   {:<20}", format!("of {reference}"));
    }
    println!();
    for series in &all {
        let ns = series.ns();
        print!("{:<18} {:>11.1} {:>23}", series.name, ns.median, format!("{:.1}..{:.1}", ns.low, ns.high));
        let mut record = json!({
            "workload": title, "cell": label, "contender": series.name, "chunks": series.messages,
            "rounds": series.ns.len(), "ns": ns.median,
        });
        for reference in REFERENCES {
            let other = all.iter().find(|other| other.name == reference).expect("the references always take part");
            let speed = series.speed_of(other);
            print!("   {speed:<20}");
            record[format!("speed_of_{reference}")] = json!(speed.median);
        }
        println!();
        output.record(&record);
    }
}
