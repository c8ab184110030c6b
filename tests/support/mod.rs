//! What the integration tests share: both runtimes under a watchdog, payloads that count themselves, polling by hand.

// Every test binary takes what it needs.
#![allow(dead_code)]

#[cfg(feature = "bincode")]
pub(crate) mod carrier;
#[cfg(feature = "bincode")]
pub(crate) mod link;
#[cfg(feature = "bincode")]
mod messages;
#[cfg(feature = "bincode")]
pub(crate) mod tap;

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use std::{env, thread};
use tokio::runtime::{Builder, Runtime};

/// How long a test may take before it counts as hung. Only a hang costs it.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(5);
/// The same for tests that do something a great many times, on a machine that others use too.
pub(crate) const LONG_WATCHDOG: Duration = Duration::from_secs(40);

/// The two kinds of runtime that a channel has to work on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flavour {
    CurrentThread,
    MultiThread,
}

pub(crate) const FLAVOURS: [Flavour; 2] = [Flavour::CurrentThread, Flavour::MultiThread];

pub(crate) fn runtime(flavour: Flavour) -> Runtime {
    match flavour {
        Flavour::CurrentThread => Builder::new_current_thread().enable_all().build(),
        Flavour::MultiThread => Builder::new_multi_thread().worker_threads(2).enable_all().build(),
    }
    .expect("a runtime starts")
}

/// A runtime whose clock stands still while there is something to do, and jumps where there is not.
pub(crate) fn paused() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime starts")
}

/// Runs the test on such a runtime, with a watchdog on the real clock: where something rings for ever, the paused one
/// goes on for ever.
pub(crate) fn on_a_paused_clock<F, Fut>(test: F)
where
    F: FnOnce() -> Fut + Send + 'static,
    Fut: Future<Output = ()>,
{
    within(LONG_WATCHDOG, "the test on a paused clock", move || paused().block_on(test()));
}

/// Runs the test on a runtime of each kind. A run that takes longer than [`WATCHDOG`] fails.
pub(crate) fn on_both_runtimes<F, Fut>(test: F)
where
    F: Fn() -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    on_both_runtimes_within(WATCHDOG, test);
}

/// As [`on_both_runtimes`], with another patience.
pub(crate) fn on_both_runtimes_within<F, Fut>(limit: Duration, test: F)
where
    F: Fn() -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    for flavour in FLAVOURS {
        let future = test();
        within(limit, format!("the test on {flavour:?}"), move || {
            // Spawned, so that it runs under tokio's cooperative budget as the tasks of a service do.
            let runtime = runtime(flavour);
            let done = runtime.block_on(runtime.spawn(future));
            done.unwrap_or_else(|failed| resume_unwind(failed.into_panic()));
        });
    }
}

/// Runs something on a thread of its own, and fails if it is not done in time, even if it blocks.
pub(crate) fn within<R: Send + 'static>(
    limit: Duration,
    what: impl AsRef<str>,
    run: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (done, wait) = channel();
    let runner = thread::spawn(move || {
        let result = run();
        let _ = done.send(());
        result
    });
    if let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(limit) {
        panic!("{} is stuck: not done after {limit:?}", what.as_ref());
    }
    runner.join().unwrap_or_else(|payload| resume_unwind(payload))
}

/// Whether the long versions of the soaks are wanted.
pub(crate) fn soak() -> bool {
    env::var_os("CREDIT_CHANNEL_SOAK").is_some()
}

/// Says which of many cases it was that failed.
pub(crate) struct Case(pub(crate) String);

impl Drop for Case {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("this was {}", self.0);
        }
    }
}

// ----- polling by hand -----

/// Polls once with the task's own waker.
pub(crate) async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx))).await
}

