//! A channel with a producer and a consumer at work on it.

use crate::pace::{Cost, Pace};
use crate::spec::{LARGEST, MOST_WORK, Spec, Way};
use crate::tcp::over_tcp;
use bytes::Bytes;
use credit_channel::sizing::Adaptive;
use credit_channel::{CreditConsumer, CreditProducer, Meter, Stats, WeakProducer, Window, channel};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
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
    tasks: [JoinHandle<()>; 2],
    /// Why the first of them stopped.
    stopped: Arc<OnceLock<String>>,
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
        let stopped = Arc::new(OnceLock::new());
        let tasks = [
            spawn(produce_on(tx, Arc::clone(&produce)), &stopped),
            spawn(consume_from(rx, Arc::clone(&consume), told), &stopped),
        ];
        Ok(Self { spec, adaptive: false, produce, consume, commands, sender, receiver, tasks, stopped })
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

    /// Why it is over, if it is: no job ends by itself.
    pub(crate) fn over(&self) -> Option<&str> {
        let over = self.tasks.iter().any(JoinHandle::is_finished);
        // Nothing was left by a task that panicked; what it said then is on the terminal.
        over.then(|| self.stopped.get().map_or("a task of it panicked", String::as_str))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Runs one side of a job, and leaves why it stopped.
fn spawn(side: impl Future<Output = String> + Send + 'static, stopped: &Arc<OnceLock<String>>) -> JoinHandle<()> {
    let stopped = Arc::clone(stopped);
    tokio::spawn(async move {
        let _ = stopped.set(side.await);
    })
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
    use super::{Job, LARGEST, MOST_WORK, scaled};
    use crate::spec::Spec;
    use credit_channel::Stats;
    use std::time::Duration;

    async fn started(spec: &str) -> Job {
        Job::start(Spec::parse(spec).unwrap()).await.unwrap()
    }

    /// Until both ends say so: over a connection the producer hears of it later.
    async fn until(job: &Job, holds: impl Fn(&Stats) -> bool) {
        let wait = async {
            while !(holds(&job.stats().0) && holds(&job.stats().1)) {
                assert_eq!(job.over(), None);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it comes about");
    }

    fn window(stats: &Stats) -> Option<u64> {
        stats.window.message_limit()
    }

    #[tokio::test]
    async fn jobs_run_and_their_windows_are_changed_meanwhile() {
        for over in ["over=local", "over=tcp", "over=tcp,delay=2"] {
            let mut job = started(&format!("{over},produce=100,consume=200,window=8")).await;
            until(&job, |stats| stats.sent > 20).await;
            job.scale_window(true);
            until(&job, |stats| window(stats) == Some(16)).await;
            job.scale_window(false);
            until(&job, |stats| window(stats) == Some(8)).await;
        }
    }

    #[tokio::test]
    async fn a_window_is_changed_in_the_middle_of_long_work() {
        let mut job = started("produce=0,consume=1000000,window=4").await;
        until(&job, |stats| stats.depth.messages() == 4).await;
        let before = job.stats().1.released;
        job.scale_window(true);
        until(&job, |stats| window(stats) == Some(8)).await;
        assert_eq!(job.stats().1.released, before, "nothing was worked off meanwhile");
    }

    #[tokio::test]
    async fn a_window_that_adapts_grows_to_the_way_and_stays_when_taken_by_hand() {
        let mut job = started("over=tcp,delay=20,produce=1000,consume=1000,window=2").await;
        job.adapt(true);
        until(&job, |stats| window(stats) >= Some(16)).await;
        job.scale_window(true);
        assert!(!job.adaptive);
    }

    #[tokio::test]
    async fn a_job_that_ended_says_why() {
        let job = started("produce=100,consume=100").await;
        job.sender.upgrade().unwrap().fail("made to fail");
        while job.over().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(job.over().unwrap().contains("made to fail"), "{:?}", job.over());
    }

    #[test]
    fn scales() {
        assert_eq!([1, 4, 4096].map(|n| scaled(n, true, LARGEST)), [2, 8, 4096]);
        assert_eq!([1, 4].map(|n| scaled(n, false, LARGEST)), [1, 2]);
        assert_eq!([0, 1_000_000].map(|n| scaled(n, true, MOST_WORK)), [1, 1_000_000]);
        assert_eq!([0, 1].map(|n| scaled(n, false, MOST_WORK)), [0, 0]);
    }
}
