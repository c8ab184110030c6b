//! What a value costs, and that some can never be sent.

use super::shared::Shared;
use super::state::Refusal;
use crate::{Credit, SendError, Window};
use std::sync::Arc;

/// Says what a value weighs, in bytes, or that it can never be sent.
pub(crate) type Weigher<T> = Box<dyn Fn(&T) -> Result<usize, Unfit> + Send + Sync>;

/// Why a value can never be sent, whatever the window.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "transport"), expect(dead_code, reason = "in one process every value can be sent"))]
pub(crate) enum Unfit {
    /// The other end of a transport takes nothing so large.
    TooLarge { bytes: u64, limit: u64 },
    /// The codec cannot write it.
    Unencodable(Arc<str>),
}

/// The cost of what can never be sent: more than any window, so that the ledger refuses it. Why it is unfit is
/// asked again once it has been.
const UNFIT: Credit = Credit::new(u64::MAX, u64::MAX);

impl<T> Shared<T> {
    /// What a value costs. Runs the user's weigher, so never under the lock.
    #[inline]
    pub(super) fn cost_of(&self, value: &T) -> Credit {
        match self.weigher() {
            None => self.base_cost(),
            Some(weigh) => {
                weigh(value).map_or(UNFIT, |bytes| self.cost_of_bytes(u64::try_from(bytes).unwrap_or(u64::MAX)))
            }
        }
    }

    /// What a value of so many bytes costs: at least 1 where bytes are counted.
    pub(super) fn cost_of_bytes(&self, bytes: u64) -> Credit {
        let base = self.base_cost();
        let bytes = if base.bytes() == 0 { 0 } else { bytes.clamp(1, Window::MAX) };
        Credit::new(base.messages(), bytes)
    }

    /// The error that gives a refused value back.
    pub(super) fn refuse(&self, refusal: Refusal, value: T, cost: Credit) -> SendError<T> {
        let unfit = match (&refusal, self.weigher()) {
            (Refusal::TooLarge { .. }, Some(weigh)) if cost == UNFIT => weigh(&value).err(),
            _ => None,
        };
        match unfit {
            None => refusal.into_error(value, cost),
            Some(Unfit::Unencodable(text)) => SendError::Unencodable { value, text },
            Some(Unfit::TooLarge { bytes, limit }) => {
                SendError::TooLarge { value, cost: Credit::new(1, bytes), limit: Credit::new(1, limit) }
            }
        }
    }
}
