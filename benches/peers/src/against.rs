//! One cell: printed fastest first, with ratios to whatever it is to be compared with, and recorded.

use crate::measure::Series;
use crate::output::Output;
use serde_json::json;

/// Everything is compared with the references, within each round.
pub fn report(output: &mut Output, title: &str, label: &str, references: &[&str], mut all: Vec<Series>) {
    all.sort_by(|a, b| a.ns().median.total_cmp(&b.ns().median));
    println!("\n## {title}: {label}");
    print!("{:<22} {:>11} {:>23}", "contender", "ns/message", "min..max");
    for reference in references {
        print!("   {:<20}", format!("of {reference}"));
    }
    println!();
    for series in &all {
        let ns = series.ns();
        print!("{:<22} {:>11.1} {:>23}", series.name, ns.median, format!("{:.1}..{:.1}", ns.low, ns.high));
        let mut record = json!({
            "workload": title, "cell": label, "contender": series.name, "messages": series.messages,
            "rounds": series.ns.len(), "ns": ns.median,
        });
        for reference in references {
            let other = all.iter().find(|other| other.name == *reference).expect("the references always take part");
            let speed = series.speed_of(other);
            print!("   {speed:<20}");
            record[format!("speed_of_{reference}")] = json!(speed.median);
        }
        println!();
        output.record(&record);
    }
}
