//! What is in flight from one end of a chain to the other, however many stages lie between: by the payloads alive, since
//! those are what a window is there to bound.

use super::rig::{assert_nothing_comes, take};
use super::source::{Item, Tested, tested};
use crate::support::{Census, on_a_paused_clock, on_both_runtimes, until};
use credit_channel::stages::Stage;
use credit_channel::{CancelReason, CreditConsumer, CreditProducer, Window, channel};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const WINDOW: u64 = 5;
/// That of each stage or hop which has one of its own.
const OWN_WINDOW: u64 = 3;

fn pair(window: u64) -> (CreditProducer<Item>, CreditConsumer<Item>) {
    channel(Window::messages(window)).unwrap()
}

/// One more stage that carries, of a kind or another.
fn carrying(stage: Tested, n: u64) -> Tested {
    match n % 4 {
        0 => tested(stage.map(|item| item)),
        1 => tested(stage.filter(|item| item.n < u64::MAX)),
        2 => tested(stage.windowed(100).unwrap()),
        _ => tested(stage.filter_map(Some)),
    }
}

/// One more hop over a channel.
fn hop(stage: Tested, window: u64) -> Tested {
    let (hop, far) = pair(window);
    tokio::spawn(stage.forward(hop));
    tested(far)
}

/// A source that sends for ever before this stage, and a consumer behind it that keeps all it gets, and drops some of it
/// now and then. With as much in hand as there may be, so much is alive once nothing moves any more, and never was more.
async fn flood(tx: CreditProducer<Item>, mut stage: Tested, most_in_hand: usize, most_alive: u64) {
    let census = Census::default();
    let counted = census.clone();
    let feeding = tokio::spawn(async move {
        for n in 0.. {
            // Made only when it may be sent.
            let Ok(permit) = tx.reserve().await else { return };
            if permit.send(Item::new(n, &counted)).is_err() {
                return;
            }
        }
    });
    let mut held = Vec::new();
    for _ in 0..3 {
        held.drain(..held.len() / 2).for_each(drop);
        while held.len() < most_in_hand {
            held.extend(take(&mut stage, 1).await);
        }
        while census.alive() < most_alive {
            assert_nothing_comes(&mut stage).await;
        }
        assert_nothing_comes(&mut stage).await;
    }
    stage.cancel(CancelReason::Timeout);
    feeding.await.unwrap();
    assert_eq!(census.peak(), most_alive);
    drop((stage, held));
    until(|| census.alive() == 0).await;
}

#[test]
fn with_carry_no_more_is_in_flight_than_the_one_window_however_many_the_stages() {
    on_both_runtimes(|| async {
        for stages in 0..=8 {
            let (tx, rx) = pair(WINDOW);
            let chain = (0..stages).fold(tested(rx), carrying);
            flood(tx, chain, 5, WINDOW).await;
        }
    });
}

#[test]
fn with_carry_no_more_is_in_flight_than_the_one_window_however_many_the_hops() {
    on_both_runtimes(|| async {
        for hops in 1..=8 {
            let (tx, rx) = pair(WINDOW);
            let chain = (0..hops).fold(tested(rx), |stage, n| hop(carrying(stage, n), 100));
            flood(tx, chain, 5, WINDOW).await;
        }
    });
}

/// Also of what a hop has asked for ahead of its room, since the end needs none: it counts before the hop until the next
/// is asked for.
#[test]
fn with_detach_no_more_is_in_flight_than_the_sum_of_the_windows() {
    on_both_runtimes(|| async {
        for hops in 1..=8 {
            let (tx, rx) = pair(WINDOW);
            let chain = (0..hops).fold(tested(rx), |stage, _| hop(tested(stage.detach()), OWN_WINDOW));
            flood(tx, chain, 3, WINDOW + hops * OWN_WINDOW).await;
        }
        for stages in 1..=8 {
            let (tx, rx) = pair(WINDOW);
            let chain = (0..stages).fold(tested(rx), |stage, _| tested(stage.detach().windowed(OWN_WINDOW).unwrap()));
            // What is out of the last of them is out of them all, so that only the first adds anything.
            flood(tx, chain, 3, WINDOW + OWN_WINDOW).await;
        }
    });
}

/// Azure/amqpnetlite#270: credit given back on receipt, so that the limit did not limit. A window of 100, 1,000 items,
/// and each is worked on for 2 s in a task of its own.
#[test]
fn report_22_the_limit_limits_what_is_handed_out_through_every_stage() {
    const ITEMS: u64 = 1000;
    for stages in 0..6_u64 {
        on_a_paused_clock(move || async move {
            let (tx, rx) = pair(100);
            let census = Census::default();
            let mut chain = match stages {
                0 => tested(rx),
                1 => tested(rx.map(|item| item)),
                2 => tested(rx.windowed(ITEMS).unwrap()),
                3 => hop(tested(rx), ITEMS),
                4 => hop((0..8).fold(tested(rx), carrying), ITEMS),
                _ => (0..3).fold(tested(rx), |stage, n| hop(carrying(stage, n), ITEMS)),
            };
            let (counted, meter) = (census.clone(), tx.downgrade());
            let source = tokio::spawn(async move {
                for n in 0..ITEMS {
                    tx.reserve().await.unwrap().send(Item::new(n, &counted)).unwrap();
                }
                tx.end_and_wait().await.unwrap();
            });
            let (out, most) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
            let (now, peak) = (Arc::clone(&out), Arc::clone(&most));
            let working = tokio::spawn(async move {
                while let Some(chunk) = chain.recv().await.unwrap() {
                    peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let now = Arc::clone(&now);
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_secs(2)).await;
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(chunk);
                    });
                }
            });
            tokio::time::sleep(Duration::from_millis(1900)).await;
            assert_eq!(out.load(Ordering::SeqCst), 100, "handed out");
            assert_eq!(meter.stats().sent, 100, "and 900 are still with the producer");
            working.await.unwrap();
            source.await.unwrap();
            assert_eq!((most.load(Ordering::SeqCst), census.peak(), census.born()), (100, 100, ITEMS));
            until(|| census.alive() == 0).await;
        });
    }
}
