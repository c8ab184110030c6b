//! I1, I2, I3: never more in flight than the window, whatever way the work ends, and every credit home once.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::{Census, Counted, Dice, LONG_WATCHDOG, assert_balanced, turns, until};
use bytes::{Bytes, BytesMut};
use credit_channel::codec::Codec;
use credit_channel::{CancelReason, Chunk, Credit, Weigh, Window};
use std::convert::Infallible;
use tokio::task::JoinSet;

const SENDERS: u64 = 64;
const HEAVIEST: u64 = 8;

/// Counts as one message, and as its bytes.
struct Payload {
    _one: Counted,
    bytes: Counted,
}

/// Counts a payload anew where it arrives.
#[derive(Clone, Default)]
struct Counting {
    messages: Census,
    bytes: Census,
}

impl Counting {
    fn payload(&self, weight: u64) -> Payload {
        Payload { _one: self.messages.one(), bytes: self.bytes.weighing(weight) }
    }
}

impl Codec<Payload> for Counting {
    type Error = Infallible;

    fn measure(&self, value: &Payload) -> Result<usize, Infallible> {
        Ok(value.bytes.weight_bytes())
    }

    fn encode(&self, value: Payload, _: &mut BytesMut) -> Result<Bytes, Infallible> {
        Ok(vec![7; value.bytes.weight_bytes()].into())
    }

    fn decode(&self, payload: Bytes) -> Result<Payload, Infallible> {
        Ok(self.payload(u64::try_from(payload.len()).expect("a length")))
    }
}

/// How the work on a chunk ends, or the consumer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exit {
    Return,
    QuestionMark,
    Panic,
    Abort,
    SelectLoss,
    ConsumerDrop,
    Cancel,
    Drain,
    Forget,
}

const EXITS: [Exit; 9] = [
    Exit::Return,
    Exit::QuestionMark,
    Exit::Panic,
    Exit::Abort,
    Exit::SelectLoss,
    Exit::ConsumerDrop,
    Exit::Cancel,
    Exit::Drain,
    Exit::Forget,
];

#[test]
fn message_window_holds_through_every_exit() {
    for exit in EXITS {
        over(|_| true, LONG_WATCHDOG, move |carrier| storm(carrier, Window::messages(8), exit));
    }
}

#[test]
fn byte_window_holds_through_every_exit() {
    // Over a transport a window of bytes counts messages too; here they are never what is short.
    for exit in EXITS {
        let window = Window::bytes(30).and_messages(30);
        over(|carrier| carrier != Carrier::Mpsc, LONG_WATCHDOG, move |carrier| storm(carrier, window, exit));
    }
}

#[test]
fn combined_window_holds_through_every_exit() {
    for exit in EXITS {
        let window = Window::messages(6).and_bytes(30);
        over(|carrier| carrier != Carrier::Mpsc, LONG_WATCHDOG, move |carrier| storm(carrier, window, exit));
    }
}

/// 64 senders, and a task per chunk that ends in the given way.
async fn storm(carrier: Carrier, window: Window, exit: Exit) {
    let each = if carrier == Carrier::InProcess { 15 } else { 6 };
    let count = Counting::default();
    let Counting { messages, bytes } = count.clone();
    let Open { tx, mut rx, .. } = carrier.open_with(count.clone(), window).await;
    let books = rx.canceller();
    let mut senders = JoinSet::new();
    for number in 0..SENDERS {
        let (tx, count) = (tx.clone(), count.clone());
        senders.spawn(async move {
            let mut dice = Dice::new(number);
            for _ in 0..each {
                let weight = 1 + dice.below(HEAVIEST);
                // The payload is made once there is credit for it, so that it counts as in flight all its life.
                let Ok(permit) = tx.reserve_bytes(weight).await else { break };
                if permit.send(count.payload(weight)).is_err() {
                    break;
                }
                turns(dice.below(2)).await;
            }
            tx.end();
        });
    }
    // Nobody is between its permit and its payload either.
    until(|| tx.stats().waiting > SENDERS / 2 && tx.stats().reserved.is_zero()).await;
    if let (Some(limit), None) = (window.message_limit(), window.byte_limit()) {
        until(|| messages.alive() == limit).await; // it is used to the full
    }

    let producers = tx.downgrade();
    tx.end();
    let mut workers = JoinSet::new();
    let mut dice = Dice::new(99);
    let mut received = 0;
    let mut forgotten = 0;
    while let Ok(Some(chunk)) = rx.recv().await {
        received += 1;
        if exit == Exit::Forget && forgotten < 3 {
            forgotten += 1;
            let (payload, guard) = chunk.into_parts();
            guard.forget();
            drop(payload);
            continue;
        }
        let abort = workers.spawn(work(chunk, exit, dice.below(4)));
        if exit == Exit::Abort && dice.below(2) == 0 {
            turns(dice.below(3)).await;
            abort.abort();
        }
        match exit {
            Exit::ConsumerDrop if received == 200 => break,
            Exit::Cancel if received == 200 => drop(rx.cancel(CancelReason::Requested)),
            Exit::Drain if received == 200 => rx.drain(),
            _ => {}
        }
    }
    drop(rx);
    while workers.join_next().await.is_some() {}
    while let Some(sender) = senders.join_next().await {
        sender.unwrap();
    }

    let stops_early = matches!(exit, Exit::ConsumerDrop | Exit::Cancel | Exit::Drain);
    assert!(if stops_early { received >= 200 } else { received == SENDERS * each }, "{exit:?}: {received}");
    assert_eq!((messages.alive(), bytes.alive()), (0, 0));
    assert!(window.message_limit().is_none_or(|limit| messages.peak() <= limit), "{exit:?}: {}", messages.peak());
    assert!(window.byte_limit().is_none_or(|limit| bytes.peak() <= limit), "{exit:?}: {}", bytes.peak());
    let stats = books.stats();
    assert_balanced(stats, exit != Exit::Forget);
    assert_eq!(stats.depth, stats.forgotten, "all that is not home was forgotten");
    if !stops_early {
        // The producer hears of it, over a connection with its last words.
        until(|| producers.stats().depth == if carrier == Carrier::InProcess { stats.forgotten } else { Credit::ZERO })
            .await;
    }
    for stats in [stats, producers.stats()] {
        assert!(stats.peak_depth.messages() <= window.message_limit().unwrap_or(0), "{stats:?}");
        assert!(stats.peak_depth.bytes() <= window.byte_limit().unwrap_or(0), "{stats:?}");
    }
}

async fn work(chunk: Chunk<Payload>, exit: Exit, length: u64) -> Result<(), std::num::ParseIntError> {
    match exit {
        Exit::QuestionMark => {
            turns(length).await;
            "no number".parse::<u8>()?;
        }
        Exit::Panic => {
            turns(length).await;
            // As a panic, without the message that it would print each time.
            std::panic::resume_unwind(Box::new("the work fails"));
        }
        Exit::SelectLoss => tokio::select! {
            biased;
            () = holding(chunk) => {}
            () = turns(length) => {}
        },
        _ => {
            turns(length).await;
            drop(chunk);
        }
    }
    Ok(())
}

async fn holding(_chunk: Chunk<Payload>) {
    std::future::pending().await
}
