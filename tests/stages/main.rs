//! Stages: what they ask for, what they hold, what they carry, and how they end.

#[path = "../support/mod.rs"]
mod support;

mod chains;
mod demand;
mod forward;
mod paged;
