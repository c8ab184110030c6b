//! The cells of the grid: the circumstances a channel is measured in.

use crate::args::Args;
use crate::message::Payload;
use crate::runtime::Runtime;
use serde_json::{Value, json};
use std::fmt;

#[derive(Clone, Copy)]
pub struct Cell {
    pub runtime: Runtime,
    pub producers: u32,
    pub payload: Payload,
    pub window: u32,
}

impl Cell {
    /// How a workload records where its figures are from.
    pub fn json(&self, workload: &str) -> Value {
        json!({
            "workload": workload, "runtime": self.runtime.to_string(), "producers": self.producers,
            "payload": self.payload.bytes(), "window": self.window,
        })
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runtime, producers, payload, window } = self;
        write!(f, "{runtime}, producers {producers}, payload {payload} B, window {window}")
    }
}

pub fn cells(args: &Args) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &runtime in &args.runtime {
        for &producers in &args.producers {
            for &payload in &args.payload {
                for window in args.windows() {
                    cells.push(Cell { runtime, producers, payload, window });
                }
            }
        }
    }
    cells
}
