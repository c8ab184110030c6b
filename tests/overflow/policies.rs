//! Each policy from outside: the verdicts, the survivors, what the hook and the numbers say (O2 to O5, O7, O8).

use crate::support::{Census, assert_balanced, on_both_runtimes};
use crate::{logged, told};
use credit_channel::overflow::{
    self, Builder, DropReason, OfferError, Offering, OverflowError, Overflowed, Policy, Verdict,
};
use credit_channel::stages::{ErrorOrder, Stage, StageError};
use credit_channel::{Closed, Failure, RecvError, Window, WindowError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What comes out, with its number and what was dropped before it.
async fn drain(rx: &mut Overflowed<u64>) -> Vec<(u64, u64, u64)> {
    let mut all = Vec::new();
    while let Some(chunk) = rx.recv().await.unwrap() {
        all.push((*chunk, chunk.seq(), rx.dropped_before()));
    }
    all
}

fn displaced(dropped: u64, reason: DropReason) -> Result<Verdict, u64> {
    Ok(Verdict::Displaced { dropped, reason })
}

/// O3: 1 to 10 into a buffer of 3; and O7: every loss is told, counted, and seen as a gap.
#[test]
fn ten_into_three() {
    use DropReason::{Cleared, Newest, Oldest, Overwritten, Tail};
    type Verdicts = fn(u64) -> Result<Verdict, u64>;
    /// The policy; the verdicts once it is full; what comes out; what does not; how many of those come last.
    type Row = (fn() -> Policy<u64>, Verdicts, &'static [(u64, u64, u64)], &'static [u64], u64);
    let table: [Row; 7] = [
        (|| Policy::reject(3), Err, &[(1, 0, 0), (2, 1, 0), (3, 2, 0)], &[], 0),
        (|| Policy::wait(3, 8), Err, &[(1, 0, 0), (2, 1, 0), (3, 2, 0)], &[], 0),
        (
            || Policy::drop_newest(3),
            |_| Ok(Verdict::Dropped(Newest)),
            &[(1, 0, 0), (2, 1, 0), (3, 2, 0)],
            &[4, 5, 6, 7, 8, 9, 10],
            7,
        ),
        (
            || Policy::drop_oldest(3),
            |_| displaced(1, Oldest),
            &[(8, 7, 7), (9, 8, 0), (10, 9, 0)],
            &[1, 2, 3, 4, 5, 6, 7],
            0,
        ),
        (
            || Policy::drop_tail(3),
            |_| displaced(1, Tail),
            &[(1, 0, 0), (2, 1, 0), (10, 9, 7)],
            &[3, 4, 5, 6, 7, 8, 9],
            0,
        ),
        (
            || Policy::drop_all(3),
            |n| if n % 3 == 1 { displaced(3, Cleared) } else { Ok(Verdict::Accepted) },
            &[(10, 9, 9)],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9],
            0,
        ),
        (Policy::latest, |_| displaced(1, Overwritten), &[(10, 9, 9)], &[1, 2, 3, 4, 5, 6, 7, 8, 9], 0),
    ];
    on_both_runtimes(move || async move {
        for (policy, verdict, survivors, dropped, after_the_last) in table {
            let case = format!("{:?}", policy());
            let (tx, mut rx, log) = logged(policy(), 2);
            let room = if case.contains("Latest") { 1 } else { 3 };
            for n in 1..=10 {
                let expected = if n <= room { Ok(Verdict::Accepted) } else { verdict(n) };
                assert_eq!(tx.offer(n).map_err(OfferError::into_inner), expected, "{case}: {n}");
            }
            let other = tx.clone();
            tx.end();
            other.end();
            assert_eq!(drain(&mut rx).await, survivors, "{case}");
            assert_eq!(rx.dropped_before(), after_the_last, "{case}");
            assert_eq!(told(&log).iter().map(|(value, _)| *value).collect::<Vec<_>>(), dropped, "{case}");
            let stats = rx.stats();
            assert_eq!(stats.offered, stats.delivered + stats.dropped.total(), "{case}: {stats:?}");
            assert_eq!(stats.refused, 10 - stats.offered, "{case}");
            assert_balanced(rx.meter().stats(), true);
        }
    });
}

