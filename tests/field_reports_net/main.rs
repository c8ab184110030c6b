//! Public bug reports that concern a connection, each tried on this one; the numbers are those of the project's list.
//!
//! What is said of many channels on one connection is tried with one channel on each. Elsewhere are 11, 31, 55 and parts
//! of 41, 46, 47, 59 (`everywhere`, over every carrier), and 13 and 19 (`many_connections`).
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

#[path = "../support/mod.rs"]
mod support;

mod agreement;
mod both_ways;
mod crumbs;
mod figures;
mod last_items;
mod overtaking;
mod parked;
mod raw;
mod raw_terminals;
mod silence;
mod slow;
mod small_writes;
mod stopped;
mod truncated;
