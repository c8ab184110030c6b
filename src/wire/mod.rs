//! The protocol's words, and how they are written in bytes.
//!
//! [`FrameCodec`] turns [`Frame`]s into bytes and bytes into frames, without IO: it is a
//! [`Decoder`](tokio_util::codec::Decoder) and an [`Encoder`](tokio_util::codec::Encoder). PROTOCOL.md, at
//! the root of the repository, is the text it follows.
//!
//! ```text
//!  0      3  4     5      6       7  8        11
//! ┌────────┬──────┬───────┬──────────┬──────────┬──────────────────┐
//! │ length │ type │ flags │ reserved │ channel  │ body, length     │
//! │ u32    │ u8   │ u8    │ u16      │ u32      │ bytes            │
//! └────────┴──────┴───────┴──────────┴──────────┴──────────────────┘
//!  big-endian; `length` is that of the body
//! ```
//!
//! # What a hostile peer can make it do
//!
//! A length is checked as soon as the twelve bytes of the header are there, and nothing is ever reserved for
//! what was only announced: memory grows with what has arrived. A frame of a type that may be ignored is
//! skipped as it arrives. No input makes it panic, and after an error it takes nothing more.

mod code;
mod codec;
mod decode;
mod encode;
mod error;
mod fields;
mod frame;
mod header;
mod hello;
mod run;
mod text;

#[cfg(all(test, not(credit_channel_loom)))]
mod tests;

pub use code::Code;
pub use codec::FrameCodec;
pub use encode::chunk_header;
pub use error::WireError;
pub use frame::{Frame, Grant, Hello, Role, Units, Version};
pub use header::{CHUNK_HEADER_LEN, HEADER_LEN, LARGEST_MAX_FRAME, SMALLEST_MAX_FRAME};
pub(crate) use run::Run;
pub use text::MAX_TEXT;

/// What each side of a byte stream writes first: it tells a peer from somebody else's, and a transport that
/// changes line ends or drops the eighth bit from one that carries bytes (as the PNG signature does).
pub const PREFACE: [u8; 8] = *b"\x89CCH\r\n\x1a\n";
