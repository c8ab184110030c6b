//! Overflow: what goes when a source cannot be slowed, who hears of it, and what it costs.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod conflating;
mod consuming;
mod hooks;
mod policies;
mod time_to_live;
mod waiting;

use credit_channel::Window;
use credit_channel::overflow::{Builder, DropReason, Offering, Overflowed, Policy};
use std::sync::{Arc, Mutex};

/// What the hook was told.
type Log = Arc<Mutex<Vec<(u64, DropReason)>>>;

/// A channel that logs what it drops.
fn logged(policy: Policy<u64>, window: u64) -> (Offering<u64>, Overflowed<u64>, Log) {
    let log = Log::default();
    let told = Arc::clone(&log);
    let (tx, rx) = Builder::new(policy, Window::messages(window))
        .on_drop(move |value, reason| told.lock().unwrap().push((value, reason)))
        .open()
        .expect("legal limits");
    (tx, rx, log)
}

fn told(log: &Log) -> Vec<(u64, DropReason)> {
    log.lock().unwrap().clone()
}
