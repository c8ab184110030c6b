//! Buffers that are used again.
//!
//! A window bounds the bytes in flight; a fresh buffer for each of them still costs an allocation and, if it is large,
//! new pages from the system. A [`BufferPool`] has so many buffers of one size and hands them out one by one. A
//! [`PooledBuf`] is filled, sent, worked on, and comes home when it is dropped, wherever that is; who finds none at home
//! waits in line.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::pool::{BufferPool, PooledBuf};
//! use credit_channel::{Window, weighted};
//!
//! let pool = BufferPool::new(5, 64 << 10)?; // four in the window, and the one that is being filled
//! let (tx, mut rx) = weighted::<PooledBuf>(Window::messages(4).and_bytes(256 << 10))?;
//! let source = tokio::spawn({
//!     let pool = pool.clone();
//!     async move {
//!         for row in 0..100_u64 {
//!             let mut page = pool.take().await;
//!             page.extend_from_slice(&row.to_be_bytes());
//!             if tx.send(page).await.is_err() { return }
//!         }
//!         tx.end();
//!     }
//! });
//! let mut sum = 0;
//! while let Some(page) = rx.recv().await? {
//!     sum += u64::from_be_bytes(page[..].try_into()?);
//! } // the buffer goes home here, and then the credit
//! source.await?;
//! assert_eq!(sum, 4950);
//! assert!(pool.stats().made <= 5, "for 100 pages");
//! # Ok(())
//! # }
//! ```
//!
//! # Which way to send one
//!
//! | sent as | its place is free again | it comes home | allocates |
//! |---|---|---|---|
//! | the [`PooledBuf`] itself | when it is dropped | then | nothing |
//! | [`freeze`](PooledBuf::freeze), a `Bytes` | when it is frozen | once no view is left and a `take` looks | nothing |
//! | `Bytes::from_owner(buf)` | when the last view is gone | then | a few words each time |
//!
//! `Bytes` says nothing when its last view goes. So nobody could be woken by a frozen buffer that comes home, and nobody
//! waits for one: the pool keeps its end of it, and [`take`](BufferPool::take) looks whether the views are gone. Where
//! none is free, as many buffers being frozen as there are places, it lets go of the one that was frozen first (whose
//! memory goes with its views) and makes another. That is a [miss](PoolStats::misses): it costs what no pool costs, and
//! it says that the pool has fewer buffers than are in flight. With one more than the window lets through plus those
//! that are being filled there are none.
//!
//! So what a pool keeps is at most `count` buffers, and what bounds the views beyond those is the window that they are
//! sent through. Where the pool itself has to be the bound, over a transport too, pay for `Bytes::from_owner(buf)`.

mod buf;
mod shelf;
mod stats;

pub use buf::PooledBuf;
pub use stats::PoolStats;

use crate::Window;
use crate::channel::Places;
use crate::sync::shim::Mutex;
use bytes::BytesMut;
use shelf::{Found, Shelf};
use std::sync::Arc;
use std::{error, fmt};

/// A bounded pool of buffers: see the [module](self).
///
/// Clones are handles to the same pool. Buffers are made when they are first needed and kept from then on: the price is
/// up to `count` times `size_bytes` for as long as a handle, or a buffer that is out, lives.
#[derive(Clone)]
pub struct BufferPool {
    inner: Arc<Inner>,
}

/// What the handles and the buffers that are out share.
struct Inner {
    /// Taken before a buffer is, and given back after it: so who has a place finds a buffer, or room for one.
    places: Places,
    shelf: Mutex<Shelf>,
    size_bytes: usize,
}

impl BufferPool {
    /// A pool of `count` buffers of `size_bytes` bytes each.
    ///
    /// For buffers that go through a window of n chunks, n and one for each task that fills one is the `count` at which
    /// only the window is waited for.
    ///
    /// # Errors
    ///
    /// [`PoolError::NoBuffers`] for a count of 0, [`PoolError::Size`] for a size of 0 or more than the address space
    /// has.
    pub fn new(count: u64, size_bytes: usize) -> Result<Self, PoolError> {
        let places = Window::messages(count).check().map_err(|_| PoolError::NoBuffers)?;
        if size_bytes == 0 || isize::try_from(size_bytes).is_err() {
            return Err(PoolError::Size { size_bytes });
        }
        let count = count.min(Window::MAX);
        let shelf = Mutex::new(Shelf::new(count, size_bytes));
        let inner = Inner { places: Places::new(places), shelf, size_bytes };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Takes a buffer, empty, with room for at least the pool's size; waits in line while all are out. Frozen ones are
    /// not out.
    ///
    /// If none is at home it looks through those that were frozen: at one, mostly, at all of them if none is free.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the place in line and nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use credit_channel::pool::BufferPool;
    ///
    /// let pool = BufferPool::new(1, 1024)?;
    /// let mut first = pool.take().await;
    /// first.extend_from_slice(b"ledger");
    /// let address = first.as_ptr();
    /// assert!(pool.try_take().is_none());
    /// drop(first);
    /// let second = pool.take().await;
    /// assert_eq!((second.as_ptr(), second.len()), (address, 0)); // the same, and cleared
    /// # Ok(())
    /// # }
    /// ```
    pub async fn take(&self) -> PooledBuf {
        self.inner.places.claim().await;
        self.take_on_place()
    }

    /// Takes a buffer if that needs no waiting: none if all are out, or if others wait in line.
    #[must_use = "a buffer that is dropped goes home"]
    pub fn try_take(&self) -> Option<PooledBuf> {
        self.inner.places.try_claim().then(|| self.take_on_place())
    }

    /// The numbers as of now.
    #[must_use]
    pub fn stats(&self) -> PoolStats {
        let places = self.inner.places.stats();
        let mut stats = self.inner.shelf.lock().stats();
        (stats.waits, stats.waiting, stats.wait_time) = (places.parks, places.waiting, places.park_time);
        stats
    }

    /// A buffer for one who has a place.
    fn take_on_place(&self) -> PooledBuf {
        let found = self.inner.shelf.lock().take();
        // Memory is neither made nor let go of under the lock.
        let buffer = match found {
            Found::Buffer(buffer) => buffer,
            Found::Room { instead_of } => {
                drop(instead_of);
                BytesMut::with_capacity(self.inner.size_bytes)
            }
        };
        PooledBuf::new(buffer, Arc::clone(&self.inner))
    }
}

impl Inner {
    /// A buffer comes home, or what its views have left of it.
    fn put(&self, mut buffer: BytesMut) {
        buffer.clear();
        let reclaimed = shelf::reclaim(&mut buffer, self.size_bytes);
        let let_go = self.shelf.lock().put(buffer, reclaimed);
        drop(let_go);
        // Last: who is served by this finds the buffer.
        self.places.give_back();
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferPool").field("stats", &self.stats()).finish()
    }
}

/// Why there is no such pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolError {
    /// Who takes from a pool of 0 buffers would wait for ever.
    NoBuffers,
    /// No buffer has this size.
    Size {
        /// The size asked for, in bytes.
        size_bytes: usize,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBuffers => f.write_str("a pool of 0 buffers has nothing to give"),
            Self::Size { size_bytes } => write!(f, "a buffer of {size_bytes} bytes cannot be"),
        }
    }
}

impl error::Error for PoolError {}
