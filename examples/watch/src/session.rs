//! All the jobs, and what was seen of them.

use crate::job::Job;
use crate::look::{Look, Past};
use crate::record::Recorder;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How often the jobs are looked at.
pub(crate) const EVERY: Duration = Duration::from_millis(100);
/// Ten minutes of looks are kept, not more.
const KEPT: usize = 6000;

/// The looks at a job, and its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) name: String,
    pub(crate) way: String,
    pub(crate) looks: VecDeque<Look>,
}

/// The jobs at work.
#[derive(Debug)]
pub(crate) struct Session {
    started: Instant,
    jobs: Vec<(Job, Past, History)>,
    recorder: Option<Recorder>,
}

impl Session {
    pub(crate) fn new(jobs: Vec<Job>, recorder: Option<Recorder>) -> Self {
        let jobs = jobs.into_iter().map(|job| {
            let (name, way) = (job.spec.name.clone(), job.spec.way.to_string());
            (job, Past::default(), History { name, way, looks: VecDeque::new() })
        });
        Self { started: Instant::now(), jobs: jobs.collect(), recorder }
    }

    /// Looks at all of them. The error is a line for people.
    pub(crate) fn look(&mut self) -> Result<(), String> {
        let time = self.started.elapsed().as_secs_f64();
        for (job, past, history) in &mut self.jobs {
            if let Some(why) = job.over() {
                return Err(format!("{} stopped: {why}", history.name));
            }
            let look = past.look(job, time);
            if let Some(recorder) = &mut self.recorder {
                recorder.write(&history.name, &look)?;
            }
            if history.looks.len() == KEPT {
                history.looks.pop_front();
            }
            history.looks.push_back(look);
        }
        self.recorder.as_mut().map_or(Ok(()), Recorder::flush)
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = (&Job, &History)> {
        self.jobs.iter().map(|(job, _, history)| (job, history))
    }

    pub(crate) fn job(&mut self, n: usize) -> Option<&mut Job> {
        self.jobs.get_mut(n).map(|(job, ..)| job)
    }

    pub(crate) fn histories(&self) -> Vec<&History> {
        self.jobs.iter().map(|(.., history)| history).collect()
    }
}
