//! From the user's values to what a chunk carries, and back.

use crate::channel::{Unfit, Weigher};
use crate::codec::Codec;
use ::bytes::{Bytes, BytesMut};
use std::marker::PhantomData;
use std::sync::Arc;

/// How values travel on a link whose chunks carry `Payload`.
pub(super) trait Wrap<T> {
    /// What a chunk carries.
    type Payload;

    /// The bytes that a chunk with this payload costs.
    fn length(payload: &Self::Payload) -> u64;

    fn wrap(&mut self, value: T) -> Result<Self::Payload, Arc<str>>;

    fn unwrap(&mut self, payload: Self::Payload) -> Result<T, Arc<str>>;
}

/// Values as bytes, by a codec.
pub(super) struct Coded<C> {
    codec: Arc<C>,
    scratch: BytesMut,
}

impl<C> Coded<C> {
    pub(super) fn new(codec: Arc<C>) -> Self {
        Self { codec, scratch: BytesMut::new() }
    }

    /// What a value weighs, unless the codec or the peer refuses it.
    pub(super) fn weigher<T>(&self, max_payload: u64) -> Weigher<T>
    where
        C: Codec<T>,
    {
        let codec = Arc::clone(&self.codec);
        Box::new(move |value| {
            let length = codec.measure(value).map_err(|error| Unfit::Unencodable(error.to_string().into()))?;
            let bytes = u64::try_from(length).unwrap_or(u64::MAX);
            if bytes > max_payload {
                return Err(Unfit::TooLarge { bytes, limit: max_payload });
            }
            Ok(length)
        })
    }
}

impl<T, C: Codec<T>> Wrap<T> for Coded<C> {
    type Payload = Bytes;

    #[inline]
    fn length(payload: &Bytes) -> u64 {
        u64::try_from(payload.len()).unwrap_or(u64::MAX)
    }

    #[inline]
    fn wrap(&mut self, value: T) -> Result<Bytes, Arc<str>> {
        self.codec.encode(value, &mut self.scratch).map_err(|error| error.to_string().into())
    }

    #[inline]
    fn unwrap(&mut self, payload: Bytes) -> Result<T, Arc<str>> {
        self.codec.decode(payload).map_err(|error| error.to_string().into())
    }
}

/// Values as they are.
pub(super) struct Plain<T>(PhantomData<fn(T)>);

impl<T> Plain<T> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Wrap<T> for Plain<T> {
    type Payload = T;

    /// Nothing weighs them; a window of bytes is refused.
    fn length(_: &T) -> u64 {
        0
    }

    fn wrap(&mut self, value: T) -> Result<T, Arc<str>> {
        Ok(value)
    }

    fn unwrap(&mut self, payload: T) -> Result<T, Arc<str>> {
        Ok(payload)
    }
}
