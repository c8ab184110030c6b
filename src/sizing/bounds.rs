//! Between what and what a window may be: the memory it costs.

use super::formula::LEAST;
use crate::Window;

/// The least and the most, and what the chunks in flight may weigh together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    least: u64,
    most: u64,
    byte_budget: Option<u64>,
}

impl Bounds {
    pub(super) fn between(least: u64, most: u64) -> Self {
        let least = least.clamp(LEAST, Window::MAX);
        Self { least, most: most.clamp(least, Window::MAX), byte_budget: None }
    }

    pub(super) fn with_byte_budget(self, bytes: u64) -> Self {
        Self { byte_budget: Some(bytes), ..self }
    }

    /// The bounds where a chunk weighs so much. The budget goes before the least that was asked for: only 2 stands
    /// against it.
    pub(super) fn for_chunks_of(self, bytes: u64) -> Self {
        let affordable = self.byte_budget.and_then(|budget| budget.checked_div(bytes));
        let most = affordable.map_or(self.most, |n| n.clamp(LEAST, self.most));
        Self { least: self.least.min(most), most, ..self }
    }

    pub(super) fn clamp(self, window: u64) -> u64 {
        window.clamp(self.least, self.most)
    }
}
