//! The options.

use clap::{Parser, value_parser};
use std::net::SocketAddr;
use std::time::Duration;

/// Runs two jobs, and serves their numbers to Prometheus.
///
/// `export` is slow at its far end: its window is full, and its producer waits. `import` is slow at its source: its
/// window is empty, and its consumer waits. Both go on until Ctrl-C.
///
/// Exit status: 130 when Ctrl-C stopped it, 0 with --once; 1 if something failed; 2 for bad arguments, also for an
/// address that can't be listened on.
#[derive(Debug, Parser)]
#[command(name = "prometheus-example", version)]
pub(crate) struct Args {
    /// Where to listen
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:9464")]
    pub(crate) listen: SocketAddr,

    /// How often the numbers are published, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u64).range(1..=60_000))]
    every_ms: u64,

    /// Listen nowhere: after that time print what would be served, and exit
    #[arg(long)]
    pub(crate) once: bool,
}

impl Args {
    pub(crate) fn every(&self) -> Duration {
        Duration::from_millis(self.every_ms)
    }
}
