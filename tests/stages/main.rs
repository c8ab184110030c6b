//! Stages: what they ask for, what they hold, what they carry, and how they end.

#[path = "../support/mod.rs"]
mod support;

mod chains;
mod demand;
mod expand;
mod forward;
mod merge;
mod paged;
mod probe;
mod zip;
