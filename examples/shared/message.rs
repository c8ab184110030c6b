//! What the server sends, chunk by chunk. bincode writes it; both ends have to know the same types.

use crate::row::Row;
use crate::tally::Tally;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One chunk.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// Rows, in the ledger's order.
    Page(Vec<Row>),
    /// The last chunk before END: what the client has by now, unless something was lost.
    Total(Total),
}

/// What the server counted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Total {
    pub(crate) sent: Tally,
    /// How often it had to wait for credit, and how long. Only the sending end knows.
    pub(crate) parks: u64,
    pub(crate) park_time: Duration,
}
