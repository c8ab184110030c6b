//! This crate's own rules: what comes out holds the credit of what went in, and all accounts balance at the end.

use super::rig::{Rig, Watch, assert_nothing_comes, drain, each, each_of, take, take_all_there_is};
use super::source::{Out, Tested};
use crate::support::{poll_once, until};
use credit_channel::CancelReason;
use credit_channel::stages::Stage;
use std::collections::HashSet;
use std::sync::Arc;

/// The payloads in hand.
fn in_hand(held: &[Out]) -> u64 {
    let payloads: HashSet<_> = held.iter().flat_map(|chunk| chunk.of.iter().map(Arc::as_ptr)).collect();
    u64::try_from(payloads.len()).unwrap()
}

/// I1 and I3 of what is before a stage, in the eyes of one who counts payloads.
#[track_caller]
fn assert_within(watch: &Watch, held: &[Out]) {
    let depth: u64 = watch.depths().iter().sum();
    assert!(watch.census.peak() <= watch.windows(), "{}: {:?}", watch.subject.name, watch.census);
    assert!(in_hand(held) <= depth, "{} in hand, and the depth is {depth}", in_hand(held));
}

/// From a source that sends for ever to a consumer that keeps all it gets: it stops at the window, and goes on by as
/// much as is dropped, the first, the last or one between.
#[test]
fn whoever_keeps_all_that_comes_out_keeps_the_window_full() {
    each_of(
        |subject| subject.carries,
        |subject| async move {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 6);
            let feeding = tokio::spawn(feed.run_on());
            let mut held = Vec::new();
            take_all_there_is(&mut stage, &mut held, &watch).await;
            for turn in 0..30 {
                assert_nothing_comes(&mut stage).await;
                assert_within(&watch, &held);
                if subject.out_at_most == u64::MAX {
                    let window = watch.windows() / u64::try_from(subject.inputs).unwrap();
                    assert!(watch.depths().contains(&window), "{:?} of {window}", watch.depths());
                } else {
                    assert!(u64::try_from(held.len()).unwrap() == subject.out_at_most);
                }
                let _ = held.remove([0, held.len() - 1, held.len() / 2][turn % 3]);
                take_all_there_is(&mut stage, &mut held, &watch).await;
            }
            stage.cancel(CancelReason::Timeout);
            feeding.await.unwrap();
            // A task that carries the credit over a hop lets it go when the hop is cancelled.
            while subject.is_pulled && held.pop().is_some() {
                assert_within(&watch, &held);
            }
            drop(held);
            watch.assert_home().await;
        },
    );
}

/// What detaches does not: a consumer that keeps all it gets gets all, and the window is free all the same.
#[test]
fn whoever_detaches_lets_the_credit_go() {
    each_of(
        |subject| !subject.carries,
        |subject| async move {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 2);
            let fits = subject.fits(50);
            let feeding = tokio::spawn(feed.run(fits));
            let mut held = Vec::new();
            while let Some(chunk) = stage.recv().await.unwrap() {
                held.push(chunk);
            }
            feeding.await.unwrap();
            assert_eq!((in_hand(&held), watch.depths()), (fits, vec![0; subject.inputs]));
            drop(held);
            watch.assert_home().await;
        },
    );
}

/// The ways in which a chunk, and the work on it, may end.
#[derive(Clone, Copy, Debug)]
enum Exit {
    Returned,
    Panicked,
    Aborted,
    LostInSelect,
    StageDroppedFirst,
    ChunkDroppedLast,
    Cancelled,
}

const EXITS: [Exit; 7] = [
    Exit::Returned,
    Exit::Panicked,
    Exit::Aborted,
    Exit::LostInSelect,
    Exit::StageDroppedFirst,
    Exit::ChunkDroppedLast,
    Exit::Cancelled,
];

/// Takes one, and ends that way.
async fn work(exit: Exit, mut stage: Tested) {
    let chunk = take(&mut stage, 1).await;
    match exit {
        Exit::Returned => {}
        Exit::Panicked => panic!("on purpose: {chunk:?}"),
        Exit::Aborted => std::future::pending().await,
        Exit::LostInSelect => {
            for _ in 0..20 {
                tokio::select! {
                    biased;
                    () = tokio::task::yield_now() => {}
                    received = stage.recv() => drop(received.unwrap()),
                }
            }
        }
        Exit::StageDroppedFirst => {
            drop(stage);
            tokio::task::yield_now().await;
            drop(chunk);
        }
        Exit::ChunkDroppedLast => {
            drop(stage);
            tokio::spawn(async move {
                tokio::task::yield_now().await;
                drop(chunk);
            });
        }
        Exit::Cancelled => {
            stage.cancel(CancelReason::Timeout);
            drop(chunk);
        }
    }
}

#[test]
fn credit_comes_home_whatever_way_the_work_ends() {
    each(|subject| async move {
        for exit in EXITS {
            let Rig { feed, stage, watch } = Rig::new(subject, 4);
            let feeding = tokio::spawn(feed.run_on());
            let working = tokio::spawn(work(exit, stage));
            if let Exit::Aborted = exit {
                until(|| watch.brought() > 0).await;
                working.abort();
            }
            let worked = working.await;
            assert_eq!(worked.is_err(), matches!(exit, Exit::Panicked | Exit::Aborted), "{exit:?}");
            feeding.await.unwrap();
            until(|| watch.all_home() && watch.all_gone()).await;
            watch.assert_home().await;
        }
    });
}

/// Every payload that was sent was made once and dropped once, and its credit came home, after a whole run as after one
/// that was cancelled anywhere in it.
#[test]
fn accounts_balance() {
    each(|subject| async move {
        for cancelled_after in (0..8).map(Some).chain([None]) {
            let Rig { feed, mut stage, watch } = Rig::new(subject, 3);
            let feeding = tokio::spawn(async move {
                let mut n = 0;
                while n < 100 && feed.send(n).await.is_ok() {
                    n += 1;
                }
                feed.end();
                n
            });
            if let Some(n) = cancelled_after {
                for _ in 0..n {
                    drop(take(&mut stage, 1).await);
                }
                let held = take(&mut stage, 1).await;
                let _ = poll_once(&mut stage.recv()).await;
                stage.cancel(CancelReason::Timeout);
                drop(held);
            }
            let (came, _) = drain(&mut stage).await;
            let fed = feeding.await.unwrap();
            if cancelled_after.is_none() {
                assert_eq!((fed, came.len()), (100, subject.expected(100).len()));
            }
            watch.assert_home().await;
            for meter in &watch.meters {
                let stats = meter.stats();
                assert_eq!(stats.released.messages(), stats.sent, "{stats:?}");
            }
            let (peak, windows) = (watch.census.peak(), watch.windows());
            assert!(peak <= windows || !subject.carries, "{peak} alive, cancelled after {cancelled_after:?}");
        }
    });
}
