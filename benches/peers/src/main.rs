//! Compares credit-channel with the channels people use today, in one process. `../../README.md` says how to
//! run it and how to read it.

mod against;
mod alloc;
mod allocs;
mod args;
mod chan;
mod contenders;
mod grid;
mod latency;
mod measure;
mod memory;
mod message;
mod output;
mod ping_pong;
mod runtime;
mod sockets;
mod spread;
mod stages;
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
    // A memory run starts this program again for each of its runs.
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some(memory::CHILD) {
        return memory::child(&words.collect::<Vec<_>>());
    }

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
            Workload::Stages => stages::run(&args, &mut output),
            Workload::Memory => memory::run(&args, &mut output),
            Workload::Sockets => sockets::grid(&args, &mut output),
            Workload::SocketsPublished => sockets::published(&args, &mut output),
        }
    }
}
