//! Everything dropped at any point: no value is left, no credit is lost, nothing hangs.

use crate::support::{Case, Census, Dice, on_both_runtimes_within, paused, runtime, turns, until};
use crate::support::{FLAVOURS, LONG_WATCHDOG, within};
use credit_channel::stages::{ErrorOrder, Stage, StageError};
use credit_channel::workers::Workers;
use credit_channel::{CancelReason, Failure, RecvError, Window, channel};

#[test]
fn dropped_at_any_point_nothing_is_left() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for seed in 0..400 {
            let _case = Case(format!("seed {seed}"));
            let mut dice = Dice::new(seed);
            let census = Census::default();
            let (tx, rx) = channel(Window::messages(1 + dice.below(12))).unwrap();
            let workers = Workers::new(1..=1 + dice.below(4)).inbox(1 + dice.below(12)).batch(1 + dice.below(3));
            let workers = if dice.below(2) == 0 { workers.ordered() } else { workers };
            let workers = workers.error_order(*dice.one_of(&[ErrorOrder::InOrder, ErrorOrder::AtOnce]));
            let (fails_at, panics) = (dice.below(60), dice.below(2) == 0);
            let mut count = 0;
            let pool = Stage::map(rx, move |value| {
                count += 1;
                (count, value)
            });
            let mut pool = pool
                .spawn_workers(workers, move |(n, value)| async move {
                    turns(n % 3).await;
                    assert!(n != fails_at || !panics, "on purpose");
                    if n == fails_at { Err("on purpose") } else { Ok(value) }
                })
                .unwrap();
            let observer = tx.downgrade();
            let born = census.clone();
            let source = tokio::spawn(async move {
                for _ in 0..50 {
                    if tx.send(born.one()).await.is_err() {
                        return;
                    }
                }
                tx.end();
            });
            let mut held = Vec::new();
            for _ in 0..dice.below(80) {
                match dice.below(6) {
                    0 => turns(dice.below(4)).await,
                    1 if !held.is_empty() => drop(held.swap_remove(0)),
                    2 => held.clear(),
                    _ => match crate::support::poll_once(&mut pool.recv()).await {
                        std::task::Poll::Ready(Ok(Some(chunk))) => held.push(chunk),
                        std::task::Poll::Ready(_) => break,
                        std::task::Poll::Pending => turns(1).await,
                    },
                }
            }
            match dice.below(3) {
                0 => drop(pool),
                1 => {
                    pool.cancel(CancelReason::Timeout);
                    drop(held.pop());
                }
                _ => {
                    held.clear();
                    while pool.recv().await.is_ok_and(|chunk| chunk.is_some()) {}
                }
            }
            drop(held);
            source.await.unwrap();
            until(|| census.alive() == 0).await;
            until(|| observer.stats().depth.is_zero()).await;
        }
    });
}

/// A runtime that is shut down with a pool on it: who looks at the pool from another one is told, and nothing is left.
#[test]
fn the_runtime_goes_first() {
    for flavour in FLAVOURS {
        within(LONG_WATCHDOG, "a pool without its runtime", move || {
            let census = Census::default();
            let home = runtime(flavour);
            let (inbox, mut pool) = home.block_on(async {
                let (inbox, pool) = Workers::new(2..=2)
                    .inbox(8)
                    .spawn(|value| async move {
                        std::future::pending::<()>().await;
                        Ok::<_, Failure>(value)
                    })
                    .unwrap();
                for _ in 0..8 {
                    inbox.try_submit(census.one()).unwrap();
                }
                turns(20).await;
                (inbox, pool)
            });
            drop(home);
            assert_eq!(census.alive(), 0);
            paused().block_on(async {
                for _ in 0..2 {
                    let error = pool.recv().await.unwrap_err();
                    assert_eq!(error, StageError::Upstream(RecvError::Abandoned { received: 0 }));
                }
            });
            assert!(inbox.try_submit(census.one()).unwrap_err().closed().is_some());
        });
    }
}
