//! Report 31: a count that was not carried on after the first prefetch, so that the demand dried up.

use crate::support::{Case, LONG_WATCHDOG, on_a_paused_clock, on_both_runtimes_within};
use credit_channel::stages::{BoxStage, Stage, low_water_mark};
use credit_channel::{CreditConsumer, Failure, Window, channel};
use std::time::Duration;

type Rows = BoxStage<'static, u64, Box<dyn Send>>;

/// Anything that carries anything, as a stage of rows.
fn rows<S>(stage: S) -> Rows
where
    S: Stage<Value = u64> + Send + 'static,
    S::Guard: Send + 'static,
{
    Erased(stage).boxed()
}

struct Erased<S>(S);

impl<S> Stage for Erased<S>
where
    S: Stage,
    S::Guard: Send + 'static,
{
    type Value = S::Value;
    type Guard = Box<dyn Send>;

    fn poll_next(
        &mut self,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<credit_channel::stages::Received<S::Value, Self::Guard>> {
        let boxed = |guard| -> Box<dyn Send> { Box::new(guard) };
        self.0.poll_next(cx).map_ok(|received| received.map(|chunk| chunk.map_guard(boxed)))
    }

    fn cancel(&mut self, reason: credit_channel::CancelReason) {
        self.0.cancel(reason);
    }
}

type Make = fn(CreditConsumer<u64>, u64) -> Rows;

/// Every stage that asks for more than one at a time, or gives back more than one.
const WITHOUT_A_TIMER: [(&str, Make); 10] = [
    ("buffer(W)", |rx, w| rows(rx.buffer(w))),
    ("buffer(2W)", |rx, w| rows(rx.buffer(2 * w))),
    ("pass_through, one for one", |rx, w| rows(rx.pass_through(w, 1).unwrap())),
    ("pass_through at its mark", |rx, w| rows(rx.pass_through(w, low_water_mark(w)).unwrap())),
    ("pass_through, all of it", |rx, w| rows(rx.pass_through(w, w).unwrap())),
    ("pass_through of more", |rx, w| rows(rx.pass_through(2 * w + 1, 2 * w).unwrap())),
    ("map_concurrent of fewer", |rx, w| rows(rx.map_concurrent(w.div_ceil(2), done).unwrap())),
    ("map_concurrent of more", |rx, w| rows(rx.map_concurrent(2 * w, done).unwrap())),
    ("map_concurrent, unordered", |rx, w| rows(rx.map_concurrent(w, done).unwrap().unordered())),
    ("all of them", |rx, w| {
        let stage = rx.buffer(1).pass_through(w, low_water_mark(w)).unwrap();
        rows(stage.map_concurrent(3, done).unwrap().pass_through(2, 2).unwrap().buffer(w))
    }),
];

async fn done(row: u64) -> Result<u64, Failure> {
    tokio::task::yield_now().await;
    Ok(row)
}

/// Receives 10 W + 1 rows, holding up to `in_hand` at once.
async fn all_arrive(window: u64, in_hand: u64, make: impl FnOnce(CreditConsumer<u64>, u64) -> Rows) {
    let (tx, rx) = channel(Window::messages(window)).unwrap();
    let source = tokio::spawn(async move {
        for row in 0..=10 * window {
            tx.send(row).await.unwrap();
        }
        tx.end_and_wait().await.unwrap();
    });
    let mut stage = make(rx, window);
    let mut held = std::collections::VecDeque::new();
    let mut sum = 0;
    while let Some(row) = stage.recv().await.unwrap() {
        sum += *row;
        held.push_back(row);
        if u64::try_from(held.len()).unwrap() >= in_hand {
            held.pop_front();
        }
    }
    held.clear();
    source.await.unwrap();
    assert_eq!(sum, (0..=10 * window).sum());
}

#[test]
fn report_31_all_arrive_whatever_the_window() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for window in 1..=32 {
            for (name, make) in WITHOUT_A_TIMER {
                // All but one in hand: what a batch of credit would be kept for is never done.
                for in_hand in [1, (window - 1).max(1)] {
                    let _case = Case(format!("{name}, window {window}, {in_hand} in hand"));
                    // The last of them lets no more than 2 out.
                    let in_hand = if name == "all of them" { 1 } else { in_hand };
                    all_arrive(window, in_hand, make).await;
                }
            }
        }
    });
}

/// The same in batches: a window smaller than the batch is passed on when it has lingered.
#[test]
fn report_31_all_arrive_in_batches() {
    on_a_paused_clock(|| async {
        for window in 1..=32_u64 {
            for linger in [Duration::ZERO, Duration::from_millis(3)] {
                for max in [1, window.div_ceil(2), window, window + 1, 3 * window] {
                    for heaviest in [u64::MAX, 5] {
                        let _case = Case(format!("window {window}, {max} in {linger:?}, {heaviest} heavy"));
                        let (tx, rx) = channel(Window::messages(window)).unwrap();
                        let source = tokio::spawn(async move {
                            for row in 0..=10 * window {
                                tx.send(row).await.unwrap();
                            }
                            tx.end_and_wait().await.unwrap();
                        });
                        let mut stage = rx.batch(max, linger).unwrap().up_to(heaviest, |row| row % 7);
                        let mut next = 0;
                        while let Some(batch) = stage.recv().await.unwrap() {
                            assert_eq!(batch.seq(), next);
                            for row in &*batch {
                                assert_eq!(*row, next);
                                next += 1;
                            }
                        }
                        assert_eq!(next, 10 * window + 1);
                        source.await.unwrap();
                    }
                }
            }
        }
    });
}
