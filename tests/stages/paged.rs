//! Sources that are asked for pages.

use crate::support::{on_both_runtimes, poll_once};
use credit_channel::stages::{DemandError, ErrorOrder, Page, Stage, StageError, paged};
use credit_channel::{CancelReason, Failure, Window};
use std::future::{Ready, ready};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

type Answer = Ready<Result<Page<u64>, Failure>>;
type Asked = Arc<Mutex<Vec<u64>>>;

/// A source of `rows` rows, in pages as long as they are asked for, and what it was asked for.
fn ledger(rows: u64) -> (impl FnMut(u64) -> Answer, Asked) {
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let mut next = 0;
    let fetch = move |n: u64| {
        log.lock().unwrap().push(n);
        let from = next;
        next = rows.min(next + n);
        let page = (from..next).collect();
        ready(Ok(if next == rows { Page::last(page) } else { Page::more(page) }))
    };
    (fetch, asked)
}

/// 64 first; then, each time 48 are done, 48.
#[test]
fn sixty_four_and_forty_eight() {
    on_both_runtimes(|| async {
        let (fetch, asked) = ledger(10_000);
        let mut stage = paged(64, 48, fetch).unwrap();
        let meter = stage.meter();
        let mut held = std::collections::VecDeque::new();
        for n in 0..64 {
            let row = stage.recv().await.unwrap().unwrap();
            assert_eq!(*row, n);
            held.push_back(row);
        }
        assert!(poll_once(&mut stage.recv()).await.is_pending(), "all of it is in hand");
        held.drain(..47);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        assert_eq!(*asked.lock().unwrap(), [64]);
        held.pop_front();
        held.push_back(stage.recv().await.unwrap().unwrap());
        assert_eq!(*asked.lock().unwrap(), [64, 48]);
        assert_eq!(meter.stats().depth.messages(), 64, "16 + 48");
        held.clear();
        while let Some(row) = stage.recv().await.unwrap() {
            drop(row);
            let stats = meter.stats();
            assert!(stats.depth.messages() + stats.reserved.messages() <= 64);
        }
        let asked = asked.lock().unwrap();
        assert!(asked[1..asked.len()].iter().all(|n| *n == 48), "{asked:?}");
        assert_eq!(meter.stats().sent, 10_000);
    });
}

#[test]
fn a_page_is_asked_for_while_there_is_something_to_take() {
    on_both_runtimes(|| async {
        let pages = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&pages);
        let mut stage = paged(4, 2, move |n| {
            let first = count.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                if !first {
                    std::future::pending::<()>().await;
                }
                Ok::<_, Failure>(Page::more(vec![0; usize::try_from(n).unwrap()]))
            }
        })
        .unwrap();
        for _ in 0..4 {
            drop(stage.recv().await.unwrap().unwrap());
        }
        assert_eq!(pages.load(Ordering::Relaxed), 2);
        assert!(poll_once(&mut stage.recv()).await.is_pending());
    });
}

/// Pages of 64, 10, none, 5 and the end: a short or an empty one is not an end.
#[test]
fn short_and_empty_pages() {
    on_both_runtimes(|| async {
        let mut pages =
            [Page::more(vec![0; 64]), Page::more(vec![1; 10]), Page::more(vec![]), Page::more(vec![2; 5])].into_iter();
        let mut asked = Vec::new();
        let mut stage = paged(64, 48, |n| {
            asked.push(n);
            ready(Ok::<_, Failure>(pages.next().unwrap_or_else(Page::end)))
        })
        .unwrap();
        let mut count = 0;
        while stage.recv().await.unwrap().is_some() {
            count += 1;
        }
        drop(stage);
        assert_eq!(count, 79);
        assert_eq!(asked.len(), 5);
        assert!(asked.iter().all(|n| (48..=64).contains(n)), "{asked:?}");
    });
}

#[test]
fn a_page_too_long_is_an_error_that_names_the_numbers() {
    on_both_runtimes(|| async {
        let mut stage = paged(64, 48, |n| {
            ready(Ok::<_, Failure>(Page::more(vec![0; usize::try_from(n + u64::from(n == 48)).unwrap()])))
        })
        .unwrap();
        for _ in 0..64 {
            drop(stage.recv().await.unwrap().unwrap());
        }
        let error = stage.recv().await.unwrap_err();
        assert_eq!(error, StageError::PageTooLong { asked: 48, came: 49 });
        assert_eq!(error.to_string(), "a page of 49 came where at most 48 were asked for");
    });
}

#[test]
fn a_failure_waits_for_what_is_held_or_not() {
    on_both_runtimes(|| async {
        for (order, rows) in [(ErrorOrder::InOrder, 4), (ErrorOrder::AtOnce, 2)] {
            let mut first = true;
            let mut stage = paged(4, 2, |n| {
                let page = Page::more(vec![7; usize::try_from(n).unwrap()]);
                ready(if std::mem::take(&mut first) { Ok(page) } else { Err("torn page") })
            })
            .unwrap()
            .error_order(order);
            let meter = stage.meter();
            for _ in 0..rows {
                assert_eq!(stage.recv().await.unwrap().unwrap().into_inner(), 7);
            }
            for _ in 0..2 {
                assert_eq!(stage.recv().await.unwrap_err(), StageError::Source("torn page".into()));
            }
            assert_eq!(meter.stats().depth.messages(), 0, "{order:?}");
        }
    });
}

#[test]
fn a_cancel_drops_what_is_held() {
    on_both_runtimes(|| async {
        let (fetch, asked) = ledger(1000);
        let mut stage = paged(64, 48, fetch).unwrap();
        let meter = stage.meter();
        let held = stage.recv().await.unwrap().unwrap();
        stage.cancel(CancelReason::Timeout);
        stage.cancel(CancelReason::Shutdown);
        assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        assert_eq!(meter.stats().depth.messages(), 1);
        drop(held);
        assert_eq!((meter.stats().depth.messages(), meter.stats().reserved.messages()), (0, 0));
        assert_eq!(*asked.lock().unwrap(), [64]);
    });
}

#[test]
fn refused_when_it_is_made() {
    let make =
        |capacity, low_water| paged(capacity, low_water, |_| ready(Ok::<_, Failure>(Page::<u8>::end()))).map(drop);
    assert_eq!(make(0, 1), Err(DemandError::NoCapacity));
    assert_eq!(make(4, 5), Err(DemandError::LowWater { low_water: 5, capacity: 4 }));
    assert_eq!(make(u64::MAX, u64::MAX), Err(DemandError::LowWater { low_water: u64::MAX, capacity: Window::MAX }));
    assert_eq!(make(u64::MAX, 4), Ok(()), "as large as a window can be");
}
