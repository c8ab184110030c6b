//! What a channel is watched together with.

use super::sums::{Present, Totals};
#[cfg(feature = "transport")]
use crate::session::ConnectionStats;
#[cfg(feature = "transport")]
use crate::transport::ConnectionMeter;
use crate::workers::PoolMeter;

/// The pool of workers in the channel's window, or the connection under it.
#[derive(Debug, Default)]
pub(super) enum Beside {
    #[default]
    Nothing,
    Pool(PoolMeter),
    #[cfg(feature = "transport")]
    Connection(ConnectionMeter),
}

impl Beside {
    /// What is beside any of the channels of one name.
    pub(super) fn note(&self, kinds: &mut Kinds) {
        match self {
            Self::Nothing => {}
            Self::Pool(_) => kinds.workers = true,
            #[cfg(feature = "transport")]
            Self::Connection(_) => kinds.connections = true,
        }
    }

    /// Adds its numbers; as to how it stands, only if the channel is still there.
    pub(super) fn look(&self, totals: &mut Totals, present: Option<&mut Present>) {
        match self {
            Self::Nothing => {}
            Self::Pool(meter) => {
                let stats = meter.stats();
                totals.add_pool(&stats);
                if let Some(present) = present {
                    present.add_pool(&stats);
                }
            }
            #[cfg(feature = "transport")]
            Self::Connection(meter) => {
                let stats = meter.stats();
                totals.traffic.add(&stats.into());
                // A driver that has not run yet has nothing written down, also no budget.
                if let Some(present) = present.filter(|_| stats != ConnectionStats::default()) {
                    present.budget_used = present.budget_used.max(Present::BUDGET.saturating_sub(stats.budget_left));
                }
            }
        }
    }
}

/// Which metrics there are of a name, beside those of every channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    pub(super) messages: bool,
    pub(super) bytes: bool,
    pub(super) workers: bool,
    #[cfg(feature = "transport")]
    pub(super) connections: bool,
}
