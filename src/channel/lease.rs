//! Where a guard's credit goes, and how a guard holds on to it.

use super::probe::Probe;
use crate::sync::Tray;
use crate::{CancelReason, Credit, Stats, Window, WindowError};
use std::ops::Deref;
use std::sync::Arc;

/// What every guard of a channel points to.
///
/// An allocation of its own, so that the count of guards is not beside what the producer writes.
pub(super) struct Lease {
    tray: Arc<Tray>,
    channel: Arc<dyn Control>,
    /// Times the work of the one guard that points to it, if it is a lease for that.
    probe: Option<Probe>,
}

impl Lease {
    pub(super) fn new(tray: Arc<Tray>, channel: Arc<dyn Control>) -> Self {
        Self { tray, channel, probe: None }
    }

    /// One for the same channel that times the work of its guard.
    ///
    /// Its tray is one that is watched for good, so that what comes home takes the way of credit that is waited for:
    /// only there it is asked whether there is a probe, and all the others are spared the question.
    pub(super) fn timed_by(&self, probe: Probe) -> Self {
        let tray = self.tray.of_the_same_units();
        let _ = tray.watch();
        Self { tray: Arc::new(tray), channel: Arc::clone(&self.channel), probe: Some(probe) }
    }

    pub(super) fn probe(&self) -> Option<&Probe> {
        self.probe.as_ref()
    }

    /// Whether guards of the two are of one channel.
    pub(super) fn is_of_the_same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.main().tray, &other.main().tray)
    }

    /// The one that does not time, which is where this one's credit goes.
    pub(super) fn main(&self) -> &Self {
        self.probe.as_ref().map_or(self, |probe| probe.main())
    }

    pub(super) fn channel(&self) -> &Arc<dyn Control> {
        &self.channel
    }

    pub(super) fn counts_bytes(&self) -> bool {
        self.tray.counts_bytes()
    }

    #[inline]
    pub(super) fn come_home(&self, credit: Credit) {
        // Who is waited for goes to the lock anyway, and takes its credit along.
        if self.tray.is_watched() {
            self.settle(credit);
        } else if self.tray.put(credit) {
            self.channel.settle(Credit::ZERO);
        }
    }

    fn settle(&self, credit: Credit) {
        match &self.probe {
            Some(probe) => {
                probe.done();
                probe.main().come_home(credit);
            }
            None => self.channel.settle(credit),
        }
    }
}

/// What a guard or a canceller, which know no `T`, can do to the channel.
pub(super) trait Control: Send + Sync {
    /// Credit comes home while somebody waits for it.
    fn settle(&self, home: Credit);
    /// Takes credit out of the window for good.
    fn forget(&self, credit: Credit);
    /// CANCEL. False if the channel was over or cancelled already.
    fn cancel(&self, reason: CancelReason) -> bool;
    /// The channel's numbers.
    fn stats(&self) -> Stats;
    /// Another window, in the same units.
    fn set_window(&self, window: Window) -> Result<(), WindowError>;
    /// Whether the producers may send no more.
    fn is_over(&self) -> bool;
    /// Whether it is over and all that was in flight has come home, or nobody is left to say so.
    #[cfg(feature = "metrics")]
    fn is_settled(&self) -> bool;
    /// The way there and back is to be measured, if there is one.
    fn measure(&self);
}

/// A guard's reference to its lease.
///
/// Counting it up and down again would be two of the five atomic operations that a message costs. So the
/// last reference that a thread dropped stays with the thread, and its next guard of the same channel takes
/// it over. A consumer that drops each chunk before it receives the next counts nothing at all.
///
/// What a thread keeps, until it drops a guard of another channel or ends, is one channel's bookkeeping: no
/// value, since the queue is emptied when the consumer goes, and no task, since wakers are taken out.
pub(super) struct LeaseRef(Option<Arc<Lease>>);

impl LeaseRef {
    #[inline]
    pub(super) fn new(lease: &Arc<Lease>) -> Self {
        let kept = spare::take().filter(|kept| Arc::ptr_eq(kept, lease));
        Self(Some(kept.unwrap_or_else(|| Arc::clone(lease))))
    }

    /// Lets go of what this thread keeps of the channel.
    pub(super) fn clear_spare(lease: &Arc<Lease>) {
        if let Some(other) = spare::take().filter(|kept| !kept.is_of_the_same_channel(lease)) {
            spare::keep(other);
        }
    }
}

impl Deref for LeaseRef {
    type Target = Arc<Lease>;

    #[inline]
    fn deref(&self) -> &Arc<Lease> {
        match &self.0 {
            Some(lease) => lease,
            None => unreachable!("only `drop` takes it out"),
        }
    }
}

impl Drop for LeaseRef {
    #[inline]
    fn drop(&mut self) {
        if let Some(lease) = self.0.take() {
            spare::keep(lease);
        }
    }
}

#[cfg(not(credit_channel_loom))]
mod spare {
    use super::Lease;
    use std::cell::Cell;
    use std::sync::Arc;

    thread_local! {
        static SPARE: Cell<Option<Arc<Lease>>> = const { Cell::new(None) };
    }

    // A thread that is being torn down keeps nothing: then a reference is counted as usual.

    #[inline]
    pub(super) fn take() -> Option<Arc<Lease>> {
        SPARE.try_with(Cell::take).ok().flatten()
    }

    #[inline]
    pub(super) fn keep(lease: Arc<Lease>) {
        let _ = SPARE.try_with(|spare| drop(spare.replace(Some(lease))));
    }
}

/// The threads of a model share one real thread, and a model's state must not outlive it.
#[cfg(credit_channel_loom)]
mod spare {
    use super::Lease;
    use std::sync::Arc;

    pub(super) fn take() -> Option<Arc<Lease>> {
        None
    }

    pub(super) fn keep(lease: Arc<Lease>) {
        drop(lease);
    }
}
