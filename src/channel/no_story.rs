//! Without the feature `tracing`, and in a loom model, nothing is told.

use super::state::State;
use crate::{Stats, Window};
use std::time::Duration;

/// Nobody listens.
#[derive(Debug)]
pub(super) struct Story {}

/// Nothing to tell.
#[derive(Debug)]
pub(super) enum Told {}

impl Story {
    pub(super) fn begin(_: Window) -> Self {
        Self {}
    }

    pub(super) fn parked(&self) {
        let Self {} = self;
    }

    pub(super) fn unparked(&self, _: Duration) {
        let Self {} = self;
    }
}

impl<T> State<T> {
    pub(super) fn story_waits(&self) -> bool {
        let Story {} = self.story;
        false
    }

    pub(super) fn tell(&self) -> Option<Told> {
        let Story {} = self.story;
        None
    }
}

impl Told {
    pub(super) fn tell(self, _: impl FnOnce(Stats) -> Stats) {
        match self {}
    }
}
