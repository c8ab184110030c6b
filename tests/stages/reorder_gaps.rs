//! Numbers that are missing: how much is held meanwhile, when they are given up, and what becomes of the rest.

use crate::support::{LONG_WATCHDOG, on_a_paused_clock, on_both_runtimes, on_both_runtimes_within, poll_once};
use credit_channel::stages::{GapCause, ReorderConfig, Stage, StageError, from_stream};
use credit_channel::{CancelReason, Closed, SendError, Window, channel};
use futures_util::stream;
use std::time::Duration;
use tokio::time::{Instant, advance, timeout};

const MILLION: u64 = 1_000_000;

/// A number and so many bytes.
type Row = (u64, usize);

/// All but 5, and each tenth twice, once at its turn and once when it is old.
fn without_five(count: u64, bytes: usize) -> impl Iterator<Item = Row> {
    let twice = |n: u64| [Some(n), (n % 10 == 0).then_some(n), (n % 10 == 7).then(|| n.saturating_sub(20))];
    (0..count).filter(|n| *n != 5).flat_map(twice).flatten().map(move |n| (n, bytes))
}

/// Field report 64: by default it is an error, as soon as no more can be held.
#[test]
fn report_64_a_missing_number_is_an_error_that_names_it() {
    on_both_runtimes(|| async {
        for (bytes, held) in [(1, 64), (100_000, 11)] {
            let (tx, rx) = channel::<Row>(Window::messages(64)).unwrap();
            let source = tokio::spawn(async move {
                for row in without_five(MILLION, bytes) {
                    tx.send(row).await?;
                }
                Ok::<_, SendError<Row>>(())
            });
            let config = ReorderConfig::new(64).and_bytes(1 << 20, |(_, bytes): &Row| *bytes);
            let mut stage = rx.reorder(config, |(n, _)| *n).unwrap();
            for expected in 0..5 {
                assert_eq!(stage.recv().await.unwrap().unwrap().0, expected);
            }
            let gap = StageError::Gap { missing: 5, next: 6, held, cause: GapCause::Full };
            for _ in 0..2 {
                assert_eq!(stage.recv().await.unwrap_err(), gap);
            }
            let text = format!("number 5 is missing: {held} after it had come, from 6 on, and no more can be held");
            assert_eq!(gap.to_string(), text);
            let stats = stage.meter().stats();
            assert_eq!((stats.held, stats.held_bytes, stats.peak_held), (0, 0, held));
            let refused = source.await.unwrap().unwrap_err();
            assert_eq!(refused.closed(), Some(&Closed::Cancelled(CancelReason::other(0, text))));
        }
    });
}

/// Field report 64: or it is skipped, and a million more come, in order and under both bounds.
#[test]
fn report_64_a_million_more_pass_a_gap_that_is_skipped() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for (count, bytes) in [(MILLION, 1), (1_000, 100_000)] {
            let (tx, rx) = channel::<Row>(Window::messages(64)).unwrap();
            let source = tokio::spawn(async move {
                for row in without_five(count, bytes) {
                    tx.send(row).await.unwrap();
                }
                tx.send((5, bytes)).await.unwrap();
                tx.end_and_wait().await.unwrap();
            });
            let config = ReorderConfig::new(64).and_bytes(1 << 20, |(_, bytes): &Row| *bytes).skip_gaps();
            let mut stage = rx.reorder(config, |(n, _)| *n).unwrap();
            for expected in (0..count).filter(|n| *n != 5) {
                assert_eq!(stage.recv().await.unwrap().unwrap().0, expected);
            }
            assert!(stage.recv().await.unwrap().is_none());
            source.await.unwrap();
            let stats = stage.meter().stats();
            assert_eq!((stats.gaps, stats.skipped, stats.passed), (1, 1, count - 1));
            assert_eq!(stats.duplicates + stats.old, count / 5 + 1, "with 5, that came too late");
            assert!(stats.peak_held <= 64 && stats.peak_bytes < (1 << 20) + 100_000, "{stats:?}");
        }
    });
}

/// Field report 64: the end with a gap names it, after all that was before it.
#[test]
fn report_64_the_end_with_a_gap_is_no_clean_end() {
    on_both_runtimes(|| async {
        let came = || stream::iter((0..30).filter(|n| *n != 5 && *n != 20));
        let mut stage = from_stream(came()).reorder(ReorderConfig::new(64), |n| *n).unwrap();
        for expected in 0..5 {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
        for _ in 0..2 {
            let gap = StageError::Gap { missing: 5, next: 6, held: 23, cause: GapCause::End };
            assert_eq!(stage.recv().await.unwrap_err(), gap);
        }
        let mut stage = from_stream(came()).reorder(ReorderConfig::new(64).skip_gaps(), |n| *n).unwrap();
        for expected in (0..30).filter(|n| *n != 5 && *n != 20) {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
        assert!(stage.recv().await.unwrap().is_none());
        assert_eq!((stage.meter().stats().gaps, stage.meter().stats().skipped), (2, 2));
    });
}

/// Held: as many as the window has. The missing one cannot be sent any more, and that is no hang.
#[test]
fn a_window_no_smaller_than_what_may_be_held_never_hangs() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
        let source = tokio::spawn(async move {
            for n in [0, 2, 3, 4, 5, 1, 6] {
                tx.send(n).await.unwrap();
            }
            tx.end_and_wait().await.unwrap();
        });
        let mut stage = rx.reorder(ReorderConfig::new(4).skip_gaps(), |n| *n).unwrap();
        for expected in [0, 2, 3, 4, 5, 6] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
        assert!(stage.recv().await.unwrap().is_none());
        source.await.unwrap();
        assert_eq!(stage.meter().stats().old, 1, "1 was sent when it was no longer waited for");
    });
}

