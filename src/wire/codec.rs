//! The codec: both directions of one connection.

use super::decode::Reading;
use super::encode::Writing;
use super::error::WireError;
use super::frame::Frame;
use super::header::{LARGEST_MAX_FRAME, SMALLEST_MAX_FRAME};
use super::run::Run;
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// Frames into bytes and back.
///
/// It judges each frame by itself: its type, its channel, its length, the values in its fields. Whether a
/// frame may come now, and from this side, is for the session.
///
/// On a byte stream ([`new`](Self::new)) the preface comes first, both ways: it is expected before the first
/// frame that is read, and written before the first that is encoded. Where the transport carries messages
/// ([`for_messages`](Self::for_messages)) there is none, and each message is exactly one frame.
///
/// # Reading without trusting lengths
///
/// [`decode`](Decoder::decode) never reserves room in the buffer it is given. When it says `None`, its caller
/// reads more, and makes room by its own policy: [`wanted`](Self::wanted) says how much the frame at hand
/// still needs, which is the peer's word and no more than that. Payloads are views of the buffer, and keep it
/// alive.
///
/// After an error it takes nothing more and says the same error again.
///
/// # Examples
///
/// ```
/// use bytes::{Bytes, BytesMut};
/// use credit_channel::wire::{Frame, FrameCodec};
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut buffer = BytesMut::new();
/// FrameCodec::new(1 << 20).encode(Frame::Chunk { seq: 0, payload: Bytes::from("work") }, &mut buffer)?;
///
/// let mut codec = FrameCodec::new(1 << 20);
/// let mut some = buffer.split_to(30);
/// assert_eq!(codec.decode(&mut some)?, None);
/// assert!(codec.is_mid_frame());
/// assert_eq!(codec.wanted(), 2);
/// some.unsplit(buffer);
/// assert_eq!(codec.decode(&mut some)?, Some(Frame::Chunk { seq: 0, payload: Bytes::from("work") }));
/// # Ok::<(), credit_channel::wire::WireError>(())
/// ```
#[derive(Debug)]
pub struct FrameCodec {
    reading: Reading,
    writing: Writing,
}

impl FrameCodec {
    /// A codec for a stream of bytes, which takes frames whose body has at most `max_frame` bytes.
    ///
    /// `max_frame` is what this side says in its HELLO; it is taken as the nearest legal value,
    /// [`SMALLEST_MAX_FRAME`] to [`LARGEST_MAX_FRAME`]. A peer can make this side hold that much for a frame
    /// that is not whole yet, at the price of having sent it.
    #[must_use]
    pub fn new(max_frame: u32) -> Self {
        Self { reading: Reading::stream(legal(max_frame)), writing: Writing::stream() }
    }

    /// A codec for a transport of messages: one frame each, no preface.
    ///
    /// [`decode`](Decoder::decode) takes all that is in its buffer as one message.
    #[must_use]
    pub fn for_messages(max_frame: u32) -> Self {
        Self { reading: Reading::messages(legal(max_frame)), writing: Writing::messages() }
    }

    /// Says how long a body the peer takes: the `max_frame` of its HELLO.
    ///
    /// Until then no body of more than [`SMALLEST_MAX_FRAME`] bytes is written, which every peer takes: texts
    /// are cut to fit, and a chunk that does not fit is an error.
    pub fn set_peer_max_frame(&mut self, max_frame: u32) {
        self.writing.peer_max_frame = legal(max_frame);
    }

    /// Reads a message that is one frame, without copying the payload out of it.
    ///
    /// # Errors
    ///
    /// [`WireError::Violation`] if it is not exactly one frame, or not a legal one.
    pub fn decode_message(&mut self, message: Bytes) -> Result<Frame<Bytes>, WireError> {
        self.reading.decode_message(message)
    }

    /// Takes the chunks that are there as a whole, up to the first frame that is none.
    #[inline]
    pub(crate) fn take_run(&mut self, src: &mut BytesMut) -> Run {
        self.reading.take_run(src)
    }

    /// How many more bytes the frame at hand needs (or its header, or the preface), as of when
    /// [`decode`](Decoder::decode) last said `None`.
    ///
    /// It is announced and not sent: a reader that grows its buffer by it should let it grow no faster than
    /// bytes arrive.
    #[must_use]
    pub fn wanted(&self) -> usize {
        self.reading.wanted()
    }

    /// Whether a frame (or the preface) was begun and is not whole, as of when [`decode`](Decoder::decode)
    /// last said `None`: a frame that takes too long is a peer's way to hold memory for nothing, and a stream
    /// that ends here was cut.
    #[must_use]
    pub fn is_mid_frame(&self) -> bool {
        self.reading.is_mid_frame()
    }
}

impl Decoder for FrameCodec {
    type Item = Frame<Bytes>;
    type Error = WireError;

    #[inline]
    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Frame<Bytes>>, WireError> {
        self.reading.decode(src)
    }

    /// As [`decode`](Decoder::decode); a stream that ends inside a frame is an
    /// [`UnexpectedEof`](std::io::ErrorKind::UnexpectedEof).
    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Frame<Bytes>>, WireError> {
        self.reading.decode_eof(src)
    }
}

impl Encoder<Frame<Bytes>> for FrameCodec {
    type Error = WireError;

    /// Appends a frame. A text that is longer than [`MAX_TEXT`](super::MAX_TEXT) is cut.
    ///
    /// # Errors
    ///
    /// [`WireError::Io`] of [`InvalidInput`](std::io::ErrorKind::InvalidInput), with nothing of the frame
    /// written: a chunk that is longer than the peer takes, a HELLO whose values are out of bounds, an
    /// [`Ignored`](Frame::Ignored) frame of a type that a peer would not ignore.
    fn encode(&mut self, frame: Frame<Bytes>, dst: &mut BytesMut) -> Result<(), WireError> {
        self.writing.encode(frame, dst)
    }
}

fn legal(max_frame: u32) -> u32 {
    max_frame.clamp(SMALLEST_MAX_FRAME, LARGEST_MAX_FRAME)
}
