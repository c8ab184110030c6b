//! Values of serde types, written by bincode 2. The only file that names bincode.

use super::Codec;
use super::wary::Wary;
use bincode::config::{self, Configuration, Limit, LittleEndian, Varint};
use bincode::enc::write::SizeWriter;
use bincode::error::{DecodeError, EncodeError};
use bytes::{BufMut, Bytes, BytesMut};
use serde::{Serialize, de::DeserializeOwned};
use std::{error, fmt};

/// A codec for any serde type: bincode 2 in its standard form (little-endian, variable-length integers).
///
/// A payload has to be one value, to its last byte, of at most [`MAX_DECODED`](Self::MAX_DECODED) bytes. A length that it
/// claims reserves no more than 1 MiB before what it counts is there, and a value that nests deeper than 256 levels is
/// refused, which is no business of types that do not contain themselves. (Each struct, sequence, map, enum and option
/// is a level. There is no such limit on writing.) Two things are the type's to bound, where the peer is not trusted:
///
/// - A value can be larger than its payload by what its parts are as values: an empty `String` is 1 byte there and 24
///   here. [`max_frame`](crate::transport::Transport::max_frame) is what such a factor multiplies.
/// - Elements of no bytes (`Vec<()>`) cost their claimed number in time, and no bytes to claim.
///
/// bincode is unmaintained (RUSTSEC-2025-0141); `Postcard`, behind the feature of that name, is the maintained
/// alternative, and [`Codec`] the way to any other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bincode;

impl Bincode {
    /// The longest payload that is decoded, in bytes: as long as the longest frame.
    pub const MAX_DECODED: usize = (1 << 24) - 1;

    const CONFIG: Configuration<LittleEndian, Varint, Limit<{ Self::MAX_DECODED }>> =
        config::standard().with_limit::<{ Self::MAX_DECODED }>();
}

impl<T: Serialize + DeserializeOwned> Codec<T> for Bincode {
    type Error = BincodeError;

    fn measure(&self, value: &T) -> Result<usize, BincodeError> {
        let mut size = SizeWriter::default();
        bincode::serde::encode_into_writer(value, &mut size, Self::CONFIG)?;
        Ok(size.bytes_written)
    }

    fn encode(&self, value: T, scratch: &mut BytesMut) -> Result<Bytes, BincodeError> {
        bincode::serde::encode_into_std_write(value, &mut scratch.writer(), Self::CONFIG)?;
        Ok(scratch.split().freeze())
    }

    fn decode(&self, payload: Bytes) -> Result<T, BincodeError> {
        let (Wary(value), read) = bincode::serde::decode_from_slice(&payload, Self::CONFIG)?;
        if read < payload.len() {
            return Err(BincodeError(Kind::Trailing { read, length: payload.len() }));
        }
        Ok(value)
    }
}

/// Why bincode could not write or read a value.
#[derive(Debug)]
pub struct BincodeError(Kind);

#[derive(Debug)]
enum Kind {
    Encode(EncodeError),
    Decode(DecodeError),
    Trailing { read: usize, length: usize },
}

impl fmt::Display for BincodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Encode(error) => error.fmt(f),
            Kind::Decode(error) => error.fmt(f),
            Kind::Trailing { read, length } => write!(f, "the value ends after {read} of {length} bytes"),
        }
    }
}

impl error::Error for BincodeError {}

impl From<EncodeError> for BincodeError {
    fn from(error: EncodeError) -> Self {
        Self(Kind::Encode(error))
    }
}

impl From<DecodeError> for BincodeError {
    fn from(error: DecodeError) -> Self {
        Self(Kind::Decode(error))
    }
}
