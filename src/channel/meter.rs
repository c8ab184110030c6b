//! The numbers of a channel, and nothing else.

use super::consumer::CreditConsumer;
use super::lease::Control;
use super::producer::CreditProducer;
use crate::Stats;
use std::fmt;
use std::sync::Arc;

/// Reads the numbers of a channel, or of a stage that has a window of its own, from anywhere and for as long as wanted.
///
/// It keeps the bookkeeping alive and nothing else.
#[derive(Clone)]
pub struct Meter {
    channel: Arc<dyn Control>,
}

impl Meter {
    /// The numbers as of now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.channel.stats()
    }

    /// Whether the numbers are final: the channel is over, and so is the work.
    #[cfg(feature = "metrics")]
    pub(crate) fn is_settled(&self) -> bool {
        self.channel.is_settled()
    }

    #[cfg(feature = "metrics")]
    pub(crate) fn is_of_the_same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.channel, &other.channel)
    }
}

impl<T> CreditConsumer<T> {
    /// A handle that reads this channel's numbers from elsewhere.
    #[must_use]
    pub fn meter(&self) -> Meter {
        Meter { channel: Arc::clone(self.lease().channel()) }
    }
}

impl<T: Send + 'static> CreditProducer<T> {
    /// A handle that reads this channel's numbers from elsewhere: over a connection those of this end. It does not count
    /// as a producer.
    #[must_use]
    pub fn meter(&self) -> Meter {
        let channel: Arc<dyn Control> = Arc::<super::shared::Shared<T>>::clone(self.shared());
        Meter { channel }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}
