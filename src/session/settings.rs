//! What one side of a connection wants to be told and can bear.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

/// What one side of a connection wants to be told and can bear.
///
/// A time of zero switches its timer off, except for `linger`. What goes into HELLO is moved into the range
/// that is legal there.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The longest frame body this side takes: 1,024 to 2²⁴ − 1 bytes. A peer can make this side hold as much
    /// for each connection. Default: 1 MiB.
    pub max_frame: u32,
    /// How long the peer may take to say who it is. Default: 10 s.
    pub handshake_timeout: Duration,
    /// After how much silence the peer is asked whether it is there. Default: 10 s.
    pub keepalive: Duration,
    /// After how much silence the peer is given up. To be longer than `keepalive`. Default: 30 s.
    pub idle_timeout: Duration,
    /// How long a frame may take from its first byte to its last. Default: 60 s.
    pub frame_timeout: Duration,
    /// How long the peer may take nothing of what waits to be written. Default: 30 s.
    pub write_timeout: Duration,
    /// How long the peer's end of the stream is waited for once all is said. Default: 5 s.
    pub linger: Duration,
    /// A producer: how long work may be out without any of it being released. `None`, the default: for ever,
    /// since a consumer that takes its time is no broken one.
    pub progress_timeout: Option<Duration>,
    /// How often this side takes a PING. One that comes much oftener costs the peer 50 other frames. Default: 1 s.
    pub ping_interval: Duration,
    /// What the tokens of PING are made from: random, so that no peer can answer before it was asked. Default:
    /// drawn anew.
    pub ping_seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_frame: 1 << 20,
            handshake_timeout: Duration::from_secs(10),
            keepalive: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
            frame_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
            linger: Duration::from_secs(5),
            progress_timeout: None,
            ping_interval: Duration::from_secs(1),
            ping_seed: RandomState::new().hash_one(0),
        }
    }
}