/// Field report 20: nasa/fprime#5011, vectordotdev/vector#25740. A drop-oldest queue overwrote values without giving
/// back what they stood for, and told the one who had sent them that they were done.
#[test]
fn report_20_what_is_overwritten_is_given_back_and_not_said_to_be_done() {
    type Case = (fn() -> Policy<(u64, crate::support::Counted)>, DropReason, Vec<u64>);
    on_both_runtimes(|| async {
        let cases: [Case; 3] = [
            (|| Policy::drop_oldest(4), DropReason::Oldest, vec![996, 997, 998, 999]),
            (Policy::latest, DropReason::Overwritten, vec![999]),
            (|| Policy::drop_newest(4), DropReason::Newest, vec![0, 1, 2, 3]),
        ];
        for (policy, expected, survivors) in cases {
            let (census, hooked) = (Census::default(), Arc::new(AtomicU64::new(0)));
            let count = Arc::clone(&hooked);
            let (tx, mut rx) = Builder::new(policy(), Window::messages(2))
                .on_drop(move |_, reason| {
                    assert_eq!(reason, expected);
                    count.fetch_add(1, Ordering::SeqCst);
                })
                .open()
                .unwrap();
            let kept = u64::try_from(survivors.len()).unwrap();
            // The consumer does not poll.
            let mut evicted = 0;
            for n in 0..1000 {
                match tx.offer((n, census.one())).unwrap() {
                    Verdict::Accepted => {}
                    Verdict::Displaced { dropped, reason } if reason == expected => evicted += dropped,
                    Verdict::Dropped(reason) if reason == expected => evicted += 1,
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!((evicted, hooked.load(Ordering::SeqCst)), (1000 - kept, 1000 - kept));
            assert_eq!((census.alive(), census.peak()), (kept, kept + 1), "the others' drops ran, once");
            let stats = tx.stats();
            assert_eq!((stats.dropped.total(), stats.delivered, stats.buffered), (1000 - kept, 0, kept));
            let meter = rx.meter();
            assert!(meter.stats().peak_depth.is_zero(), "what was dropped has never cost credit");

            tx.end();
            let mut got = Vec::new();
            while let Some(chunk) = rx.recv().await.unwrap() {
                got.push(chunk.0);
            }
            assert_eq!(got, survivors);
            assert_eq!(census.alive(), 0);
            assert_eq!((rx.stats().delivered, rx.stats().dropped.total()), (kept, 1000 - kept));
            assert_balanced(meter.stats(), true);
        }
    });
}

/// O4: the backlog comes first, or not at all. The offer that failed it and those after it have their values back.
#[test]
fn overflow_as_a_failure() {
    on_both_runtimes(|| async {
        for order in [ErrorOrder::InOrder, ErrorOrder::AtOnce] {
            let (tx, mut rx, log) = logged(Policy::fail(2, order), 1);
            let failure = Failure::from("the buffer of 2 overflowed");
            assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
            assert_eq!(tx.offer(2), Ok(Verdict::Accepted));
            assert_eq!(tx.offer(3), Err(OfferError::Failed { value: 3, failure: failure.clone() }));
            let closed = Closed::Failed(failure.clone());
            assert_eq!(tx.offer(4), Err(OfferError::Closed { value: 4, reason: closed.clone() }));
            assert_eq!(tx.send(5).await, Err(OfferError::Closed { value: 5, reason: closed.clone() }));
            assert_eq!(tx.closed().await, closed);
            tx.end();
            if order == ErrorOrder::InOrder {
                assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
                assert_eq!(*rx.recv().await.unwrap().unwrap(), 2);
                assert!(told(&log).is_empty());
            } else {
                assert_eq!(told(&log), [(1, DropReason::Failed), (2, DropReason::Failed)]);
            }
            for _ in 0..2 {
                let error = rx.recv().await.unwrap_err();
                assert_eq!(error, StageError::Upstream(RecvError::Failed(failure.clone())), "{order:?}");
            }
        }
    });
}

/// Whatever the source does, memory is bounded by the buffer and the window.
#[test]
fn a_million_offers_in_bounded_memory() {
    on_both_runtimes(|| async {
        let census = Census::default();
        let (tx, mut rx) = overflow::channel(Policy::drop_oldest(8), Window::messages(2)).unwrap();
        let consumer = tokio::spawn(async move {
            let (mut received, mut dropped) = (0, 0);
            while rx.recv().await.unwrap().is_some() {
                received += 1;
                dropped += rx.dropped_before();
            }
            (received, dropped + rx.dropped_before(), rx.meter().stats())
        });
        for n in 0..1_000_000 {
            assert!(tx.offer(census.one()).unwrap().is_accepted());
            if n % 1000 == 0 {
                tokio::task::yield_now().await;
            }
        }
        tx.end();
        let (received, dropped, window) = consumer.await.unwrap();
        assert_eq!(received + dropped, 1_000_000);
        assert_eq!(census.alive(), 0);
        assert!(
            census.peak() <= 8 + 2 + 2,
            "{} alive: beside those, the one offered and the one on its way out",
            census.peak()
        );
        assert_balanced(window, true);
    });
}

#[test]
fn limits_that_nothing_can_live_under_are_refused() {
    let open = |policy: Policy<u64>, window| overflow::channel(policy, window).map(drop).unwrap_err();
    assert_eq!(open(Policy::drop_oldest(0), Window::messages(1)), OverflowError::NoCapacity);
    assert_eq!(open(Policy::latest(), Window::messages(0)), OverflowError::Window(WindowError::Zero));
    assert_eq!(open(Policy::latest(), Window::bytes(9)), OverflowError::Window(WindowError::Unweighed));
    let builder = Builder::new(Policy::<u64>::latest(), Window::messages(1)).time_to_live(Duration::ZERO);
    assert_eq!(builder.open().map(drop).unwrap_err(), OverflowError::NoTime);
    // No room is made beforehand: a buffer without a limit in sight costs nothing.
    let (tx, _rx) = overflow::channel(Policy::reject(u64::MAX), Window::messages(u64::MAX)).unwrap();
    assert_eq!(tx.offer(1), Ok(Verdict::Accepted));
}

#[test]
fn handles_go_between_threads_and_errors_say_what_is_full() {
    fn is_send_and_sync<T: Send + Sync>(_: &T) {}
    fn is_send<T: Send>(_: &T) {}
    let (tx, rx): (Offering<std::cell::Cell<u8>>, _) =
        overflow::channel(Policy::reject(1), Window::messages(1)).unwrap();
    is_send_and_sync(&tx);
    is_send(&rx);
    is_send(&tx.send(std::cell::Cell::new(0)));
    let _ = tx.offer(std::cell::Cell::new(1));
    let full = tx.offer(std::cell::Cell::new(2)).unwrap_err();
    assert_eq!(full.to_string(), "full: the buffer holds 1");
    assert!(full.is_full() && full.closed().is_none());
    assert_eq!(full.into_inner().get(), 2);
}
