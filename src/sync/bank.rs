//! Guards that go home together.

use super::WakeList;
use super::shim::Mutex;
use std::task::{Context, Poll, Waker};
use std::{fmt, mem};

/// Where the guards of a stage gather on their way home, so that what they carry goes back in batches.
///
/// ```text
///   admit ──▶ out ──deposit──▶ home ──all of it, when it is due──▶ leaving ──dropped──▶ free
/// ```
///
/// What is gathered is due
///
/// * when it is as much as the low-water mark,
/// * when nothing is out any more: nobody would bring the rest,
/// * while somebody is kept waiting, for room here or by what is before the stage: it may be waited for just this,
/// * and from the end of the stage on.
///
/// So nothing is kept back unless somebody still holds a guard that will come, and nobody asks.
///
/// # Invariants
///
/// 1. Out, home and leaving together never exceed the capacity.
/// 2. While nothing is due, less than the low-water mark is home; where nothing is out, nothing is home.
///
/// Guards and wakers are dropped and woken outside the lock.
pub(crate) struct Bank<G> {
    state: Mutex<State<G>>,
    capacity: u64,
    low_water: u64,
}

struct State<G> {
    /// With those who work on the values.
    out: u64,
    /// Came home, to go on together.
    home: Vec<G>,
    /// On its way to be dropped: frees its room once it is.
    leaving: u64,
    /// Somebody is kept waiting.
    wanted: bool,
    /// The stage is over.
    closed: bool,
    /// Waits for room.
    waiter: Option<Waker>,
}

impl<G> Bank<G> {
    /// For at most `capacity` at once, of which `low_water` go back together. The caller has checked the two.
    pub(crate) fn new(capacity: u64, low_water: u64) -> Self {
        debug_assert!((1..=capacity).contains(&low_water), "a mark within the capacity");
        let state = State { out: 0, home: Vec::new(), leaving: 0, wanted: false, closed: false, waiter: None };
        Self { state: Mutex::new(state), capacity, low_water }
    }

    /// Lets one more out, when there is room. Pending, the waker is woken once there is.
    pub(crate) fn poll_admit(&self, cx: &Context<'_>) -> Poll<()> {
        if self.admit(&mut self.state.lock()) {
            return Poll::Ready(());
        }
        let mut waker = Some(cx.waker().clone());
        loop {
            let mut state = self.state.lock();
            if self.admit(&mut state) {
                return Poll::Ready(());
            }
            let due = self.ask(&mut state);
            if due.is_none() {
                mem::swap(&mut state.waiter, &mut waker);
                drop(state);
                return Poll::Pending;
            }
            drop(state);
            drop(due);
        }
    }

    /// What is before the stage brings nothing for now: it may be waiting for what is kept here, now or as it comes.
    pub(crate) fn want(&self) {
        let mut state = self.state.lock();
        let kept = self.ask(&mut state);
        drop(state);
        drop(kept);
    }

    /// From now on nothing is kept.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let (waiter, due) = (state.waiter.take(), self.take_due(&mut state, None));
        drop(state);
        drop((due, waiter));
    }

    /// A guard comes home.
    pub(crate) fn deposit(&self, guard: G) {
        let mut state = self.state.lock();
        state.out -= 1;
        let due = self.take_due(&mut state, Some(guard));
        drop(state);
        drop(due);
    }

    fn admit(&self, state: &mut State<G>) -> bool {
        let taken = state.out + count(&state.home) + state.leaving;
        debug_assert!(taken <= self.capacity, "1: out, home and leaving exceed the capacity");
        let room = taken < self.capacity;
        if room {
            state.out += 1;
            state.wanted = false;
        }
        room
    }

    /// From now on until one is let out, all that comes is due; and what is here.
    fn ask(&self, state: &mut State<G>) -> Option<Leaving<'_, G>> {
        state.wanted = true;
        self.take_due(state, None)
    }

    /// Adds the guard, if any, and takes all of it if it is due. To be dropped outside the lock.
    fn take_due(&self, state: &mut State<G>, last: Option<G>) -> Option<Leaving<'_, G>> {
        let amount = count(&state.home) + u64::from(last.is_some());
        let due = state.closed || state.wanted || state.out == 0 || amount >= self.low_water;
        if !due || amount == 0 {
            state.home.extend(last);
            return None;
        }
        state.leaving += amount;
        Some(Leaving { bank: self, guards: mem::take(&mut state.home), last, amount })
    }
}

fn count<G>(home: &[G]) -> u64 {
    u64::try_from(home.len()).unwrap_or(u64::MAX)
}

/// Guards that go home, and the room that this makes, even if one of them panics.
struct Leaving<'a, G> {
    bank: &'a Bank<G>,
    guards: Vec<G>,
    last: Option<G>,
    amount: u64,
}

impl<G> Drop for Leaving<'_, G> {
    fn drop(&mut self) {
        // After them, so that who is let out on this room finds their credit back.
        let mut room = MakeRoom { bank: self.bank, amount: self.amount, spare: Vec::new() };
        self.guards.clear();
        self.last = None;
        room.spare = mem::take(&mut self.guards);
    }
}

struct MakeRoom<'a, G> {
    bank: &'a Bank<G>,
    amount: u64,
    /// Empty, and large enough for the next batch.
    spare: Vec<G>,
}

impl<G> Drop for MakeRoom<'_, G> {
    fn drop(&mut self) {
        let mut state = self.bank.state.lock();
        state.leaving -= self.amount;
        if state.home.capacity() == 0 {
            mem::swap(&mut state.home, &mut self.spare);
        }
        let waiter = state.waiter.take();
        drop(state);
        waiter.map_or(WakeList::None, WakeList::One).wake();
    }
}

impl<G> fmt::Debug for Bank<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { capacity, low_water, .. } = self;
        f.debug_struct("Bank").field("capacity", capacity).field("low_water", low_water).finish_non_exhaustive()
    }
}
