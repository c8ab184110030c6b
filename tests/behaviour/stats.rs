//! I3 in numbers: both ends say the same, at rest everything adds up, times and peaks are exact.

use crate::support::{Dice, LONG_WATCHDOG, assert_balanced, on_both_runtimes, poll_once, poll_with, turns, within};
use credit_channel::{Builder, Chunk, Oversize, Permit, Stats, Window, WindowError, channel, weighted};
use std::pin::Pin;
use std::task::Waker;
use std::time::Duration;
use tokio::time::advance;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[tokio::test(start_paused = true)]
async fn park_time_counts_while_anybody_waits_and_not_otherwise() {
    let (tx, mut rx) = channel::<u64>(Window::messages(1)).unwrap();
    advance(ms(1000)).await;
    tx.send(0).await.unwrap();
    assert_eq!((tx.stats().park_time, tx.stats().parks), (ms(0), 0), "a send that finds credit does not park");
    let in_hand = rx.recv().await.unwrap();
    let mut first = tx.send(1);
    assert!(poll_once(&mut first).await.is_pending());
    advance(ms(10)).await;
    assert_eq!(tx.stats().park_time, ms(10), "the present wait included");
    let mut second = tx.send(2);
    assert!(poll_once(&mut second).await.is_pending());
    advance(ms(10)).await;
    assert_eq!((tx.stats().park_time, tx.stats().parks), (ms(20), 2), "two who wait together count once");
    drop(in_hand);
    advance(ms(5)).await;
    assert_eq!(tx.stats().park_time, ms(25), "the second still waits");
    drop(second);
    advance(ms(100)).await;
    assert_eq!((tx.stats().park_time, tx.stats().waiting), (ms(25), 0), "nobody waits");
    first.await.unwrap();
    let late = tx.send_timeout(3, ms(40)).await;
    assert!(late.is_err());
    assert_eq!((tx.stats().park_time, tx.stats().parks), (ms(65), 3));
    assert_eq!(timeless(tx.stats()), timeless(rx.stats()));
}

#[tokio::test(start_paused = true)]
async fn park_time_stops_with_the_channel() {
    let (tx, rx) = channel::<u64>(Window::messages(1)).unwrap();
    tx.send(0).await.unwrap();
    let mut parked = tx.send(1);
    assert!(poll_once(&mut parked).await.is_pending());
    advance(ms(7)).await;
    drop(rx);
    advance(ms(100)).await;
    assert_eq!((tx.stats().park_time, tx.stats().waiting), (ms(7), 0));
    assert!(parked.await.is_err());
}

#[test]
fn task_that_is_out_of_budget_has_not_parked() {
    on_both_runtimes(|| async {
        let (tx, _rx) = channel::<u64>(Window::messages(100_000)).unwrap();
        for item in 0..10_000 {
            tx.send(item).await.unwrap();
        }
        assert_eq!((tx.stats().parks, tx.stats().park_time), (0, Duration::ZERO));
    });
}

#[test]
fn peak_is_exact_even_if_returns_lie_unseen() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::messages(100).and_bytes(1000)).unwrap();
        for _ in 0..20 {
            for _ in 0..3 {
                tx.send(vec![0; 7]).await.unwrap();
            }
            for _ in 0..3 {
                drop(rx.recv().await.unwrap());
            }
        }
        let peak = tx.stats().peak_depth;
        assert_eq!((peak.messages(), peak.bytes()), (3, 21));
        tx.send(vec![0; 500]).await.unwrap();
        let peak = tx.stats().peak_depth;
        assert_eq!((peak.messages(), peak.bytes()), (3, 500));
        drop(rx);
        let peak = tx.stats().peak_depth;
        assert_eq!((peak.messages(), peak.bytes()), (3, 500), "it only grows");
    });
}

