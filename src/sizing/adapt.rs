//! A policy at work on a channel.

use super::{Cause, Sample, WindowPolicy};
use crate::channel::Resizer;
use crate::{CreditConsumer, Window, WindowError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

impl<T> CreditConsumer<T> {
    /// Has a policy decide on the window from now on: looks at the channel's numbers every so often, and sets the window
    /// to what the policy says. A future to spawn, or to poll beside the work; it is over when the channel is.
    ///
    /// `on_change` is told of every change: the window before and after, in messages, and why.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the window as it is.
    ///
    /// # Errors
    ///
    /// [`WindowError::OtherUnits`], at once, if the window does not count messages.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// use credit_channel::sizing::Adaptive;
    /// use credit_channel::{Window, channel};
    /// use std::time::Duration;
    ///
    /// let (tx, mut rx) = channel::<u64>(Window::messages(64))?;
    /// let every = Duration::from_millis(100);
    /// tokio::spawn(rx.adapt(Adaptive::between(2, 64), every, |from, to, why| println!("{from} -> {to}: {why}"))?);
    ///
    /// // A producer that takes 20 ms for each needs no more than two.
    /// tokio::spawn(async move {
    ///     for n in 0..200 {
    ///         tokio::time::sleep(Duration::from_millis(20)).await;
    ///         tx.send(n).await.unwrap();
    ///     }
    ///     tx.end();
    /// });
    /// while rx.recv().await?.is_some() {}
    /// assert_eq!(rx.stats().window, Window::messages(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn adapt<P, F>(
        &self,
        policy: P,
        every: Duration,
        on_change: F,
    ) -> Result<impl Future<Output = ()> + use<T, P, F>, WindowError>
    where
        P: WindowPolicy,
        F: FnMut(u64, u64, Cause),
    {
        let current = self.stats().window;
        let asked = Window::messages(1);
        if !asked.counts_like(current) {
            return Err(WindowError::OtherUnits { current, asked });
        }
        Ok(run(self.resizer(), policy, every, on_change))
    }
}

async fn run(
    channel: Resizer,
    mut policy: impl WindowPolicy,
    every: Duration,
    mut on_change: impl FnMut(u64, u64, Cause),
) {
    let started = Instant::now();
    let mut before = channel.stats();
    while !channel.is_over() {
        sleep(every).await;
        let now = channel.stats();
        let sample = Sample::between(&before, &now);
        let adjustment = policy.adjust(&sample, started.elapsed());
        before = now;
        if adjustment.changes(&sample) && channel.set_window(Window::messages(adjustment.window)).is_ok() {
            on_change(sample.window, adjustment.window, adjustment.cause);
        }
    }
}
