//! Numbers that went wrong.

use crate::support::{Dice, LONG_WATCHDOG, assert_balanced, on_both_runtimes_within, turns};
use credit_channel::{CancelReason, Stats, Window, channel};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// The largest window of the test: depth may stay above a window that has just shrunk, but never above this.
const LARGEST: u64 = 16;

/// knative/pkg#3242, ProvableHQ/snarkOS#1183, permaweb/ao#918: a queue depth below zero, or near 2^64.
#[test]
fn report_77_numbers_stay_in_range_under_everything_at_once() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for round in 0..20 {
            let (tx, mut rx) = channel::<u64>(Window::messages(LARGEST)).unwrap();
            let over = Arc::new(AtomicBool::new(false));
            let mut tasks = JoinSet::new();
            let check = |stats: Stats| {
                let (credit, depth, reserved) =
                    (stats.credit.messages(), stats.depth.messages(), stats.reserved.messages());
                assert!(depth + reserved <= LARGEST, "{stats:?}");
                assert!(credit <= stats.window.message_limit().unwrap(), "{stats:?}");
                assert!(stats.peak_depth.messages() <= LARGEST, "{stats:?}");
                assert!(stats.released.messages() + depth == stats.sent, "{stats:?}");
                assert!(stats.waiting <= 8 && stats.producers <= 10, "{stats:?}");
            };
            for number in 0..8 {
                let (tx, over) = (tx.clone(), Arc::clone(&over));
                tasks.spawn(async move {
                    let mut dice = Dice::new(round * 100 + number);
                    while !over.load(Ordering::SeqCst) && !tx.is_closed() {
                        match dice.below(4) {
                            0 => drop(tx.try_send(number)),
                            1 => drop(tx.send_timeout(number, Duration::from_micros(dice.below(200))).await),
                            2 => drop(tx.try_reserve_many(2).map(|mut permits| permits.next().map(|p| p.send(number)))),
                            _ => drop(tx.send(number).await),
                        }
                        turns(dice.below(3)).await;
                    }
                    tx.end();
                });
            }
            let sampler = tx.clone();
            let stop = Arc::clone(&over);
            tasks.spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    check(sampler.stats());
                    turns(1).await;
                }
                sampler.end();
            });
            let mut dice = Dice::new(round);
            let mut in_hand = Vec::new();
            for _ in 0..300 {
                match dice.below(8) {
                    0 => rx.set_window(Window::messages(1 + dice.below(LARGEST))).unwrap(),
                    1 | 2 => in_hand.truncate(usize::try_from(dice.below(4)).unwrap()),
                    _ => in_hand.extend(rx.try_recv().ok().flatten()),
                }
                check(rx.stats());
                turns(dice.below(3)).await;
            }
            match round % 3 {
                0 => drop(rx.cancel(CancelReason::Requested)),
                1 => rx.drain(),
                _ => {}
            }
            drop(rx);
            over.store(true, Ordering::SeqCst);
            while let Some(done) = tasks.join_next().await {
                done.unwrap();
            }
            drop(in_hand);
            assert_balanced(tx.stats(), true);
        }
    });
}
