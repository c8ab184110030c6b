//! The lock, and what comes after it.

use super::buffer::{Folded, Folding, Taken};
use super::lost::Lost;
use super::policy::{Fold, Policy};
use super::state::{After, Found, State, Step};
use super::{DropReason, OfferError, Verdict};
use crate::CancelReason;
use crate::sync::clock::Moment;
use crate::sync::shim::Mutex;
use std::fmt;
use std::task::{Poll, Waker};
use std::time::Duration;

/// What is done with a value that nobody will receive.
pub(super) type OnDrop<T> = Box<dyn Fn(T, DropReason) + Send + Sync>;

pub(super) struct Shared<T> {
    state: Mutex<State<T>>,
    fold: Option<Fold<T>>,
    on_drop: Option<OnDrop<T>>,
    /// Since when times are counted; none where nothing ages, and no clock is read.
    opened: Option<Moment>,
}

impl<T> Shared<T> {
    pub(super) fn new(policy: Policy<T>, time_to_live: Option<Duration>, on_drop: Option<OnDrop<T>>) -> Self {
        let state = State::new(&policy, time_to_live);
        let opened = time_to_live.map(|_| Moment::now());
        Self { state: Mutex::new(state), fold: policy.fold, on_drop, opened }
    }

    /// Runs `f` under the lock; then wakes whom it put on the list, and reports what it lost. `f` is ours: no user
    /// code.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut State<T>, &mut After<T>) -> R) -> R {
        /// What was lost is reported even if a waker panics.
        struct Report<'a, T>(&'a Shared<T>, Lost<T>);
        impl<T> Drop for Report<'_, T> {
            fn drop(&mut self) {
                let Self(shared, lost) = self;
                std::mem::take(lost).report(|value, reason| shared.let_go(value, reason));
            }
        }
        let mut after = After::default();
        let mut state = self.state.lock();
        let result = f(&mut state, &mut after);
        drop(state);
        let After { wakes, lost } = after;
        let report = Report(self, lost);
        wakes.wake();
        drop(report);
        result
    }

    /// One offer, by the policy.
    pub(super) fn offer(&self, value: T) -> Result<Verdict, OfferError<T>> {
        let (now, mut out) = (self.now(), Out::new(self));
        let (done, folding) = self.with(|state, after| match state.offer(value, now, after) {
            Step::Done(done) => (done, None),
            Step::Fold(folding) => (Ok(Verdict::Conflated), Some(out.hold(folding))),
            Step::Full(value) => (Err(state.refuse(value)), None),
        });
        self.fold(folding, out);
        done
    }

    /// One offer, which may wait in line: then value and ticket are where they are to be kept.
    pub(super) fn poll_offer(
        &self,
        value: &mut Option<T>,
        ticket: &mut Option<u64>,
        waker: &Waker,
    ) -> Poll<Result<Verdict, OfferError<T>>> {
        let (now, mut out) = (self.now(), Out::new(self));
        // Cloned before the lock and dropped after it: a waker is user code.
        let mut waker = Some(waker.clone());
        // What has changed hands is put down under the lock: if a waker or a hook panics after it, it is found there.
        let step = self.with(|state, after| {
            let step = match ticket.take() {
                None => state.offer(value.take()?, now, after),
                Some(place) if state.still_waits(place, &mut waker) => {
                    *ticket = Some(place);
                    return None;
                }
                Some(_) => state.put_served(value.take()?, now, after),
            };
            match step {
                Step::Done(done) => Some((done, None)),
                Step::Fold(folding) => Some((Ok(Verdict::Conflated), Some(out.hold(folding)))),
                Step::Full(full) => {
                    *ticket = state.join(&mut waker);
                    if ticket.is_none() {
                        return Some((Err(state.refuse(full)), None));
                    }
                    *value = Some(full);
                    None
                }
            }
        });
        let Some((done, folding)) = step else { return Poll::Pending };
        self.fold(folding, out);
        Poll::Ready(done)
    }

    /// Folds two if there are two, and then what has come beside them meanwhile.
    fn fold(&self, folding: Option<Folding<T>>, mut out: Out<'_, T>) {
        let (Some(fold), Some(mut folding)) = (&self.fold, folding) else { return };
        loop {
            let value = fold(folding.older, folding.newer);
            let folded = self.with(|state, after| {
                out.slot = None;
                match state.folded(folding.slot, value, after) {
                    Folded::Again(next) => Folded::Again(out.hold(next)),
                    folded => folded,
                }
            });
            match folded {
                Folded::Pending => return,
                Folded::Again(next) => folding = next,
                Folded::Gone(value, reason) => return self.let_go(value, reason),
            }
        }
    }

    /// What the consumer finds; a value is put into its hand. If there is nothing its waker is left.
    pub(super) fn take(&self, has_credit: bool, hand: &mut Option<Taken<T>>, waker: &Waker) -> Found {
        let now = self.now();
        let mut look =
            |left: &mut Option<Waker>| self.with(|state, after| state.take(has_credit, now, hand, left, after));
        match look(&mut None) {
            // Cloned outside the lock, and only if need be: so it is looked once more.
            Found::Nothing => look(&mut Some(waker.clone())),
            found => found,
        }
    }

    /// The consumer stops, and what is in its hand or in the buffer goes to the hook.
    pub(super) fn cancel(&self, reason: CancelReason, hand: Option<Taken<T>>) {
        self.with(|state, after| {
            hand.into_iter().for_each(|taken| after.lost.push(taken.value, DropReason::Cancelled));
            state.cancel(reason, after);
        });
    }

    /// Gives a value that nobody will receive to the hook.
    pub(super) fn let_go(&self, value: T, reason: DropReason) {
        match &self.on_drop {
            Some(hook) => hook(value, reason),
            None => drop(value),
        }
    }

    /// Time since the channel was opened; always 0 where nothing ages.
    fn now(&self) -> Duration {
        self.opened.map_or(Duration::ZERO, Moment::elapsed)
    }
}

/// Values in the hands of who folds them. If that unwinds, they are gone, and their slot has to go too.
struct Out<'a, T> {
    shared: &'a Shared<T>,
    slot: Option<u64>,
}

impl<'a, T> Out<'a, T> {
    fn new(shared: &'a Shared<T>) -> Self {
        Self { shared, slot: None }
    }

    fn hold(&mut self, folding: Folding<T>) -> Folding<T> {
        self.slot = Some(folding.slot);
        folding
    }
}

impl<T> Drop for Out<'_, T> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            self.shared.with(|state, after| state.spoilt(slot, after));
        }
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
