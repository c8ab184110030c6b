//! What is published through the `metrics` facade: the numbers that `stats()` has, under the names that the docs list.

#![cfg(all(feature = "metrics", feature = "bytes", not(credit_channel_loom)))]

#[cfg(feature = "transport")]
mod connections;
mod endings;
mod names;
mod recorder;
#[path = "../support/mod.rs"]
mod support;
mod values;