/// Where the window is smaller, all of it is held, the producer waits for the stage and the stage for the producer:
/// then only the time helps.
#[test]
fn a_smaller_window_needs_the_time() {
    on_a_paused_clock(|| async {
        for patience in [None, Some(Duration::from_secs(2))] {
            let (tx, rx) = channel::<u64>(Window::messages(4)).unwrap();
            let source = tokio::spawn(async move {
                for n in [0, 2, 3, 4, 5, 1, 6] {
                    tx.send(n).await?;
                }
                tx.end();
                Ok::<_, SendError<u64>>(())
            });
            let config = ReorderConfig::new(100).skip_gaps();
            let config = match patience {
                Some(patience) => config.give_up_after(patience),
                None => config,
            };
            let mut stage = rx.reorder(config, |n| *n).unwrap();
            assert_eq!(*stage.recv().await.unwrap().unwrap(), 0);
            let before = Instant::now();
            let next = timeout(Duration::from_secs(3600), stage.recv()).await;
            let Some(patience) = patience else {
                assert!(next.is_err(), "as documented: it waits, and so does the producer");
                source.abort();
                continue;
            };
            assert_eq!(*next.unwrap().unwrap().unwrap(), 2);
            assert!(before.elapsed() >= patience && before.elapsed() < patience + Duration::from_millis(10));
            for expected in [3, 4, 5, 6] {
                assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
            }
            assert!(stage.recv().await.unwrap().is_none());
            source.await.unwrap().unwrap();
        }
    });
}

/// No value is held for longer than that: it is counted from when the first of them came, gap after gap.
#[test]
fn the_time_is_counted_from_when_a_value_came() {
    on_a_paused_clock(|| async {
        let second = Duration::from_secs(1);
        let (tx, rx) = channel::<u64>(Window::messages(16)).unwrap();
        let config = ReorderConfig::new(16).skip_gaps().give_up_after(3 * second);
        let mut stage = rx.reorder(config, |n| *n).unwrap();
        let start = Instant::now();
        tx.try_send(9).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        advance(2 * second).await;
        tx.try_send(7).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        // 9 came first, and nothing before it is waited for when its time is up: neither 0 to 6, nor 8.
        for expected in [7, 9] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
            assert_eq!(start.elapsed().as_secs(), 3);
        }
        // The next gap has a time of its own.
        tx.try_send(11).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        advance(2 * second).await;
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        tx.try_send(10).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 10);
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 11);
        assert_eq!(start.elapsed().as_secs(), 5);
        assert_eq!((stage.meter().stats().gaps, stage.meter().stats().skipped), (2, 8));

        let (tx, rx) = channel::<u64>(Window::messages(16)).unwrap();
        let mut stage = rx.reorder(ReorderConfig::new(16).give_up_after(3 * second), |n| *n).unwrap();
        tx.try_send(1).unwrap();
        let gap = StageError::Gap { missing: 0, next: 1, held: 1, cause: GapCause::Time };
        assert_eq!(stage.recv().await.unwrap_err(), gap);
        assert!(matches!(tx.closed().await, Closed::Cancelled(CancelReason::Other { code: 0, .. })));
        assert_eq!(tx.depth().messages(), 0);
    });
}

/// The consumer was busy for longer than that, and the missing value is at hand.
#[test]
fn what_has_come_is_looked_at_before_the_clock() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(16)).unwrap();
        let config = ReorderConfig::new(16).give_up_after(Duration::from_secs(1));
        let mut stage = rx.reorder(config, |n| *n).unwrap();
        tx.try_send(1).unwrap();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        tx.try_send(2).unwrap();
        tx.try_send(0).unwrap();
        advance(Duration::from_secs(60)).await;
        for expected in 0..3 {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
    });
}

/// A time that no clock can say is no time at all.
#[test]
fn for_ever_is_for_ever() {
    on_a_paused_clock(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(16)).unwrap();
        let mut stage = rx.reorder(ReorderConfig::new(16).give_up_after(Duration::MAX), |n| *n).unwrap();
        tx.try_send(1).unwrap();
        assert!(timeout(Duration::from_secs(1 << 30), stage.recv()).await.is_err());
        tx.try_send(0).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 0);
    });
}

#[test]
fn a_number_too_far_beyond_it() {
    on_both_runtimes(|| async {
        let came = || stream::iter([0, 2, 3, 11, 1, 12, 13]);
        let config = || ReorderConfig::new(64).give_up_beyond(10);
        let mut stage = from_stream(came()).reorder(config().skip_gaps(), |n| *n).unwrap();
        for expected in [0, 1, 2, 3, 11, 12, 13] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected, "11 is 10 beyond 1, and no more");
        }
        let came = stream::iter([0, 2, 3, 12, 1]);
        let mut stage = from_stream(came).reorder(config(), |n| *n).unwrap();
        assert_eq!(*stage.recv().await.unwrap().unwrap(), 0);
        let gap = StageError::Gap { missing: 1, next: 2, held: 3, cause: GapCause::Distance };
        assert_eq!(stage.recv().await.unwrap_err(), gap);

        // And the next one that is missing, as long as that is too far before it: 1 and 3, not 5 to 12.
        let came = stream::iter([0, 2, 4, 14, 3, 5, 13]);
        let mut stage = from_stream(came).reorder(config().skip_gaps(), |n| *n).unwrap();
        for expected in [0, 2, 4, 5, 13, 14] {
            assert_eq!(*stage.recv().await.unwrap().unwrap(), expected);
        }
        assert!(stage.recv().await.unwrap().is_none());
    });
}
