//! A stage under test with its producers before it and something that watches.

use super::source::{Item, Log, Out, Payload, Source, Sources, Tested};
use super::subjects::{Subject, subjects};
use crate::support::{Census, FLAVOURS, WATCHDOG, assert_balanced, poll_once, runtime, turns, until, within};
use credit_channel::stages::{Stage, StageError};
use credit_channel::{Closed, CreditProducer, Meter, Window, channel};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;

/// Runs a rule for every subject, on both runtimes; a failure names the subject beside the rule.
pub(crate) fn each<F, Fut>(rule: F)
where
    F: Fn(Subject) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    each_of(|_| true, rule);
}

/// Runs a rule for the subjects that it concerns.
pub(crate) fn each_of<F, Fut>(concerns: fn(&Subject) -> bool, rule: F)
where
    F: Fn(Subject) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    for subject in subjects().into_iter().filter(concerns) {
        for flavour in FLAVOURS {
            let (name, checked) = (subject.name, rule(subject));
            within(WATCHDOG, format!("{name} on {flavour:?}"), move || {
                // Spawned, so that it runs under tokio's cooperative budget as the tasks of a service do.
                let runtime = runtime(flavour);
                let done = runtime.block_on(runtime.spawn(checked));
                done.unwrap_or_else(|failed| {
                    eprintln!("this was {name} on {flavour:?}");
                    resume_unwind(failed.into_panic())
                });
            });
        }
    }
}

pub(crate) struct Rig {
    pub(crate) feed: Feed,
    pub(crate) stage: Tested,
    pub(crate) watch: Watch,
}

impl Rig {
    pub(crate) fn new(subject: Subject, window: u64) -> Self {
        Self::build(subject, subject.build, window)
    }

    /// On windows of that size, or the least that the subject can work with.
    pub(crate) fn build(subject: Subject, build: fn(Sources) -> Tested, window: u64) -> Self {
        let window = Window::messages(window.max(subject.least_window));
        let (mut txs, mut sources, mut logs, mut meters) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..subject.inputs {
            let (tx, rx) = channel(window).expect("a window");
            meters.push(rx.meter());
            let (source, log) = Source::new(rx);
            txs.push(tx);
            sources.push(source);
            logs.push(log);
        }
        let watch = Watch { subject, meters, logs, census: Census::default(), payloads: Arc::default() };
        Self { feed: Feed { txs, watch: watch.clone() }, stage: build(Sources(sources)), watch }
    }
}

// ----- before the stage -----

/// The producers: what is sent goes into each input.
pub(crate) struct Feed {
    pub(crate) txs: Vec<CreditProducer<Item>>,
    watch: Watch,
}

impl Feed {
    /// An item, from now on alive in the census.
    pub(crate) fn item(&self, n: u64) -> Item {
        let item = Item::new(n, &self.watch.census);
        self.watch.payloads.lock().unwrap().push(Arc::downgrade(&item.of[0]));
        item
    }

    /// Waits for credit, and only then makes what it sends: so a producer that waits adds nothing to what is alive.
    pub(crate) async fn send(&self, n: u64) -> Result<(), Closed> {
        for tx in &self.txs {
            let closed = |error: credit_channel::SendError<Item>| error.closed().cloned().expect("it fits");
            let permit = tx.reserve().await.map_err(|error| error.closed().cloned().expect("it fits"))?;
            permit.send(self.item(n)).map_err(closed)?;
        }
        Ok(())
    }

    /// Sends 0 to n - 1, for which there is credit.
    pub(crate) fn fill(&self, n: u64) {
        for n in 0..n {
            for tx in &self.txs {
                tx.try_send(self.item(n)).expect("there is credit");
            }
        }
    }

    /// Sends 0 to n - 1 and ends, as there is credit.
    pub(crate) async fn run(self, n: u64) {
        for n in 0..n {
            self.send(n).await.expect("nothing is cancelled");
        }
        self.end();
    }

    /// Sends for ever, and says why it could not.
    pub(crate) async fn run_on(self) -> Vec<Closed> {
        let mut n = 0;
        while self.send(n).await.is_ok() {
            n += 1;
        }
        self.closed().await
    }

    /// What each of the producers hears.
    pub(crate) async fn closed(&self) -> Vec<Closed> {
        let mut all = Vec::new();
        for tx in &self.txs {
            all.push(tx.closed().await);
        }
        all
    }

    pub(crate) fn end(self) {
        self.txs.into_iter().for_each(CreditProducer::end);
    }

