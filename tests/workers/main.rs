//! Pools of workers: what bounds them, what they refuse, how they grow and shrink, and how they end.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod admission;
mod batches;
mod control;
mod drops;
mod endings;
mod inbox;
mod order;
mod scaling;
mod window;
