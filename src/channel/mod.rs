//! The pair in one process.
//!
//! * [`lifecycle`]: how a channel ends, as a pure state machine.
//! * [`state`]: what the one lock protects: the ledger, the queue, the life, who waits, the [`tally`].
//! * [`shared`]: the lock and the tray, and the steps both ends take on them; [`claim`] is the longest of those,
//!   [`hints`] what spares some of them, [`watch`] waiting for an event.
//! * [`producer`], [`sending`], [`reserving`], [`permit`], [`sink`]: the sending side.
//! * [`consumer`], [`for_each`]: the receiving side, [`turns`] what spares it some parks; [`chunk`] and [`guard`]
//!   are what it holds, [`lease`] is how a guard finds its way home.

mod builder;
mod canceller;
mod chunk;
mod claim;
mod consumer;
mod for_each;
mod guard;
mod hints;
mod lease;
mod lifecycle;
mod permit;
mod producer;
mod reserving;
mod sending;
mod shared;
mod sink;
mod state;
mod tally;
mod turns;
mod watch;
mod weak;

pub use builder::{Builder, channel, weighted};
pub use canceller::Canceller;
pub use chunk::Chunk;
pub use consumer::{CreditConsumer, Receiving};
pub use guard::CreditGuard;
pub use permit::{OwnedPermit, Permit, Permits};
pub use producer::CreditProducer;
pub use sending::Sending;
pub use sink::CreditSink;
pub use weak::WeakProducer;
