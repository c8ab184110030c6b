//! I1 to I4, I6: every verb at once on both sides, under a window that breathes; what was sent arrives once, and the books
//! balance.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::{Dice, LONG_WATCHDOG, assert_balanced, turns, until};
use credit_channel::{Chunk, CreditProducer, Stats, Window};
use std::time::Duration;
use tokio::task::JoinSet;

const SENDERS: u64 = 5;
const HEAVIEST: u64 = 9;

/// A window of that size, in the units of one that `kind` picks.
fn window(kind: u64, size: u64) -> Window {
    match kind {
        0 => Window::messages(size),
        1 => Window::bytes(HEAVIEST + size).and_messages(100),
        _ => Window::bytes(HEAVIEST + size).and_messages(1 + size / 3),
    }
}

fn assert_in_range(stats: Stats) {
    let limit = |limit: Option<u64>| limit.unwrap_or(0);
    assert!(stats.credit.messages() <= limit(stats.window.message_limit()), "{stats:?}");
    assert!(stats.credit.bytes() <= limit(stats.window.byte_limit()), "{stats:?}");
    assert!(stats.depth.messages() <= stats.sent, "{stats:?}");
}

/// Sends so many values by one verb or another, and says how many were sent.
async fn send_some(tx: CreditProducer<Vec<u8>>, seed: u64, count: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let mut sent = 0;
    while sent < count {
        let weight = dice.below(HEAVIEST + 1);
        let value = || vec![7; usize::try_from(weight).unwrap()];
        let through = match dice.below(7) {
            0 => tx.try_send(value()).is_ok(),
            1 => tx.send_timeout(value(), Duration::from_micros(50)).await.is_ok(),
            2 => match tx.reserve_bytes(weight).await {
                Ok(permit) => {
                    turns(dice.below(2)).await;
                    dice.below(3) > 0 && permit.send(value()).is_ok()
                }
                Err(error) => panic!("{error}"),
            },
            3 => tokio::select! {
                biased;
                done = tx.send(value()) => done.is_ok(),
                () = turns(2) => false,
            },
            4 => match tx.clone().try_reserve_owned() {
                Ok(permit) => permit.send(vec![7]).map(CreditProducer::end).is_ok(),
                Err((producer, _)) => {
                    producer.end();
                    false
                }
            },
            _ => tx.send(value()).await.is_ok(),
        };
        sent += u64::from(through);
        assert_in_range(tx.stats());
        if !through {
            turns(1).await;
        }
    }
    tx.end();
    sent
}

#[test]
fn everything_at_once_loses_and_repeats_nothing() {
    over(
        |_| true,
        LONG_WATCHDOG,
        |carrier| async move {
            let (rounds, kinds) = if carrier == Carrier::Mpsc { (2, 1) } else { (3, 3) };
            for seed in 0..rounds {
                let kind = seed % kinds;
                let Open { tx, mut rx, line } = carrier.open_line::<Vec<u8>>(window(kind, 12)).await;
                let mut senders = JoinSet::new();
                for number in 0..SENDERS {
                    senders.spawn(send_some(tx.clone(), 100 * seed + number, 40));
                }
                let watch = tx.downgrade();
                tx.end();
                let mut dice = Dice::new(seed);
                let mut in_hand: Vec<Chunk<Vec<u8>>> = Vec::new();
                let mut received = 0;
                loop {
                    // Never waits with so much in hand that the smallest window would be full of it.
                    let next = if in_hand.is_empty() || dice.below(3) == 0 {
                        in_hand.clear();
                        rx.recv().await.unwrap()
                    } else {
                        match rx.try_recv() {
                            Ok(next) => next,
                            Err(_) => {
                                turns(1).await;
                                in_hand.pop();
                                continue;
                            }
                        }
                    };
                    let Some(chunk) = next else { break };
                    assert_eq!(chunk.seq(), received);
                    received += 1;
                    in_hand.push(chunk);
                    match dice.below(8) {
                        0 => rx.set_window(window(kind, 1 + dice.below(30))).unwrap(),
                        1 => in_hand.clear(),
                        2 => {
                            let mut part = in_hand.pop().unwrap();
                            let all = part.cost().bytes().max(part.cost().messages());
                            part.guard_mut().release(dice.below(all + 1)).unwrap();
                            in_hand.push(part);
                        }
                        3 => drop(in_hand.swap_remove(0)),
                        _ => {}
                    }
                    assert_in_range(rx.stats());
                }
                in_hand.clear();
                let sent: u64 = senders.join_all().await.into_iter().sum();
                assert_eq!((received, sent), (SENDERS * 40, SENDERS * 40));
                assert_balanced(rx.stats(), true);
                until(|| watch.stats().depth.is_zero()).await;
                assert_eq!(watch.stats().reserved.messages(), 0);
                assert_eq!(watch.stats().sent, sent);
                line.over().await;
            }
        },
    );
}
