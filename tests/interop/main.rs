//! A peer that no compiler of ours has seen: the other end is plain Python 3, written from PROTOCOL.md.
//!
//! `python/peer.py` is a producer or a consumer with a command line; it checks what this crate sends, and says at the
//! end what it saw. `peer` runs it, `meeting` makes the connection, and the rest are the tests.

#![cfg(all(feature = "transport", not(credit_channel_loom)))]

#[path = "../support/mod.rs"]
mod support;

mod conversations;
mod endings;
mod liveness;
mod meeting;
mod missing;
mod payloads;
mod peer;
#[cfg(unix)]
mod socket_path;
mod streaming;
mod vectors;
mod windows;
