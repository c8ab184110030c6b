//! What a session is told of the transport, and what it tells the channel.

use crate::wire::{Grant, Hello};
use crate::{CancelReason, Disconnect, Failure};

/// What has gone through the transport by now, as its driver saw it.
///
/// What carries whole frames counts frames where it says bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Bytes read since the start.
    pub read: u64,
    /// Bytes written since the start.
    pub written: u64,
    /// A frame was begun by the peer and is not complete.
    pub frame_begun: bool,
    /// Something waits to be written or flushed.
    pub writes_pending: bool,
}

/// What the channel has to do.
///
/// One end of a channel hears of one ending at most: the producer of `Cancelled` or `Lost`, the consumer of
/// `Ended`, `Failed`, `Abandoned`, `Drained` or `Lost`, and neither of anything after it. A side that ended
/// or cancelled the channel itself, and got through with it, hears of none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<T> {
    /// The handshake is through; what the peer said.
    Opened(Hello),
    /// Producer: the consumer's books are these now. Already checked.
    ///
    /// After the producer's terminal too: once all is released, all the work is done.
    Granted(Grant),
    /// Producer: the consumer stops. After the producer's terminal it says that the work which is not
    /// released will not be done.
    Cancelled(CancelReason),
    /// Producer: the consumer asks for no more.
    Drain,
    /// Consumer: work came; already checked against the window and the order.
    Chunk {
        /// Its number.
        seq: u64,
        /// What it carries.
        payload: T,
    },
    /// Consumer: all was sent, and all of it came.
    Ended {
        /// The chunks sent, which is those received.
        count: u64,
    },
    /// Consumer: the producer failed after what was sent.
    Failed {
        /// What it said.
        failure: Failure,
        /// Whether chunks that were not handed out yet are to be thrown away.
        discard: bool,
    },
    /// Consumer: the producer was dropped without an end.
    Abandoned,
    /// Consumer: the producer sent what it had accepted, as it was asked to.
    Drained,
    /// Consumer: the producer waits for credit, and knows of all that was announced.
    Blocked,
    /// The connection is over before the channel was: why. For a producer that had ended the channel, what
    /// became of the work is unknown.
    Lost(Disconnect),
}
