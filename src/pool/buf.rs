//! A buffer that is out.

use super::Inner;
use crate::Weigh;
use bytes::{Bytes, BytesMut};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::{fmt, mem};

/// A buffer of a [`BufferPool`](super::BufferPool), to be filled and sent. It goes home when it is dropped.
///
/// It dereferences to its `BytesMut`. One that has grown beyond the pool's size does not go home: it is let go of, and
/// another takes its place ([`outgrown`](super::PoolStats::outgrown)), so that what the pool keeps stays what was asked
/// for. (`put` and `read_buf` on a full `BytesMut` make it grow: `(&mut *buf).limit(n)` bounds them.)
///
/// In a window of bytes it weighs what is in it.
#[must_use = "a buffer that is dropped goes home"]
pub struct PooledBuf {
    buffer: BytesMut,
    pool: Arc<Inner>,
}

impl PooledBuf {
    pub(super) fn new(buffer: BytesMut, pool: Arc<Inner>) -> Self {
        Self { buffer, pool }
    }

    /// Makes `Bytes` of what is in it, for a transport, or for several readers. Nothing is copied or allocated.
    ///
    /// Its place in the pool is free from here on. The memory is used again once every view (every clone and slice of
    /// the `Bytes`) is gone, and none of it before: a view of few bytes keeps the whole buffer. See the
    /// [module](super#which-way-to-send-one) for what follows from that, and for `Bytes::from_owner(buf)`, which keeps
    /// the place until then.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::pool::BufferPool;
    ///
    /// let pool = BufferPool::new(2, 1024)?;
    /// let mut address = None;
    /// for _ in 0..100 {
    ///     let mut buf = pool.take().await;
    ///     buf.extend_from_slice(b"ledger");
    ///     let page = buf.freeze();
    ///     assert_eq!(page.as_ptr(), *address.get_or_insert(page.as_ptr()));
    ///     drop(page); // as a transport does when it is written
    /// }
    /// assert_eq!((pool.stats().made, pool.stats().misses), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn freeze(mut self) -> Bytes {
        // What is left of it goes home with the drop of `self`, to be whole again when this is gone.
        self.buffer.split().freeze()
    }
}

impl Drop for PooledBuf {
    fn drop(&mut self) {
        self.pool.put(mem::take(&mut self.buffer));
    }
}

impl Deref for PooledBuf {
    type Target = BytesMut;

    #[inline]
    fn deref(&self) -> &BytesMut {
        &self.buffer
    }
}

impl DerefMut for PooledBuf {
    #[inline]
    fn deref_mut(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }
}

impl AsRef<[u8]> for PooledBuf {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Weigh for PooledBuf {
    fn weight_bytes(&self) -> usize {
        self.buffer.len()
    }
}

impl fmt::Debug for PooledBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, pool: _ } = self;
        f.debug_struct("PooledBuf").field("len", &buffer.len()).field("capacity", &buffer.capacity()).finish()
    }
}
