//! The options.

use crate::contenders::REFERENCES;
use crate::message::Payload;
use crate::runtime::Runtime;
use crate::sockets::Kind;
use clap::{Parser, ValueEnum, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// Compares credit-channel with the channels people use today.
///
/// Every round runs every contender once, in an order shuffled anew; figures are medians over the rounds, and
/// ratios are taken within a round. Every run checks that no message was lost.
#[derive(Debug, Parser)]
#[command(name = "peers")]
pub struct Args {
    /// What to measure
    #[arg(required = true, value_enum)]
    pub workloads: Vec<Workload>,

    /// Short runs and few rounds: shows that it works, not who is faster
    #[arg(long)]
    quick: bool,

    /// Rounds per cell [default: 9; 3 if quick]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    rounds: Option<u64>,

    /// How long one run of one contender should take, in milliseconds [default: 60; 10 if quick]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    ms: Option<u64>,

    /// Besides the references, only contenders whose name contains this; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Windows, in messages [default: 4, 64, 1024, and over sockets also 16]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    window: Vec<u32>,

    /// Payloads, in bytes
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', value_enum, default_values_t = Payload::ALL)]
    pub payload: Vec<Payload>,

    /// Runtimes
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_enum, default_values_t = Runtime::ALL)]
    pub runtime: Vec<Runtime>,

    /// Sockets
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_enum, default_values_t = Kind::ALL)]
    pub socket: Vec<Kind>,

    /// Numbers of producers, all to one consumer
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 4])]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    pub producers: Vec<u32>,

    /// Append every figure to this file, a JSON object per line
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Workload {
    /// Producers to one consumer: nanoseconds per message
    Throughput,
    /// There and back over two channels with a window of 1: nanoseconds per round trip
    Latency,
    /// Allocations per message once running
    Allocs,
    /// Stages on a channel against the channel alone: nanoseconds and allocations per message
    Stages,
    /// 12,000 chunks of 256 kB with 50 us of work on each: peak memory
    Memory,
    /// Over TCP and unix sockets, one window after the other: nanoseconds per chunk
    Sockets,
    /// 12,000 chunks of 256 kB over a socket under a window of 4: nanoseconds per chunk
    SocketsPublished,
}

impl Args {
    pub fn quick(&self) -> bool {
        self.quick
    }

    pub fn rounds(&self) -> u64 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 9 })
    }

    pub fn target(&self) -> Duration {
        Duration::from_millis(self.ms.unwrap_or(if self.quick { 10 } else { 60 }))
    }

    /// The windows in process.
    pub fn windows(&self) -> Vec<u32> {
        if self.window.is_empty() { vec![4, 64, 1024] } else { self.window.clone() }
    }

    /// Whether this window is wanted over a socket.
    pub fn wants_window(&self, window: u32) -> bool {
        self.window.is_empty() || self.window.contains(&window)
    }

    /// Whether a contender takes part. The references always do, since the ratios are against them.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || REFERENCES.contains(&name) || self.only.iter().any(|part| name.contains(part))
    }
}
