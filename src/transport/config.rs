//! How connections are run.

use crate::Window;
use crate::codec::Raw;
use crate::session::Settings;
use crate::wire::{LARGEST_MAX_FRAME, SMALLEST_MAX_FRAME};
use std::sync::Arc;
use std::time::Duration;

/// How connections are run: what they carry, and how long this side waits for what.
///
/// | | default | |
/// |---|---|---|
/// | [`codec`](Self::codec) | [`Raw`] | how values become bytes |
/// | [`max_frame`](Self::max_frame) | 1 MiB | the longest frame this side takes |
/// | [`ahead`](Self::ahead) | 1,024 messages, 16 MiB | how far sends may run ahead of the transport |
/// | [`handshake_timeout`](Self::handshake_timeout) | 10 s | until the peer has said hello |
/// | [`keepalive`](Self::keepalive) | 10 s | of silence, then the peer is asked whether it is there |
/// | [`idle_timeout`](Self::idle_timeout) | 30 s | of silence, then the connection is given up |
/// | [`frame_timeout`](Self::frame_timeout) | 60 s | for one frame to become complete |
/// | [`write_timeout`](Self::write_timeout) | 30 s | in which the peer takes nothing of what is written |
/// | [`linger`](Self::linger) | 5 s | for the peer to close after this side has |
/// | [`progress_timeout`](Self::progress_timeout) | never | in which a peer that is alive does no work |
///
/// A `Transport` opens any number of connections, and is cheap to clone.
#[derive(Debug)]
pub struct Transport<C = Raw> {
    pub(super) codec: Arc<C>,
    pub(super) settings: Settings,
    pub(super) ahead: Window,
}

/// How far sends may run ahead of the transport, unless it is said.
const AHEAD: Window = Window::messages(1024).and_bytes(16 << 20);

impl Transport<Raw> {
    /// Payloads as they are, and the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self { codec: Arc::new(Raw), settings: Settings::default(), ahead: AHEAD }
    }
}

impl Default for Transport<Raw> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> Clone for Transport<C> {
    fn clone(&self) -> Self {
        Self { codec: Arc::clone(&self.codec), settings: self.settings.clone(), ahead: self.ahead }
    }
}

impl<C> Transport<C> {
    /// How values become bytes, and bytes values. Both ends have to agree; the protocol does not check.
    #[must_use]
    pub fn codec<D>(self, codec: D) -> Transport<D> {
        Transport { codec: Arc::new(codec), settings: self.settings, ahead: self.ahead }
    }

    /// The longest frame this side takes, in bytes: a chunk's payload and 8 more. From 1,024 to 2²⁴ − 1; what is
    /// outside is taken as the nearer of them. The peer is told, and refuses to send a chunk that is longer.
    #[must_use]
    pub fn max_frame(mut self, bytes: u32) -> Self {
        self.settings.max_frame = bytes.clamp(SMALLEST_MAX_FRAME, LARGEST_MAX_FRAME);
        self
    }

    /// A producer: how far its sends may run ahead of what the transport has taken, whatever the consumer grants. It
    /// bounds the memory of a producer whose consumer grants without bound and does not read. In the units that the
    /// consumer's window counts; one chunk always may.
    #[must_use]
    pub fn ahead(mut self, most: Window) -> Self {
        self.ahead = most;
        self
    }

    /// How long the peer has for its hello.
    #[must_use]
    pub fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.settings.handshake_timeout = timeout;
        self
    }

    /// After how much silence the peer is asked whether it is there.
    #[must_use]
    pub fn keepalive(mut self, interval: Duration) -> Self {
        self.settings.keepalive = interval;
        self
    }

    /// After how much silence the connection is given up. Zero is never.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.settings.idle_timeout = timeout;
        self
    }

    /// How long a frame that has begun may take to become complete.
    #[must_use]
    pub fn frame_timeout(mut self, timeout: Duration) -> Self {
        self.settings.frame_timeout = timeout;
        self
    }

    /// How long the peer may take nothing of what waits to be written.
    #[must_use]
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.settings.write_timeout = timeout;
        self
    }

    /// How long the peer has to close after this side has closed.
    #[must_use]
    pub fn linger(mut self, timeout: Duration) -> Self {
        self.settings.linger = timeout;
        self
    }

    /// Gives up on a consumer that is alive and holds chunks, and returns nothing for this long. `None`, the
    /// default: standing still is its right.
    #[must_use]
    pub fn progress_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.progress_timeout = timeout;
        self
    }
}
