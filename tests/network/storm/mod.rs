//! A thousand connections with fates drawn at random, and everything that either end may do done at random: both ends
//! get away with the right reason in bounded time, with all credit accounted for and nothing left behind.

mod books;
mod consumer;
mod judge;
mod plan;
mod producer;

use crate::support::link::{End, Wire, link};
use crate::support::{Case, paused, soak, within};
use books::Books;
use bytes::Bytes;
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::{Disconnect, RecvError, Stats};
use judge::judge;
use plan::Plan;
use producer::Fared;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::Instant;

const STORMS: u64 = 1000;

/// What came of one.
pub(crate) struct Outcome {
    pub(crate) producers: Result<Vec<Fared>, ConnectError>,
    pub(crate) near: Option<(Result<(), Disconnect>, Stats)>,
    /// `None` within where the consumer went before.
    pub(crate) consumer: Result<Option<Result<(), RecvError>>, ConnectError>,
    pub(crate) far: Option<(Result<(), Disconnect>, Stats)>,
    pub(crate) books: Books,
    pub(crate) wire: Wire,
    pub(crate) over: Instant,
}

/// Patience with all of them, on a machine that others use too.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn thousand_storms_leave_both_ends_with_the_right_reason_and_nothing_behind() {
    let (storms, limit) = if soak() { (30 * STORMS, 30 * LIMIT) } else { (STORMS, LIMIT) };
    let seen = within(limit, "a thousand storms", move || {
        let seen = Mutex::new(BTreeSet::new());
        thread::scope(|scope| {
            for first in 0..2 {
                let seen = &seen;
                scope.spawn(move || {
                    let runtime = paused();
                    for seed in (first..storms).step_by(2) {
                        let plan = Arc::new(Plan::draw(seed));
                        let _case = Case(format!("{plan:#?}"));
                        let outcome = runtime.block_on(storm(Arc::clone(&plan)));
                        seen.lock().unwrap().insert(judge(&plan, &outcome));
                    }
                });
            }
        });
        seen.into_inner().unwrap()
    });
    let all = ["abandoned", "cancelled", "clean", "drained", "failed", "gone", "not opened", "truncated"];
    assert!(seen.iter().eq(&all), "the storms are as wild as they should be: {seen:?}");
}

async fn storm(plan: Arc<Plan>) -> Outcome {
    let [there, back] = plan.fates.clone();
    let (near, far, wire) = link(plan.seed, there, back);
    if let Some((way, after, cut)) = plan.cut {
        wire.cut_after(way, after, cut);
    }
    let books = Books::new(&plan);
    let near = tokio::spawn(near_end(Arc::clone(&plan), books.clone(), near));
    let far = tokio::spawn(far_end(plan, books.clone(), far));
    let (producers, near) = near.await.expect("the producers' end does not panic");
    let (consumer, far) = far.await.expect("the consumer's end does not panic");
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "tasks are left");
    Outcome { producers, near, consumer, far, books, wire, over: Instant::now() }
}

type Near = (Result<Vec<Fared>, ConnectError>, Option<(Result<(), Disconnect>, Stats)>);

async fn near_end(plan: Arc<Plan>, books: Books, io: End) -> Near {
    let (tx, driver) = match Transport::new().producer::<Bytes>(io).await {
        Ok(opened) => opened,
        Err(error) => return (Err(error), None),
    };
    let driver = tokio::spawn(driver);
    let weak = tx.downgrade();
    let spawn = |me| {
        let tx = weak.upgrade().expect("it is there");
        tokio::spawn(producer::produce(Arc::clone(&plan), books.clone(), me, tx))
    };
    let tasks: Vec<_> = (0..plan.endings.len()).map(spawn).collect();
    tx.end();
    let mut fared = Vec::new();
    for task in tasks {
        fared.push(task.await.expect("a producer does not panic"));
    }
    let driver = driver.await.expect("the driver does not panic");
    (Ok(fared), Some((driver, weak.stats())))
}

type Far = (Result<Option<Result<(), RecvError>>, ConnectError>, Option<(Result<(), Disconnect>, Stats)>);

async fn far_end(plan: Arc<Plan>, books: Books, io: End) -> Far {
    let (rx, driver) = match Transport::new().consumer::<Bytes>(io, plan.window).await {
        Ok(opened) => opened,
        Err(error) => return (Err(error), None),
    };
    let driver = tokio::spawn(driver);
    let canceller = rx.canceller();
    let how = consumer::consume(plan, books, rx).await;
    let driver = driver.await.expect("the driver does not panic");
    (Ok(how), Some((driver, canceller.stats())))
}
