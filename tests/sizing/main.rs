//! Windows for costs: the formula by table.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod formula;
