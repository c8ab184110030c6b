//! Hand work from a producer to a consumer under a credit window.

mod channel;
mod credit;
mod error;
mod ledger;
mod reason;
mod stats;
mod sync;
mod weigh;
mod window;

pub use channel::{
    Builder, Canceller, Chunk, CreditConsumer, CreditGuard, CreditProducer, CreditSink, OwnedPermit, Permit, Permits,
    Receiving, Sending, WeakProducer, channel, weighted,
};
pub use credit::Credit;
pub use error::{
    ForEachError, GuardError, RecvError, SendError, SendTimeoutError, SinkError, TryRecvError, TrySendError,
};
pub use reason::{CancelReason, Closed, Failure};
pub use stats::Stats;
pub use weigh::Weigh;
pub use window::{Oversize, Window, WindowError};
