//! What the pair promises in one process, promise by promise (I1 to I10), through its public face only.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod blocking;
mod capture;
mod coop;
mod diagnosis;
mod drop_anywhere;
mod endings;
mod guards;
mod line;
mod one_turn;
mod permits;
mod receiving;
mod reentrancy;
mod stats;
mod times;
mod weighing;
