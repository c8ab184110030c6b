//! Bytes as they are.

use super::Codec;
use bytes::{Bytes, BytesMut};
use std::convert::Infallible;

/// The codec of [`Bytes`]: a payload as it is, not copied on either side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw;

impl Codec<Bytes> for Raw {
    type Error = Infallible;

    #[inline]
    fn measure(&self, value: &Bytes) -> Result<usize, Infallible> {
        Ok(value.len())
    }

    #[inline]
    fn encode(&self, value: Bytes, _scratch: &mut BytesMut) -> Result<Bytes, Infallible> {
        Ok(value)
    }

    #[inline]
    fn decode(&self, payload: Bytes) -> Result<Bytes, Infallible> {
        Ok(payload)
    }
}
