//! In which order results come out.

use super::job::{Done, Worked};
use crate::stages::StageError;
use std::collections::VecDeque;
use tokio::task::AbortHandle;

/// The batches in work, and the results that wait to come out.
///
/// # Invariants
///
/// 1. In order, what comes out is the results of the first place, then of the second, and so on; a failure comes after
///    everything in front of it.
/// 2. It holds results only of batches that were begun, so no more than what is in the pool's window.
pub(super) struct Lineup<U, G> {
    ordered: bool,
    /// The place of the first of `places`.
    first: u64,
    /// In order: every batch that was begun, from the first that is not done. Else nothing.
    places: VecDeque<Place<U, G>>,
    /// Not in order: how many are in work.
    in_work: u64,
    ready: VecDeque<Worked<U, G>>,
    failure: Option<StageError>,
}

struct Place<U, G> {
    abort: AbortHandle,
    done: Option<Done<U, G>>,
}

impl<U, G> Lineup<U, G> {
    pub(super) fn new(ordered: bool) -> Self {
        Self { ordered, first: 0, places: VecDeque::new(), in_work: 0, ready: VecDeque::new(), failure: None }
    }

    /// The place of the next batch.
    pub(super) fn next_place(&self) -> u64 {
        self.first + super::job::count(self.places.len())
    }

    /// A batch was begun, at that place.
    pub(super) fn began(&mut self, abort: AbortHandle) {
        if self.ordered {
            self.places.push_back(Place { abort, done: None });
        } else {
            self.in_work += 1;
        }
    }

    /// A batch is done, or failed. In order, a failure lets go of all that is behind it; the other way, everything that
    /// is in work may still be finished.
    pub(super) fn finished(&mut self, done: Done<U, G>) {
        if self.ordered {
            self.finished_in_order(done);
        } else {
            self.in_work -= 1;
            self.take(done);
        }
    }

    /// The next result that may come out.
    pub(super) fn next(&mut self) -> Option<Worked<U, G>> {
        self.ready.pop_front()
    }

    /// Whether nothing is in work that could still come out.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.in_work == 0
    }

    /// The failure, once all that is before it is done.
    pub(super) fn failure(&mut self) -> Option<StageError> {
        if self.is_empty() { self.failure.take() } else { None }
    }

    fn finished_in_order(&mut self, done: Done<U, G>) {
        let index = done.place.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        // A place that is not there any more was behind a failure.
        let Some(index) = index.filter(|index| *index < self.places.len()) else { return };
        if done.failure.is_some() {
            for place in self.places.drain(index + 1..) {
                place.abort.abort();
            }
        }
        self.places[index].done = Some(done);
        while let Some(done) = self.places.front_mut().and_then(|place| place.done.take()) {
            self.places.pop_front();
            self.first += 1;
            self.take(done);
        }
    }

    fn take(&mut self, done: Done<U, G>) {
        self.ready.extend(done.results);
        if self.failure.is_none() {
            self.failure = done.failure;
        }
    }
}
