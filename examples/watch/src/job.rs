//! A channel with a producer and a consumer at work on it.

use crate::pace::{Cost, Pace};
use crate::spec::{LARGEST, MOST_WORK, Spec, Way};
use crate::tcp::over_tcp;
use bytes::Bytes;
use credit_channel::sizing::Adaptive;
use credit_channel::{CreditConsumer, CreditProducer, Meter, Stats, WeakProducer, Window, channel};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

/// What a chunk carries.
const PAYLOAD: Bytes = Bytes::from_static(&[7; 64]);
/// How often an adaptive window is looked at.
const ADAPT_EVERY: Duration = Duration::from_millis(100);

/// A job that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) spec: Spec,
    pub(crate) adaptive: bool,
    produce: Arc<Cost>,
    consume: Arc<Cost>,
    /// To the task that has the consumer.
    commands: mpsc::UnboundedSender<Command>,
    sender: WeakProducer<Bytes>,
    receiver: Meter,
    tasks: [JoinHandle<String>; 2],
}

/// What the consumer's task is told.
#[derive(Clone, Copy, Debug)]
enum Command {
    Window(u64),
    Adapt(bool),
}

/// Starts them all. The error is a line for people.
pub(crate) async fn start_all(specs: Vec<Spec>) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::with_capacity(specs.len());
    for spec in specs {
        let name = spec.name.clone();
        jobs.push(Job::start(spec).await.map_err(|error| format!("{name}: {error}"))?);
    }
    Ok(jobs)
}

impl Job {
    async fn start(spec: Spec) -> Result<Self, String> {
        let window = Window::messages(spec.window);
        let (tx, rx) = match spec.way {
            Way::Local => channel(window).map_err(|error| error.to_string())?,
            Way::Tcp(delay) => over_tcp(window, delay).await?,
        };
        let (produce, consume) = (Arc::new(Cost::new(spec.produce)), Arc::new(Cost::new(spec.consume)));
        let (sender, receiver) = (tx.downgrade(), rx.meter());
        let (commands, told) = mpsc::unbounded_channel();
        let tasks = [
            tokio::spawn(produce_on(tx, Arc::clone(&produce))),
            tokio::spawn(consume_from(rx, Arc::clone(&consume), told)),
        ];
        Ok(Self { spec, adaptive: false, produce, consume, commands, sender, receiver, tasks })
    }

    // ----- what can be changed -----

    /// Twice the window, or half of it. By hand, so that it does not adapt any more.
    pub(crate) fn scale_window(&mut self, up: bool) {
        self.adapt(false);
        let window = self.receiver.stats().window.message_limit().unwrap_or(1);
        let _ = self.commands.send(Command::Window(scaled(window, up, LARGEST)));
    }

    pub(crate) fn scale_produce(&self, up: bool) {
        self.produce.set(scaled(self.produce.micros(), up, MOST_WORK));
    }

    pub(crate) fn scale_consume(&self, up: bool) {
        self.consume.set(scaled(self.consume.micros(), up, MOST_WORK));
    }

    pub(crate) fn adapt(&mut self, adaptive: bool) {
        if self.adaptive != adaptive {
            self.adaptive = adaptive;
            let _ = self.commands.send(Command::Adapt(adaptive));
        }
    }

    // ----- what is known of it -----

    /// The costs of a chunk for the producer and the consumer, in microseconds.
    pub(crate) fn costs(&self) -> (u64, u64) {
        (self.produce.micros(), self.consume.micros())
    }

    /// The numbers of both ends: within a process those are the same.
    pub(crate) fn stats(&self) -> (Stats, Stats) {
        (self.sender.stats(), self.receiver.stats())
    }

    /// No job ends by itself.
    pub(crate) fn is_over(&self) -> bool {
        self.tasks.iter().any(JoinHandle::is_finished)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// From 1 to `most`; half of 1 is 0 where that makes sense, which is for a cost.
fn scaled(n: u64, up: bool, most: u64) -> u64 {
    let least = if most == LARGEST { 1 } else { 0 };
    if up { (n * 2).clamp(1, most) } else { (n / 2).max(least) }
}

async fn produce_on(tx: CreditProducer<Bytes>, cost: Arc<Cost>) -> String {
    let mut pace = Pace::new(1);
    loop {
        pace.work(cost.micros()).await;
        if let Err(error) = tx.send(PAYLOAD).await {
            return error.to_string();
        }
    }
}

async fn consume_from(
    mut rx: CreditConsumer<Bytes>,
    cost: Arc<Cost>,
    mut told: mpsc::UnboundedReceiver<Command>,
) -> String {
    let (mut pace, mut adapting) = (Pace::new(2), Adapting::default());
    loop {
        let chunk = tokio::select! {
            biased;
            Some(command) = told.recv() => {
                obey(command, &rx, &mut adapting);
                continue;
            }
            received = rx.recv() => match received {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return "the producer ended".into(),
                Err(error) => return error.to_string(),
            },
        };
        let mut work = pin!(pace.work(cost.micros()));
        loop {
            tokio::select! {
                biased;
                () = &mut work => break,
                Some(command) = told.recv() => obey(command, &rx, &mut adapting),
            }
        }
        drop(chunk); // the credit goes back: the work is done
    }
}

/// A policy at work; dropped, it stops.
#[derive(Debug, Default)]
struct Adapting(Option<AbortHandle>);

impl Drop for Adapting {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
        }
    }
}

fn obey(command: Command, rx: &CreditConsumer<Bytes>, adapting: &mut Adapting) {
    match command {
        Command::Window(window) => {
            // Refused only if it counted something other than messages.
            let _ = rx.set_window(Window::messages(window));
        }
        Command::Adapt(false) => *adapting = Adapting::default(),
        Command::Adapt(true) => {
            let policy = rx.adapt(Adaptive::between(2, 256), ADAPT_EVERY, |_, _, _| {});
            *adapting = Adapting(policy.ok().map(|policy| tokio::spawn(policy).abort_handle()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, MOST_WORK, scaled};

    #[test]
    fn scales() {
        assert_eq!([1, 4, 4096].map(|n| scaled(n, true, LARGEST)), [2, 8, 4096]);
        assert_eq!([1, 4].map(|n| scaled(n, false, LARGEST)), [1, 2]);
        assert_eq!([0, 1_000_000].map(|n| scaled(n, true, MOST_WORK)), [1, 1_000_000]);
        assert_eq!([0, 1].map(|n| scaled(n, false, MOST_WORK)), [0, 0]);
    }
}
