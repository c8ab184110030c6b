//! Values of serde types, written by postcard. The only file that names postcard.

use super::Codec;
use super::wary::Wary;
use bytes::{BufMut, Bytes, BytesMut};
use serde::{Serialize, de::DeserializeOwned};

/// A codec for any serde type: [postcard](https://docs.rs/postcard), whose format is specified and which is
/// maintained.
///
/// A payload has to be one value, to its last byte. A length that it claims reserves no more than 1 MiB before what it
/// counts is there, and a value that nests deeper than 256 levels is refused. What is the type's to bound, `Bincode` says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Postcard;

impl<T: Serialize + DeserializeOwned> Codec<T> for Postcard {
    type Error = postcard::Error;

    fn measure(&self, value: &T) -> Result<usize, postcard::Error> {
        postcard::experimental::serialized_size(value)
    }

    fn encode(&self, value: T, scratch: &mut BytesMut) -> Result<Bytes, postcard::Error> {
        postcard::to_io(&value, scratch.writer())?;
        Ok(scratch.split().freeze())
    }

    fn decode(&self, payload: Bytes) -> Result<T, postcard::Error> {
        match postcard::take_from_bytes(&payload)? {
            (Wary(value), []) => Ok(value),
            _ => Err(postcard::Error::DeserializeBadEncoding),
        }
    }
}