#[test]
fn at_rest_credit_depth_and_reserved_are_the_window() {
    on_both_runtimes(|| async {
        for window in [Window::messages(9), Window::bytes(60), Window::messages(9).and_bytes(60)] {
            let (tx, mut rx) = weighted::<Vec<u8>>(window).unwrap();
            let mut dice = Dice::new(3);
            let (mut permits, mut chunks, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..2000 {
                let size = usize::try_from(dice.below(20)).unwrap();
                match dice.below(9) {
                    0 | 1 => drop(tx.try_send(vec![0; size])),
                    2 => permits.extend(tx.try_reserve_bytes(dice.below(20)).ok()),
                    3 => drop(permits.pop().map(|permit| permit.send(vec![0; size]))),
                    4 => drop(permits.pop()),
                    5 => chunks.extend(rx.try_recv().ok().flatten()),
                    6 => drop(chunks.pop()),
                    7 => pieces.extend(chunks.last_mut().and_then(|chunk| chunk.guard_mut().split(1).ok())),
                    _ => drop(pieces.pop()),
                }
                assert_balanced(tx.stats(), false);
                assert_eq!(timeless(tx.stats()), timeless(rx.stats()));
            }
            assert!(tx.stats().sent > 100);
            drop((permits, chunks, pieces));
            while let Ok(Some(chunk)) = rx.try_recv() {
                drop(chunk);
            }
            assert_balanced(tx.stats(), true);
            assert_eq!((tx.credit(), tx.depth(), tx.window()), (tx.stats().credit, tx.stats().depth, window));
        }
    });
}

#[test]
fn window_keeps_its_units() {
    let (_tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
    let asked = Window::messages(4).and_bytes(10);
    let current = Window::messages(4);
    assert_eq!(rx.set_window(asked), Err(WindowError::OtherUnits { current, asked }));
    assert_eq!(Builder::<u64>::new(Window::bytes(4)).open().map(drop), Err(WindowError::Unweighed));
    assert_eq!(channel::<u64>(asked).map(drop), Err(WindowError::Unweighed));
}

#[test]
fn shrink_and_growth_add_up_while_permits_and_chunks_are_out() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(10)).unwrap();
        for item in 0..4 {
            tx.send(item).await.unwrap();
        }
        let permits = tx.reserve_many(4).await.unwrap();
        rx.set_window(Window::messages(3)).unwrap();
        assert_eq!((tx.credit().messages(), tx.window()), (0, Window::messages(3)));
        rx.set_window(Window::messages(9)).unwrap();
        assert_eq!(tx.credit().messages(), 1, "9 less 4 in flight and 4 reserved");
        rx.set_window(Window::messages(5)).unwrap();
        drop(permits);
        assert_eq!(tx.credit().messages(), 1, "5 less 4 in flight");
        for _ in 0..4 {
            drop(rx.recv().await.unwrap());
        }
        turns(1).await;
        assert_balanced(tx.stats(), true);
    });
}

/// Every call in any order, resizes and oversized values among them. (The core checks its own books in debug builds.)
#[test]
fn books_hold_under_any_order_of_calls() {
    within(LONG_WATCHDOG, "the books", || {
        for seed in 0..60 {
            for oversize in [Oversize::Refuse, Oversize::Alone] {
                let mut dice = Dice::new(seed);
                let windows = [
                    Window::messages,
                    Window::bytes,
                    |n| Window::messages(n).and_bytes(1 + n / 2),
                    |n| Window::bytes(n).and_messages(3),
                ];
                let kind = windows[usize::try_from(dice.below(4)).unwrap()];
                let weigh = |value: &u64| usize::try_from(*value).unwrap();
                let (tx, mut rx) = Builder::new(kind(20)).weigh_with(weigh).oversize(oversize).open().unwrap();
                let (mut sends, mut permits, mut chunks) = (Vec::new(), Vec::new(), Vec::new());
                for _ in 0..400 {
                    let heaviest = if dice.below(8) == 0 { 60 } else { 8 };
                    let weight = dice.below(heaviest);
                    match dice.below(11) {
                        0 => drop(tx.try_send(weight)),
                        1 => permits.extend(tx.try_reserve_bytes(weight).ok()),
                        2 => drop(permits.pop().map(|permit: Permit<'_, u64>| permit.send(weight))),
                        3 => drop(permits.pop()),
                        4 | 5 => chunks.extend(rx.try_recv().ok().flatten()),
                        6 => drop(chunks.pop()),
                        7 => drop(chunks.last_mut().map(|chunk: &mut Chunk<u64>| chunk.guard_mut().release(1))),
                        8 => rx.set_window(kind(1 + dice.below(40))).unwrap(),
                        9 => {
                            let mut send = tx.send(weight);
                            if poll_with(Waker::noop(), Pin::new(&mut send)).is_pending() {
                                sends.push(send);
                            }
                        }
                        _ if sends.is_empty() => {}
                        _ => {
                            let place = usize::try_from(dice.below(u64::try_from(sends.len()).unwrap())).unwrap();
                            let mut send = sends.swap_remove(place);
                            if poll_with(Waker::noop(), Pin::new(&mut send)).is_pending() && dice.below(2) == 0 {
                                sends.push(send);
                            }
                        }
                    }
                    let stats = tx.stats();
                    assert!(stats.waiting <= u64::try_from(sends.len()).unwrap(), "{stats:?}");
                    assert!(stats.credit.messages() <= stats.window.message_limit().unwrap_or(0), "{stats:?}");
                    assert!(stats.credit.bytes() <= stats.window.byte_limit().unwrap_or(0), "{stats:?}");
                }
                drop((sends, permits, chunks));
                while let Ok(Some(chunk)) = rx.try_recv() {
                    drop(chunk);
                }
                assert_balanced(tx.stats(), true);
            }
        }
    });
}

/// The numbers but for the times, which go on between two looks.
fn timeless(mut stats: Stats) -> Stats {
    (stats.elapsed, stats.idle_time, stats.park_time) = Default::default();
    (stats.depth_times, stats.oldest_work) = Default::default();
    stats
}

/// A peak that was all of the window is none any more under a larger one.
#[test]
fn the_peak_goes_on_with_the_window() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        for window in [2, 4, 7] {
            rx.set_window(Window::messages(window)).unwrap();
            for n in 0..window {
                tx.send(n).await.unwrap();
            }
            assert_eq!(tx.stats().peak_depth.messages(), window);
            for _ in 0..window {
                drop(rx.recv().await.unwrap());
            }
            tx.send(0).await.unwrap();
            drop(rx.recv().await.unwrap());
        }
    });
}
