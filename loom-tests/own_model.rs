//! A model of a user's own code that holds our pair: how to write one.
//!
//! In your crate:
//!
//! ```toml
//! # Cargo.toml. The channel's locks and atomics become loom's under this cfg, so that loom sees them.
//! [target.'cfg(credit_channel_loom)'.dev-dependencies]
//! loom = { version = "0.7", features = ["futures"] }
//!
//! [lints.rust]
//! unexpected_cfgs = { level = "warn", check-cfg = ["cfg(credit_channel_loom)"] }
//! ```
//!
//! ```sh
//! RUSTFLAGS="--cfg credit_channel_loom" cargo test --release --target-dir target/loom --test your_model
//! ```
//!
//! Rules inside the model: your own atomics and locks are loom's too (switch them on the same cfg, as
//! [`sync`] does), `loom::thread` stands for tasks and `loom::future::block_on` runs a future, and nothing
//! of tokio is used: loom does not see its primitives, and its timers have no clock here, so no
//! `send_timeout`. A wake-up that is lost shows as a deadlock. Keep it to two or three threads, a window of
//! one or two, and a few sends.

use credit_channel::{Closed, CreditConsumer, CreditProducer, Window, channel};
use loom::future::block_on;
use loom::thread;
use std::sync::Arc;
use sync::{AtomicBool, AtomicU32, Ordering};

/// In your crate: loom's under the cfg, else std's.
mod sync {
    #[cfg(credit_channel_loom)]
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    #[cfg(not(credit_channel_loom))]
    pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
}

/// The code under test: a queue of jobs that can be shut down, after which all that it accepted is done.
#[derive(Clone)]
struct Pool {
    jobs: CreditProducer<u32>,
    closing: Arc<AtomicBool>,
}

impl Pool {
    fn open(window: Window) -> (Self, CreditConsumer<u32>) {
        let (jobs, work) = channel(window).expect("not 0");
        (Self { jobs, closing: Arc::new(AtomicBool::new(false)) }, work)
    }

    /// Accepts a job, or gives it back once the pool is shutting down.
    async fn submit(&self, job: u32) -> Result<(), u32> {
        if self.closing.load(Ordering::Acquire) {
            return Err(job);
        }
        self.jobs.send(job).await.map_err(|error| error.into_inner())
    }

    /// This submitter has no more jobs.
    fn leave(self) {
        self.jobs.end();
    }

    /// Accepts no more, and waits until every submitter has left and all jobs are done.
    async fn shut_down(self) -> Result<(), Closed> {
        self.closing.store(true, Ordering::Release);
        self.jobs.end_and_wait().await
    }
}

/// One worker: adds up the jobs.
async fn work(mut jobs: CreditConsumer<u32>, sum: Arc<AtomicU32>) {
    while let Some(job) = jobs.recv().await.expect("the pool never fails") {
        sum.fetch_add(*job, Ordering::Relaxed);
        // `job` is dropped here: now it counts as done.
    }
}

/// A pool is shut down while jobs are submitted. If the race is lost, `shut_down` returns before a job that
/// was accepted is done, or never.
///
/// Seen failing when `end_and_wait` waits for the end and not for the work.
#[test]
fn own_pool_shut_down_vs_submit() {
    let mut builder = loom::model::Builder::new();
    // Three threads: more preemptions take a minute. LOOM_MAX_PREEMPTIONS overrides it.
    builder.preemption_bound = builder.preemption_bound.or(Some(2));
    builder.check(|| {
        let (pool, jobs) = Pool::open(Window::messages(1));
        let sum = Arc::new(AtomicU32::new(0));
        let worker = thread::spawn({
            let sum = Arc::clone(&sum);
            move || block_on(work(jobs, sum))
        });
        let submitter = thread::spawn({
            let pool = pool.clone();
            move || {
                let accepted = [1, 2].into_iter().filter(|job| block_on(pool.submit(*job)).is_ok()).sum::<u32>();
                pool.leave();
                accepted
            }
        });
        block_on(pool.shut_down()).expect("a clean end");
        let done = sum.load(Ordering::Relaxed);
        assert_eq!(done, submitter.join().expect("no panic"), "all that was accepted is done");
        worker.join().expect("no panic");
    });
}
