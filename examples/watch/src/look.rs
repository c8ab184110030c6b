//! The numbers of a job at one moment.

use crate::job::Job;
use credit_channel::Stats;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What is judged by is what happened in so long.
const SPAN: Duration = Duration::from_secs(1);

/// A look at a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Look {
    /// Seconds since the start.
    pub(crate) time: f64,
    /// Chunks in flight.
    pub(crate) depth: u64,
    pub(crate) window: u64,
    /// The part of the last second in which a sender waited for credit.
    pub(crate) park_share: f64,
    /// And in which the consumer had nothing to do.
    pub(crate) idle_share: f64,
    /// Chunks worked off per second.
    pub(crate) rate: f64,
    /// What limits it, in a sentence.
    pub(crate) diagnosis: String,
}

/// What has been read of a job in the last second, to be compared with.
#[derive(Debug, Default)]
pub(crate) struct Past {
    read: VecDeque<(Instant, Stats, Stats)>,
}

impl Past {
    /// Looks at a job.
    pub(crate) fn look(&mut self, job: &Job, time: f64) -> Look {
        let (sender, receiver) = job.stats();
        let now = Instant::now();
        self.read.push_back((now, sender, receiver));
        // The oldest that is kept is a second old, or a little more.
        while self.read.get(1).is_some_and(|(then, ..)| now.duration_since(*then) >= SPAN) {
            self.read.pop_front();
        }
        match self.read.front() {
            Some((then, earlier_sender, earlier_receiver)) if *then < now => {
                look(time, &sender.since(earlier_sender), &receiver.since(earlier_receiver))
            }
            _ => look(time, &sender, &receiver),
        }
    }
}

/// Of what both ends counted in a while.
fn look(time: f64, sender: &Stats, receiver: &Stats) -> Look {
    let diagnosis = sender.diagnose_with(receiver);
    let seconds = receiver.elapsed.as_secs_f64();
    let released = f64::from(u32::try_from(receiver.released.messages()).unwrap_or(u32::MAX));
    Look {
        time,
        depth: sender.depth.messages(),
        // The consumer's: the producer hears of a change later.
        window: receiver.window.message_limit().unwrap_or_default(),
        park_share: diagnosis.park_share.min(1.0),
        idle_share: diagnosis.idle_share.min(1.0),
        rate: if seconds > 0.0 { released / seconds } else { 0.0 },
        diagnosis: diagnosis.to_string(),
    }
}
