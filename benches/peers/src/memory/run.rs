//! One run, in a process of its own: the peak of a process's memory is over all its life.

use super::chunk;
use super::contenders::{CONTENDERS, Contender, Processing};
use crate::runtime::Runtime;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// The first argument of such a process; the others are name, processing, and number of chunks.
pub const CHILD: &str = "memory-child";

pub struct Figures {
    pub peak_chunks: u64,
    pub peak_rss_mb: Option<f64>,
    pub seconds: f64,
}

pub fn in_a_process_of_its_own(contender: &Contender, chunks: u64) -> Figures {
    let ourselves = std::env::current_exe().expect("this program is a file");
    let output = Command::new(ourselves)
        .args([CHILD, contender.name, contender.processing.name(), &chunks.to_string()])
        .output()
        .expect("this program starts again");
    assert!(output.status.success(), "{}: {}", contender.name, String::from_utf8_lossy(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).expect("the figures of a run");
    Figures {
        peak_chunks: figures["peak_chunks"].as_u64().expect("a count"),
        peak_rss_mb: figures["peak_rss_mb"].as_f64(),
        seconds: figures["seconds"].as_f64().expect("a time"),
    }
}

/// The other side of it: runs one contender, and prints the figures.
pub fn child(args: &[String]) {
    let [name, processing, chunks] = args else { panic!("{CHILD} NAME PROCESSING CHUNKS") };
    let chunks: u64 = chunks.parse().expect("a number of chunks");
    let is_it = |contender: &&Contender| contender.name == name && contender.processing.name() == processing;
    let contender = CONTENDERS.iter().find(is_it).expect("a contender");

    let start = Instant::now();
    Runtime::Multi.build().block_on(async {
        tokio::spawn((contender.run)(chunks)).await.expect("no panic");
        // What was handed to tasks may still be worked on.
        while contender.processing == Processing::Spawned && chunk::alive() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(chunk::worked_on(), chunks, "chunks were lost");
    println!("{}", json!({"peak_chunks": chunk::peak(), "peak_rss_mb": peak_rss_mb(), "seconds": seconds}));
}

/// Linux calls it the high water mark; elsewhere there is no such file.
fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
