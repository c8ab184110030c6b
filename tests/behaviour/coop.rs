//! Loops that never have to wait leave the others a turn: the calls spend tokio's cooperative budget.

use crate::support::{Flavour, LONG_WATCHDOG, on_both_runtimes_within, runtime, within};
use credit_channel::{Window, channel};
use futures_util::SinkExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// tokio's budget is 128 calls. A task that has spent it gives way; which of two that did is first to go on is the
/// scheduler's business, so that it may be a few budgets until the other is seen to have had its turn.
const A_FEW_BUDGETS: u64 = 4 * 128;

/// Counts its turns beside the task under test, which checks it after every step.
#[derive(Clone, Default)]
struct Beats(Arc<AtomicU64>);

impl Beats {
    fn start(&self) {
        let beats = Arc::clone(&self.0);
        tokio::spawn(async move {
            loop {
                beats.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        });
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// The most steps that were made between two beats.
struct Longest {
    beats: Beats,
    last: u64,
    run: u64,
    longest: u64,
}

impl Longest {
    fn new(beats: &Beats) -> Self {
        Self { beats: beats.clone(), last: beats.now(), run: 0, longest: 0 }
    }

    fn step(&mut self) {
        let now = self.beats.now();
        self.run = if now == self.last { self.run + 1 } else { 1 };
        self.last = now;
        self.longest = self.longest.max(self.run);
    }
}

#[test]
fn producer_and_consumer_loops_give_way_after_their_budget() {
    const ITEMS: u64 = 20_000;
    within(LONG_WATCHDOG, "a loop that gives no turn", || {
        runtime(Flavour::CurrentThread).block_on(async {
            let beats = Beats::default();
            beats.start();
            let spinning = |longest: Longest, what: &str| {
                assert!(longest.longest <= A_FEW_BUDGETS, "{what}: {} steps without a turn", longest.longest);
            };
            let (tx, mut rx) = channel::<u64>(Window::messages(3 * ITEMS)).unwrap();
            let task = tokio::spawn({
                let beats = beats.clone();
                async move {
                    let mut sends = Longest::new(&beats);
                    for item in 0..ITEMS {
                        tx.send(item).await.unwrap();
                        sends.step();
                    }
                    let mut reserves = Longest::new(&beats);
                    for item in 0..ITEMS {
                        tx.reserve().await.unwrap().send(item).unwrap();
                        reserves.step();
                    }
                    let mut sink = tx.into_sink();
                    let mut feeds = Longest::new(&beats);
                    for item in 0..ITEMS {
                        sink.feed(item).await.unwrap();
                        feeds.step();
                    }
                    sink.close().await.unwrap();
                    (sends, reserves, feeds)
                }
            });
            let (sends, reserves, feeds) = task.await.unwrap();
            spinning(sends, "send");
            spinning(reserves, "reserve");
            spinning(feeds, "feed");
            let task = tokio::spawn(async move {
                let mut receives = Longest::new(&beats);
                for _ in 0..ITEMS {
                    // Its guard goes at once.
                    drop(rx.recv().await.unwrap());
                    receives.step();
                }
                let mut nexts = Longest::new(&beats);
                for _ in 0..ITEMS {
                    drop(futures_util::StreamExt::next(&mut rx).await.unwrap());
                    nexts.step();
                }
                let mut handled = Longest::new(&beats);
                let ready = rx.for_each_concurrent(4, |chunk| {
                    handled.step();
                    drop(chunk);
                    std::future::ready(Ok::<_, std::convert::Infallible>(()))
                });
                assert_eq!(ready.await, Ok(ITEMS));
                (receives, nexts, handled)
            });
            let (receives, nexts, handled) = task.await.unwrap();
            spinning(receives, "recv");
            spinning(nexts, "next");
            spinning(handled, "for_each_concurrent");
        });
    });
}

#[test]
fn clock_goes_on_beside_loops_that_spin() {
    within(LONG_WATCHDOG, "the heartbeat", || {
        runtime(Flavour::CurrentThread).block_on(async {
            let over = Arc::new(AtomicBool::new(false));
            let (tx, mut rx) = channel::<u64>(Window::messages(1 << 40)).unwrap();
            let (stop, sender) = (Arc::clone(&over), tx.clone());
            let producing = tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    sender.send(1).await.unwrap();
                }
                sender.end();
            });
            let consuming = tokio::spawn(async move {
                let mut in_hand = Vec::new();
                while rx.recv_many(&mut in_hand, 64).await.unwrap() > 0 {
                    in_hand.clear();
                }
            });
            // Three beats of 10 ms: that they come at all is what a loop without a budget would prevent.
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            over.store(true, Ordering::SeqCst);
            producing.await.unwrap();
            tx.end();
            consuming.await.unwrap();
        });
    });
}

#[test]
fn million_ready_items_pass_with_no_deep_stack_and_no_stall() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        const ITEMS: u64 = 1_000_000;
        let (tx, mut rx) = channel::<u64>(Window::messages(ITEMS)).unwrap();
        for item in 0..ITEMS {
            tx.try_send(item).unwrap();
        }
        tx.end();
        let ready = |chunk: credit_channel::Chunk<u64>| {
            drop(chunk);
            std::future::ready(Ok::<_, std::convert::Infallible>(()))
        };
        assert_eq!(rx.for_each_concurrent(16, ready).await, Ok(ITEMS));
    });
}
