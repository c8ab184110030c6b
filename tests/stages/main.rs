//! Stages: what they ask for, what they hold, what they carry, and how they end.

#[path = "../support/mod.rs"]
mod support;

mod all_arrive;
mod batch;
mod buffer;
mod chains;
mod demand;
mod expand;
mod forward;
mod map_concurrent;
mod map_concurrent_failures;
mod merge;
mod one_in_ten_thousand;
mod own_window;
mod paged;
mod pass_through;
mod probe;
mod reorder;
mod reorder_gaps;
mod sources;
mod suite;
mod zip;
