//! The pair in one process.
//!
//! * [`lifecycle`]: how a channel ends, as a pure state machine.
//! * [`state`]: what the one lock protects: the ledger, the queue, the life, who waits, the [`tally`].
//! * [`shared`]: the lock and the tray, and the steps both ends take on them; [`claim`] is the longest of those,
//!   [`hints`] what spares some of them, [`watch`] waiting for an event.
//! * [`producer`], [`sending`], [`reserving`], [`permit`], [`sink`]: the sending side.
//! * [`consumer`], [`for_each`]: the receiving side, [`turns`] what spares it some parks, [`unwinding`] tells of
//!   handlers that panic; [`chunk`] and [`guard`]
//!   are what it holds, [`lease`] is how a guard finds its way home, [`probe`] times some of them.
//! * [`story`]: what is told to `tracing`.
//! * [`basin`], [`behind`]: what stages hold, both ends in one hand, and what waits behind a producer; [`meter`] reads
//!   the numbers from anywhere. `places` is what a buffer pool holds, the line without a channel.
//! * [`outlet`], [`inlet`]: what the driver of a transport holds in place of a consumer, of a producer;
//!   [`remote`] is what the state does for them.

mod basin;
mod behind;
mod builder;
mod canceller;
mod chunk;
mod claim;
mod consumer;
mod for_each;
mod guard;
mod hints;
#[cfg(feature = "transport")]
mod inlet;
mod lease;
mod lifecycle;
mod meter;
#[cfg(all(test, credit_channel_loom, feature = "transport"))]
mod models;
#[cfg(feature = "transport")]
mod outlet;
mod permit;
#[cfg(feature = "bytes")]
mod places;
mod probe;
mod producer;
mod queue;
#[cfg_attr(not(feature = "transport"), path = "no_remote.rs")]
mod remote;
mod reserving;
mod resizer;
mod sending;
mod shared;
mod sink;
#[cfg(all(test, credit_channel_loom))]
mod stage_models;
mod state;
#[cfg_attr(any(not(feature = "tracing"), credit_channel_loom), path = "no_story.rs")]
mod story;
mod tally;
mod turns;
mod unwinding;
mod watch;
mod weak;
mod weigher;

pub(crate) use basin::Basin;
pub(crate) use behind::Behind;
pub use builder::{Builder, channel, weighted};
pub use canceller::Canceller;
pub use chunk::Chunk;
pub use consumer::{CreditConsumer, Receiving};
pub use guard::CreditGuard;
#[cfg(feature = "transport")]
pub(crate) use inlet::{Inlet, Way};
pub use meter::Meter;
#[cfg(feature = "transport")]
pub(crate) use outlet::{Fill, Outlet};
pub use permit::{OwnedPermit, Permit, Permits};
#[cfg(feature = "bytes")]
pub(crate) use places::Places;
pub use producer::CreditProducer;
pub(crate) use resizer::Resizer;
pub use sending::Sending;
pub use sink::CreditSink;
pub(crate) use unwinding::on_unwind;
pub(crate) use watch::Closing;
pub use weak::WeakProducer;
#[cfg(feature = "transport")]
pub(crate) use weigher::{Unfit, Weigher};
