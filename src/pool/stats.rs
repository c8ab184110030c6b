//! The numbers of a pool.

use std::time::Duration;

/// The numbers of a pool at one moment. Counters only grow; the others are as of the call.
///
/// How to read them: misses that grow say that more is in flight than the pool has buffers, waits that grow while
/// [`out`](Self::out) is at the count say that buffers are held for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PoolStats {
    /// How many buffers it has at most.
    pub count: u64,
    /// At home, ready to be taken.
    pub home: u64,
    /// Out, as [`PooledBuf`](super::PooledBuf)s.
    pub out: u64,
    /// Came back with views of them alive, and nobody has needed them since.
    pub frozen: u64,
    /// Times that one was taken.
    pub taken: u64,
    /// Times that a `take` had to wait.
    pub waits: u64,
    /// Who waits now.
    pub waiting: u64,
    /// Time during which at least one `take` was waiting.
    pub wait_time: Duration,
    /// Buffers made: up to `count` as they are first needed, and one for each that was missed or outgrown.
    pub made: u64,
    /// Times that a frozen buffer was let go of with its views alive and another made: see the
    /// [module](super#which-way-to-send-one).
    pub misses: u64,
    /// Buffers that had grown beyond the pool's size and were let go of.
    pub outgrown: u64,
}
