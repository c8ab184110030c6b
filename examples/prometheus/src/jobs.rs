//! Two jobs that go on for ever: the one waits for its consumer, the other for its producer.

use credit_channel::metrics::Reporter;
use credit_channel::{Window, WindowError, channel};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const WINDOW: u64 = 16;

/// Starts both. Nothing is left of them when the set is dropped.
pub(crate) fn start(reporter: &Reporter) -> Result<JoinSet<()>, WindowError> {
    let mut jobs = JoinSet::new();
    job(&mut jobs, reporter, "export", Duration::ZERO, Duration::from_millis(5))?;
    job(&mut jobs, reporter, "import", Duration::from_millis(5), Duration::ZERO)?;
    Ok(jobs)
}

/// One chunk after the other: so long to make, so long to work on.
fn job(
    jobs: &mut JoinSet<()>,
    reporter: &Reporter,
    name: &'static str,
    make: Duration,
    work: Duration,
) -> Result<(), WindowError> {
    let (tx, mut rx) = channel(Window::messages(WINDOW))?;
    reporter.watch(name, rx.meter());
    jobs.spawn(async move {
        for row in 0_u64.. {
            takes(make).await;
            if tx.send(row).await.is_err() {
                return;
            }
        }
    });
    jobs.spawn(async move {
        while let Ok(Some(_row)) = rx.recv().await {
            takes(work).await;
        } // the credit goes back here
    });
    Ok(())
}

async fn takes(time: Duration) {
    // Even no time at all is one of the timer's ticks.
    if !time.is_zero() {
        sleep(time).await;
    }
}