/// Polls once outside of any task.
pub(crate) fn poll_with<F: Future + ?Sized>(waker: &Waker, future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

/// Lets other tasks run until this is so. The watchdog ends it if it never is.
pub(crate) async fn until(mut true_now: impl FnMut() -> bool) {
    let mut turns = 0_u32;
    while !true_now() {
        turns += 1;
        if turns % 64 == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
}

/// Ready after so many turns of the scheduler: a tick that needs no clock.
pub(crate) async fn turns(n: u64) {
    for _ in 0..n {
        tokio::task::yield_now().await;
    }
}

/// A waker that counts its wake-ups.
#[derive(Debug, Default)]
pub(crate) struct CountingWaker(AtomicUsize);

impl CountingWaker {
    pub(crate) fn new() -> (Arc<Self>, Waker) {
        let count = Arc::new(Self::default());
        (Arc::clone(&count), Waker::from(count))
    }

    pub(crate) fn wakes(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for CountingWaker {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

// ----- panics -----

/// What a closure that has to panic said.
pub(crate) fn panic_of(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("this panics");
    text_of(&*payload)
}

/// Whether a closure panicked.
pub(crate) fn panics(run: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

pub(crate) fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

// ----- payloads -----

/// Counts the payloads alive, by their own `Drop`: what the window has to bound, whatever the numbers say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    alive: AtomicU64,
    peak: AtomicU64,
    born: AtomicU64,
}

impl Census {
    /// A payload that counts as one.
    pub(crate) fn one(&self) -> Counted {
        self.weighing(1)
    }

    /// A payload that counts as so many bytes.
    pub(crate) fn weighing(&self, weight: u64) -> Counted {
        let now = self.0.alive.fetch_add(weight, Ordering::SeqCst) + weight;
        self.0.peak.fetch_max(now, Ordering::SeqCst);
        self.0.born.fetch_add(1, Ordering::SeqCst);
        Counted { weight, census: self.clone() }
    }

    pub(crate) fn alive(&self) -> u64 {
        self.0.alive.load(Ordering::SeqCst)
    }

    pub(crate) fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::SeqCst)
    }

    pub(crate) fn born(&self) -> u64 {
        self.0.born.load(Ordering::SeqCst)
    }
}

/// A payload that is counted from its making to its drop.
#[derive(Debug)]
pub(crate) struct Counted {
    weight: u64,
    census: Census,
}

impl credit_channel::Weigh for Counted {
    fn weight_bytes(&self) -> usize {
        usize::try_from(self.weight).expect("a test weight is small")
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.census.0.alive.fetch_sub(self.weight, Ordering::SeqCst);
    }
}

// ----- chance -----

/// xorshift: the same numbers in every run, so that a failure can be had again.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let n = u64::try_from(all.len()).expect("small");
        &all[usize::try_from(self.below(n)).expect("small")]
    }

    /// A random order of 0..n.
    pub(crate) fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            let other = self.below(u64::try_from(last).expect("small") + 1);
            order.swap(last, usize::try_from(other).expect("small"));
        }
        order
    }
}

/// The value of a result that has to be an error, without asking that the value can be printed.
pub(crate) fn refused<T, E: Debug>(result: Result<T, E>) -> E {
    match result {
        Ok(_) => panic!("this is refused"),
        Err(error) => error,
    }
}

/// Asserts, at rest, that every credit is either left, in flight or reserved, and that all is home if `home`.
#[track_caller]
pub(crate) fn assert_balanced(stats: credit_channel::Stats, home: bool) {
    let sum = |unit: fn(credit_channel::Credit) -> u64| unit(stats.credit) + unit(stats.depth) + unit(stats.reserved);
    assert_eq!(sum(credit_channel::Credit::messages), stats.window.message_limit().unwrap_or(0), "{stats:?}");
    assert_eq!(sum(credit_channel::Credit::bytes), stats.window.byte_limit().unwrap_or(0), "{stats:?}");
    assert_times_add_up(&stats);
    if home {
        assert!(stats.depth.is_zero() && stats.reserved.is_zero() && stats.waiting == 0, "{stats:?}");
    }
}

/// Asserts what is true of the times whatever happened: no moment is counted twice, and no part exceeds its whole.
#[track_caller]
pub(crate) fn assert_times_add_up(stats: &credit_channel::Stats) {
    assert_eq!(stats.depth_times.total(), stats.elapsed, "every moment is at one depth: {stats:?}");
    assert_eq!(stats.work.histogram.iter().sum::<u64>(), stats.work.timed, "{stats:?}");
    assert!(stats.transport_park_time <= stats.park_time, "{stats:?}");
    assert!(stats.parked_for.is_none_or(|park| park <= stats.park_time), "{stats:?}");
    assert!(stats.idle_time <= stats.elapsed, "{stats:?}");
    assert!(stats.oldest_work.is_none_or(|oldest| oldest <= stats.elapsed), "{stats:?}");
    assert!(stats.parked_for.is_none() || stats.waiting > 0, "nobody waits: {stats:?}");
}
