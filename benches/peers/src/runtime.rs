//! The two tokio runtimes everything is measured on.

use crate::measure::Sample;
use clap::ValueEnum;
use std::fmt;
use std::time::Duration;
use tokio::runtime::Builder;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Runtime {
    /// current_thread: both ends take turns on one thread
    Current,
    /// multi_thread with 2 workers: the ends can run at the same time
    Multi,
}

impl Runtime {
    pub const ALL: [Self; 2] = [Self::Current, Self::Multi];

    pub fn build(self) -> tokio::runtime::Runtime {
        match self {
            Self::Current => Builder::new_current_thread().enable_time().build(),
            Self::Multi => Builder::new_multi_thread().worker_threads(2).enable_time().build(),
        }
        .expect("a tokio runtime")
    }

    /// The same with sockets.
    pub fn with_io(self) -> tokio::runtime::Runtime {
        match self {
            Self::Current => Builder::new_current_thread().enable_all().build(),
            Self::Multi => Builder::new_multi_thread().worker_threads(2).enable_all().build(),
        }
        .expect("a tokio runtime")
    }

    /// Runs one measurement on a fresh runtime. It is spawned, so that on `Multi` it runs on a worker like
    /// the tasks it starts; a contender that hangs fails the run instead of stopping it for good.
    pub fn measure(self, run: impl Future<Output = Sample> + Send + 'static) -> Sample {
        self.build().block_on(async {
            let task = tokio::spawn(run);
            tokio::time::timeout(Duration::from_secs(60), task)
                .await
                .expect("contender hung")
                .expect("contender panicked")
        })
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "current_thread",
            Self::Multi => "multi_thread(2)",
        })
    }
}
