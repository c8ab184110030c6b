//! What the protocol's state machine promises, through its public face, under a clock that only the test moves.
//! H1 to H50 are the numbers of the project's list of hostile and faulty peers.
#![cfg(all(feature = "transport", not(credit_channel_loom)))]

mod lone;
mod wire;

mod cancelling;
mod chunks;
mod credit_rules;
mod endings;
mod floods;
mod fuzz;
mod handshake;
mod keepalive;
mod life;
mod reasons;
mod refresh;
mod state_table;
mod timers;
