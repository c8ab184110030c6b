//! What the pair promises (I1 to I10), written once and run over every carrier: in one process, over frames in tokio
//! channels, over messages, over a pipe of 24 bytes and one of 64 KiB, over TCP and a unix socket; each on both kinds of
//! runtime.
//!
//! Between the two ends of a connection news takes time: what is asserted about the other end is waited for.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

#[path = "../support/mod.rs"]
mod support;

mod all_at_once;
mod credit_frames;
mod drops;
mod endings;
mod for_each;
mod gives_back;
mod guards;
mod line;
mod lost;
mod parked_calls;
mod patience;
mod payloads;
mod permits;
mod readiness;
mod receiving;
mod resizing;
mod stream_and_sink;
mod window_holds;
mod work_done;
