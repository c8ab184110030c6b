//! The pair over connections that are late, slow, in crumbs, cut or silent, under a clock that is paused: I1 to I8, and
//! that both ends get away in bounded time with nothing left behind.
//!
//! The connections are `support::link`s, whose fate follows from a seed. A run that fails names what it needs to be had
//! again.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

#[path = "../support/mod.rs"]
mod support;

mod adapting;
mod drained;
mod every_offset;
mod exchange;
mod rhythm;
mod storm;
mod tape;