    pub(crate) fn fail(self, failure: &credit_channel::Failure) {
        self.txs.into_iter().for_each(|tx| tx.fail(failure.clone()));
    }
}

// ----- behind the stage -----

/// Takes so many chunks.
pub(crate) async fn take(stage: &mut Tested, n: u64) -> Vec<Out> {
    let mut taken = Vec::new();
    for _ in 0..n {
        taken.push(stage.recv().await.expect("a chunk").expect("not the end yet"));
    }
    taken
}

/// Takes all there are, done with each at once; and how it ended.
pub(crate) async fn drain(stage: &mut Tested) -> (Vec<u64>, Result<(), StageError>) {
    let mut numbers = Vec::new();
    loop {
        match stage.recv().await {
            // Not taken out of its chunk: its credit would go before it.
            Ok(Some(chunk)) => numbers.push(chunk.n),
            Ok(None) => return (numbers, Ok(())),
            Err(error) => return (numbers, Err(error)),
        }
    }
}

/// Takes all that comes from a source that never ends, and keeps it, until a producer waits for what is in hand.
pub(crate) async fn take_all_there_is(stage: &mut Tested, held: &mut Vec<Out>, watch: &Watch) {
    if !watch.subject.is_pulled {
        // It may have something on its way, however still it is.
        let most = usize::try_from(watch.subject.out_at_most).expect("what has tasks of its own has a bound");
        held.extend(take(stage, u64::try_from(most - held.len()).expect("small")).await);
        return;
    }
    loop {
        // Between the two looks nothing was sent, and the producer waits: so what it had sent has been taken.
        let before = watch.parked_after();
        if let Poll::Ready(received) = poll_once(&mut stage.recv()).await {
            held.push(received.expect("a chunk").expect("not the end yet"));
        } else if before.is_some() && before == watch.parked_after() {
            return;
        } else {
            turns(1).await;
        }
    }
}

/// Nothing comes, though it is polled a few times, with turns for the others between.
pub(crate) async fn assert_nothing_comes(stage: &mut Tested) {
    for _ in 0..5 {
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        turns(5).await;
    }
}

pub(crate) fn numbers(chunks: &[Out]) -> Vec<u64> {
    chunks.iter().map(|chunk| chunk.n).collect()
}

// ----- from outside -----

/// Sees all that there is to see, for as long as wanted.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) subject: Subject,
    pub(crate) meters: Vec<Meter>,
    pub(crate) logs: Vec<Arc<Log>>,
    pub(crate) census: Census,
    payloads: Arc<Mutex<Vec<Weak<Payload>>>>,
}

impl Watch {
    /// The most that was taken from any input.
    pub(crate) fn brought(&self) -> u64 {
        self.logs.iter().map(|log| log.brought()).max().expect("an input")
    }

    /// The depth of each input.
    pub(crate) fn depths(&self) -> Vec<u64> {
        self.meters.iter().map(|meter| meter.stats().depth.messages()).collect()
    }

    /// All that its windows allow.
    pub(crate) fn windows(&self) -> u64 {
        self.meters.iter().filter_map(|meter| meter.stats().window.message_limit()).sum()
    }

    /// Whether every payload that was ever sent is gone.
    pub(crate) fn all_gone(&self) -> bool {
        // The last reference goes before what it refers to.
        self.payloads.lock().unwrap().iter().all(|payload| payload.strong_count() == 0) && self.census.alive() == 0
    }

    /// How many were sent, if a producer waits for credit to send more.
    fn parked_after(&self) -> Option<u64> {
        let stats: Vec<_> = self.meters.iter().map(Meter::stats).collect();
        let sent = stats.iter().map(|stats| stats.sent).sum();
        stats.iter().any(|stats| stats.waiting > 0).then_some(sent)
    }

    pub(crate) fn all_home(&self) -> bool {
        self.meters.iter().all(|meter| {
            let stats = meter.stats();
            stats.depth.is_zero() && stats.reserved.is_zero() && stats.waiting == 0
        })
    }

    /// The accounts balance: nothing in flight, every credit back, every payload dropped.
    pub(crate) async fn assert_home(&self) {
        if !self.subject.is_pulled {
            until(|| self.all_home() && self.all_gone()).await;
        }
        for meter in &self.meters {
            assert_balanced(meter.stats(), true);
        }
        assert_eq!(self.census.alive(), 0, "{}: payloads are left", self.subject.name);
        assert!(self.all_gone());
    }
}
