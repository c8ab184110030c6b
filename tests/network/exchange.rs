//! One exchange from the first byte to the last, over a connection that may be cut: what each side was told.

use crate::support::assert_balanced;
use crate::support::link::{Cut, End, Fate, Way, Wire, link};
use bytes::Bytes;
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::{Closed, Disconnect, RecvError, Stats, Window};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::Instant;

/// The payloads' lengths; more of them than the window lets through at once.
pub(crate) const LENGTHS: [u8; 7] = [3, 0, 1, 40, 0, 100, 7];
pub(crate) const CHUNKS: u64 = 7;
pub(crate) const WINDOW: Window = Window::messages(3);

/// What a side was told.
#[derive(Debug)]
pub(crate) enum Told<C> {
    /// There was no channel.
    NotOpened(ConnectError),
    /// How the channel ended, and what the driver said.
    Ended { how: C, driver: Result<(), Disconnect> },
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) producer: Told<Result<(), Closed>>,
    pub(crate) consumer: Told<Result<(), RecvError>>,
    pub(crate) received: u64,
    pub(crate) took: Duration,
}

pub(crate) async fn exchange(fate: Fate, cut: Option<(Way, u64, Cut)>) -> (Outcome, Wire) {
    let start = Instant::now();
    let (near, far, wire) = link(7, fate.clone(), fate);
    if let Some((way, after, cut)) = cut {
        wire.cut_after(way, after, cut);
    }
    let (producer, consumer) = (tokio::spawn(produce(near)), tokio::spawn(consume(far)));
    let producer = producer.await.expect("the producer does not panic");
    let (consumer, received) = consumer.await.expect("the consumer does not panic");
    let tasks = Handle::current().metrics().num_alive_tasks();
    assert_eq!(tasks, 0, "tasks are left");
    (Outcome { producer, consumer, received, took: start.elapsed() }, wire)
}

fn payload(seq: u64) -> Bytes {
    let at = usize::try_from(seq).expect("small");
    vec![LENGTHS[at].wrapping_add(1); usize::from(LENGTHS[at])].into()
}

async fn produce(io: End) -> Told<Result<(), Closed>> {
    let (tx, driver) = match Transport::new().producer::<Bytes>(io).await {
        Ok(opened) => opened,
        Err(error) => return Told::NotOpened(error),
    };
    let driver = tokio::spawn(driver);
    let weak = tx.downgrade();
    let mut refused = None;
    for seq in 0..CHUNKS {
        if let Err(error) = tx.send(payload(seq)).await {
            refused = error.closed().cloned();
            break;
        }
    }
    let how = match refused {
        None => tx.end_and_wait().await,
        Some(reason) => {
            assert_eq!(tx.closed().await, reason, "a refused send says what everyone is told");
            Err(reason)
        }
    };
    let driver = driver.await.expect("the driver does not panic");
    let Stats { waiting, reserved, .. } = weak.stats();
    assert!(waiting == 0 && reserved.is_zero());
    Told::Ended { how, driver }
}

async fn consume(io: End) -> (Told<Result<(), RecvError>>, u64) {
    let (mut rx, driver) = match Transport::new().consumer::<Bytes>(io, WINDOW).await {
        Ok(opened) => opened,
        Err(error) => return (Told::NotOpened(error), 0),
    };
    let driver = tokio::spawn(driver);
    let mut received = 0;
    let how = loop {
        match rx.recv().await {
            Ok(Some(chunk)) => {
                assert_eq!((chunk.seq(), &*chunk), (received, &payload(received)));
                received += 1;
                tokio::task::yield_now().await;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    assert_balanced(rx.stats(), true);
    let driver = driver.await.expect("the driver does not panic");
    assert_eq!(rx.recv().await.map(drop), how.clone().map(drop), "it stays at that");
    (Told::Ended { how, driver }, received)
}
