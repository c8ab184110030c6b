//! What the models share.

use credit_channel::{Builder, CreditConsumer, CreditProducer, RecvError, Stats, Weigh, Window, channel, weighted};
use loom::alloc::Track;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Instant;

/// Runs `f` in every interleaving with at most so many preemptions (places where a thread that could go on
/// is made to wait for another), or in every interleaving there is. `LOOM_MAX_PREEMPTIONS` overrides it.
///
/// Most races need one or two, and three is the bound that loom's own manual recommends. Where three would
/// take a minute, a model has two; where all of them take no more than a second, it has all.
pub(crate) fn model(preemptions: impl Into<Option<usize>>, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    if builder.preemption_bound.is_none() {
        builder.preemption_bound = preemptions.into();
    }
    builder.max_branches = builder.max_branches.max(10_000);

    // Not loom's: it counts the runs, and is no part of them.
    let runs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&runs);
    let start = Instant::now();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        f();
    });
    let name = std::thread::current().name().unwrap_or("a model").to_owned();
    println!("{name}: {} interleavings in {:.1} s", runs.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
}

/// A value that loom misses if it leaks.
#[derive(Debug)]
pub(crate) struct Payload {
    tracked: Track<u32>,
    bytes: usize,
}

impl Payload {
    pub(crate) fn new(id: u32) -> Self {
        Self::of_bytes(id, 1)
    }

    pub(crate) fn of_bytes(id: u32, bytes: usize) -> Self {
        Self { tracked: Track::new(id), bytes }
    }

    pub(crate) fn id(&self) -> u32 {
        *self.tracked.get_ref()
    }
}

impl Weigh for Payload {
    fn weight_bytes(&self) -> usize {
        self.bytes
    }
}

pub(crate) type Pair = (CreditProducer<Payload>, CreditConsumer<Payload>);

/// A pair under a window of so many messages.
pub(crate) fn pair(messages: u64) -> Pair {
    channel(Window::messages(messages)).expect("not 0")
}

/// The same, whose senders give the runtime one turn before they park.
pub(crate) fn one_turn_pair(messages: u64) -> Pair {
    Builder::new(Window::messages(messages)).always_one_turn().open().expect("not 0")
}

/// A pair under a window that counts bytes.
pub(crate) fn byte_pair(window: Window) -> Pair {
    weighted(window).expect("not 0")
}

/// Polls once. A future that is dropped after this has been aborted while it waited.
pub(crate) fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    loom::future::block_on(poll_fn(|cx| match Pin::new(&mut *future).poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    }))
}

/// Receives to the end. Each chunk goes home before the next is asked for.
pub(crate) fn receive_all(rx: &mut CreditConsumer<Payload>) -> (Vec<u32>, Result<(), RecvError>) {
    let mut ids = Vec::new();
    loop {
        match loom::future::block_on(rx.recv()) {
            Ok(Some(chunk)) => ids.push(chunk.id()),
            Ok(None) => return (ids, Ok(())),
            Err(error) => return (ids, Err(error)),
        }
    }
}

/// Under a window of one: the second send has to wait for the first chunk to go home.
pub(crate) fn send_one_more_than_the_window((tx, mut rx): Pair) {
    let producer = loom::thread::spawn(move || {
        loom::future::block_on(tx.send(Payload::new(0))).expect("open");
        loom::future::block_on(tx.send(Payload::new(1))).expect("open");
        tx.end();
    });
    assert_eq!(receive_all(&mut rx), (vec![0, 1], Ok(())));
    producer.join().expect("no panic");
    assert_at_rest(rx.stats());
}

/// I3: after all guards are gone, credit = window.
#[track_caller]
pub(crate) fn assert_at_rest(stats: Stats) {
    assert!(stats.depth.is_zero(), "nothing is in flight: {stats:?}");
    assert!(stats.reserved.is_zero(), "nothing is promised: {stats:?}");
    assert_eq!(stats.waiting, 0, "nobody waits: {stats:?}");
    assert_eq!(stats.credit.messages(), stats.window.message_limit().unwrap_or(0), "{stats:?}");
    assert_eq!(stats.credit.bytes(), stats.window.byte_limit().unwrap_or(0), "{stats:?}");
}
