//! How values become the bytes of a chunk, and bytes values again.

#[cfg(feature = "bincode")]
mod bincode;
#[cfg(feature = "postcard")]
mod postcard;
mod raw;
#[cfg(any(feature = "bincode", feature = "postcard"))]
mod wary;

#[cfg(feature = "bincode")]
pub use self::bincode::{Bincode, BincodeError};
#[cfg(feature = "postcard")]
pub use self::postcard::Postcard;
pub use raw::Raw;

use bytes::{Bytes, BytesMut};
use std::error::Error;

/// Writes values of one type as the payload of a chunk, and reads them back.
///
/// # Examples
///
/// A codec for text:
///
/// ```
/// use bytes::{Bytes, BytesMut};
/// use credit_channel::codec::Codec;
///
/// struct Text;
///
/// impl Codec<String> for Text {
///     type Error = std::string::FromUtf8Error;
///
///     fn measure(&self, value: &String) -> Result<usize, Self::Error> {
///         Ok(value.len())
///     }
///
///     fn encode(&self, value: String, _scratch: &mut BytesMut) -> Result<Bytes, Self::Error> {
///         Ok(value.into())
///     }
///
///     fn decode(&self, payload: Bytes) -> Result<String, Self::Error> {
///         String::from_utf8(payload.into())
///     }
/// }
///
/// let payload = Text.encode("Zürich".to_owned(), &mut BytesMut::new())?;
/// assert_eq!(payload.len(), Text.measure(&"Zürich".to_owned())?);
/// assert_eq!(Text.decode(payload)?, "Zürich");
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
pub trait Codec<T>: Send + Sync + 'static {
    /// What can go wrong.
    type Error: Error + Send + Sync + 'static;

    /// The length of the payload, in bytes: what a chunk costs in a window of bytes. Asked in `send`, where an
    /// error gives the value back.
    ///
    /// # Errors
    ///
    /// If the value cannot be written.
    fn measure(&self, value: &T) -> Result<usize, Self::Error>;

    /// Writes the value; `scratch` is an empty buffer that may be used and split from.
    ///
    /// # Errors
    ///
    /// If the value cannot be written although it could be measured. Then it is too late to give it back, and
    /// the connection is given up.
    fn encode(&self, value: T, scratch: &mut BytesMut) -> Result<Bytes, Self::Error>;

    /// Reads a value. The payload is from the peer: expect anything.
    ///
    /// # Errors
    ///
    /// If the payload is not one value. The consumer is then told
    /// [`Undecodable`](crate::RecvError::Undecodable), and the producer that it was cancelled.
    fn decode(&self, payload: Bytes) -> Result<T, Self::Error>;
}
