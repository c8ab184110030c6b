//! What a channel tells `tracing`.
//!
//! Everything is noted under the lock and told after it: a subscriber is user code. Nothing is told per chunk.

use super::state::State;
use crate::{Closed, Stats, Window};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tracing::{debug, info, warn};

/// Waiting for so long without a break is worth a warning.
const STALL: Duration = Duration::from_secs(1);

/// What was told, and what is to be.
#[derive(Debug)]
pub(super) struct Story {
    /// Tells the channels of a process apart.
    channel: u64,
    parked: bool,
    over: bool,
    next: Option<Note>,
}

/// What is to be told.
#[derive(Debug)]
enum Note {
    FirstPark,
    Stall(Duration),
    Over(Ending, Box<Stats>),
}

/// How a job ended.
#[derive(Debug)]
enum Ending {
    End,
    Closed(Closed),
}

/// Something to tell, outside the lock.
#[derive(Debug)]
pub(super) struct Told {
    channel: u64,
    note: Note,
}

impl Story {
    pub(super) fn begin(window: Window) -> Self {
        // Relaxed: a number and nothing else.
        static CHANNELS: AtomicU64 = AtomicU64::new(1);
        let channel = CHANNELS.fetch_add(1, Ordering::Relaxed);
        debug!(target: TARGET, channel, %window, "channel opened");
        Self { channel, parked: false, over: false, next: None }
    }

    /// A sender parks.
    pub(super) fn parked(&mut self) {
        if !self.parked {
            self.parked = true;
            self.next = Some(Note::FirstPark);
        }
    }

    /// Nobody is parked any more, after so long.
    pub(super) fn unparked(&mut self, park: Duration) {
        if park >= STALL {
            self.next.get_or_insert(Note::Stall(park));
        }
    }
}

/// What events of this crate can be filtered by.
const TARGET: &str = "credit_channel";

impl<T> State<T> {
    /// Whether guards that come home have to come to the lock, so that the end of a job is seen.
    pub(super) fn story_waits(&self) -> bool {
        !self.story.over && self.life.has_ended() && !self.is_idle()
    }

    /// What there is to tell.
    #[inline]
    pub(super) fn tell(&mut self) -> Option<Told> {
        if self.story.next.is_none() && (self.story.over || self.life.is_open()) {
            return None;
        }
        self.tell_next()
    }

    #[cold]
    fn tell_next(&mut self) -> Option<Told> {
        let note = self.story.next.take().or_else(|| self.ending())?;
        Some(Told { channel: self.story.channel, note })
    }

    /// The end of the job: a cancel at once, any other once all the work is done.
    fn ending(&mut self) -> Option<Note> {
        let over = self.life.is_cancelled() || self.life.has_ended() && self.is_idle() && self.queue.is_empty();
        if self.story.over || !over {
            return None;
        }
        self.story.over = true;
        let ending = self.life.closed().map_or(Ending::End, Ending::Closed);
        Some(Note::Over(ending, Box::new(self.stats())))
    }
}

impl Told {
    /// Tells it. Not under the lock.
    #[cold]
    pub(super) fn tell(self, complete: impl FnOnce(Stats) -> Stats) {
        let channel = self.channel;
        match self.note {
            Note::FirstPark => debug!(target: TARGET, channel, "a sender waits for credit, for the first time"),
            Note::Stall(waited) => warn!(target: TARGET, channel, ?waited, "senders waited for credit without a break"),
            Note::Over(ending, stats) => tell_over(channel, &ending, &complete(*stats)),
        }
    }
}

fn tell_over(channel: u64, ending: &Ending, stats: &Stats) {
    let Stats { elapsed, sent: chunks, parks, park_time, .. } = *stats;
    let (bytes, max_depth) = (stats.released.bytes(), stats.peak_depth);
    let diagnosis = stats.diagnose();
    let (outcome, reason) = match ending {
        Ending::End => ("end", String::new()),
        Ending::Closed(closed @ Closed::Cancelled(_)) => ("cancel", closed.to_string()),
        Ending::Closed(closed @ Closed::Failed(_)) => ("error", closed.to_string()),
        Ending::Closed(closed @ Closed::Abandoned) => ("abandoned", closed.to_string()),
        Ending::Closed(closed @ Closed::Disconnected(_)) => ("lost", closed.to_string()),
    };
    info!(
        target: TARGET, channel, outcome, reason, duration = ?elapsed, chunks, bytes, %max_depth, parks, ?park_time,
        %diagnosis, "job ended"
    );
}
