//! Compares credit-channel with the channels people use today, in one process. `../../README.md` says how to
//! run it and how to read it.

mod alloc;
mod allocs;
mod args;
mod chan;
mod contenders;
mod grid;
mod latency;
mod measure;
mod message;
mod output;
mod ping_pong;
mod runtime;
mod spread;
mod stream;
mod table;
mod throughput;
mod verdict;

use args::{Args, Workload};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use output::Output;

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

fn main() {
    let args = Args::parse();
    let mut output = Output::open(args.json.as_deref())
        .unwrap_or_else(|error| Args::command().error(ErrorKind::Io, format!("--json: {error}")).exit());
    // Its documentation asks for this once: how it waits depends on the number of cores.
    crossfire::detect_backoff_cfg();
    for workload in &args.workloads {
        match workload {
            Workload::Throughput => throughput::run(&args, &mut output),
            Workload::Latency => latency::run(&args, &mut output),
            Workload::Allocs => allocs::run(&args, &mut output),
        }
    }
}
