//! Public bug reports against other channels, pools and flow-controlled streams, each tried on this one. The numbers
//! are those of the project's list; what is asserted is the right outcome, which was not what the report saw.
//!
//! They hold I1 to I8 and I10: the window, exact return, no lost wake-up, endings told apart, drops anywhere.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod credit;
mod deadlock;
mod drops;
mod endings;
mod fairness;
mod numbers;
mod runtime;
mod wakeups;
