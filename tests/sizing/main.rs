//! Windows for costs: the formula by table, the adaptive policy in a model of a channel, and against peers that lie.
#![cfg(not(credit_channel_loom))]

#[path = "../support/mod.rs"]
mod support;

mod absurd;
mod formula;
mod hostile;
mod model;
mod noise;
mod rules;
mod settles;
mod steps;
mod suggests;
mod trial;
