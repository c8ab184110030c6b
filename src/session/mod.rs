//! The protocol as a state machine, without IO: frames and the time go in, frames and events come out.
//!
//! A [`Session`] is one end of one connection. It is generic over what a chunk carries, and knows nothing
//! of sockets, tasks or tokio: whoever drives it reads and writes frames, looks at the clock, and holds
//! the chunks.
//!
//! ```text
//!    frames from the peer ──▶ handle_frame   ─┬─▶ an event, or none: what the channel has to do
//!       the stream is over ──▶ handle_close   │
//!            the time is up ──▶ handle_timeout ┘
//!                                            ┌─────────┐
//!     bytes came and went ──▶ handle_io    ─▶│         ├─▶ poll_frame ──▶ frames to the peer
//!  end · fail · cancel · … ──▶ (commands)  ─▶│ Session │
//!      a chunk to be sent ──▶ send ──▶ its  ─│         ├─▶ poll_timeout ─▶ when to come back
//!                                   frame    └─────────┘
//! ```
//!
//! # Driving it
//!
//! 1. Each `handle_*` gives back at most one event, which the channel has to act on at once: nothing is
//!    kept. A chunk that came is such an event.
//! 2. After anything went in, take frames from [`poll_frame`](Session::poll_frame) as long as there is room
//!    to write them, then ask [`poll_timeout`](Session::poll_timeout). Chunks come after those frames,
//!    from [`send`](Session::send), while [`may_send`](Session::may_send).
//! 3. After bytes came or went, and when the writer becomes empty, call [`handle_io`](Session::handle_io).
//! 4. When [`wants_write_closed`](Session::wants_write_closed), flush what is left and close the write side,
//!    but go on reading.
//! 5. When [`is_over`](Session::is_over), drop the transport. Nothing comes out any more.
//!
//! `now` is an argument everywhere and does not go back.
//!
//! # The life of a session
//!
//! ```text
//!  ┌───────────┐ HELLO came ┌──────┐  producer: END out, all released; ERROR out ┌─────────┐ EOF,   ┌──────┐
//!  │ Handshake ├───────────▶│ Open ├─ producer: CANCEL came ────────────────────▶│ Closing ├───────▶│ Over │
//!  └─────┬─────┘            └──┬───┘  consumer: terminal came, finished, CREDIT  │         │ linger └──────┘
//!        │                     │                out                              │ write   │           ▲
//!        │                     │      consumer: CANCEL out                       │ side    │           │
//!        ├─────────────────────┼─ consumer: CANCEL out ─────────────────────────▶│ closed, │           │
//!        ├─────────────────────┼─ a rule broken, a time out: GOAWAY out ────────▶│ reading │           │
//!        │                     ├─ GOAWAY came ──────────────────────────────────▶│ goes on │           │
//!        │                     │                                                 └─────────┘           │
//!        └─────────────────────┴─ EOF too early, an IO error ──────────────────────────────────────────┘
//! ```
//!
//! # Invariants
//!
//! Checked after every step in debug builds:
//!
//! 1. No more is sent than the peer granted.
//! 2. No more is known to be released than was sent.
//! 3. No more is taken in than was announced.
//! 4. No more is announced than the channel granted.
//! 5. Nothing is said after the last word: what waits to be said in Closing is GOAWAY, with HELLO before
//!    it, and nothing else.
//! 6. Whoever is Closing or Over has told its channel how it ended, and tells it nothing more.
//!
//! Memory is O(1): one slot for each kind of control frame, whose newest content counts; chunks are never
//! kept here.

mod budget;
mod clock;
mod commands;
mod consuming;
mod counts;
mod event;
mod handshake;
mod keepalive;
mod machine;
mod outputs;
mod producing;
mod reasons;
mod settings;
mod slots;
mod timers;

pub use counts::{ConnectionStats, FrameCounts};
pub use event::{Event, Traffic};
pub use machine::Session;
pub use settings::Settings;
