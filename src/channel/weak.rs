//! A handle that does not keep the channel open.

use super::producer::CreditProducer;
use super::shared::Shared;
use crate::Stats;
use std::fmt;
use std::sync::Arc;

/// A handle that can become a producer again while there is one, and does not count as one.
///
/// What ends the channel is that the last [`CreditProducer`] goes; weak handles do not delay that.
pub struct WeakProducer<T> {
    shared: Arc<Shared<T>>,
}

impl<T> WeakProducer<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared }
    }

    /// A producer, if the channel is still open to them.
    #[must_use]
    pub fn upgrade(&self) -> Option<CreditProducer<T>> {
        let open = self.shared.with(|state, _| {
            let open = state.life.is_open();
            if open {
                state.life.add_producer();
            }
            open
        });
        open.then(|| CreditProducer::new(Arc::clone(&self.shared)))
    }

    /// The channel's numbers, also when every producer is gone.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }
}

impl<T> CreditProducer<T> {
    /// A handle that does not keep the channel open.
    #[must_use = "a weak handle alone does nothing"]
    pub fn downgrade(&self) -> WeakProducer<T> {
        WeakProducer::new(Arc::clone(self.shared()))
    }
}

impl<T> Clone for WeakProducer<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.shared))
    }
}

impl<T> fmt::Debug for WeakProducer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakProducer").finish_non_exhaustive()
    }
}
