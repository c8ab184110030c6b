//! I1, I2, I3: never more in flight than the window, whatever way the work ends, and every credit home once.

use crate::support::{Census, Counted, Dice, LONG_WATCHDOG, assert_balanced, on_both_runtimes_within, turns, until};
use credit_channel::{CancelReason, Chunk, CreditProducer, Weigh, Window, weighted};
use tokio::task::JoinSet;

const SENDERS: u64 = 64;
const EACH: u64 = 15;
const HEAVIEST: u64 = 8;

/// Counts as one message, and as its bytes.
struct Payload {
    _one: Counted,
    bytes: Counted,
}

impl Weigh for Payload {
    fn weight_bytes(&self) -> usize {
        self.bytes.weight_bytes()
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
        on_both_runtimes_within(LONG_WATCHDOG, move || storm(Window::messages(8), exit));
    }
}

#[test]
fn byte_window_holds_through_every_exit() {
    for exit in EXITS {
        on_both_runtimes_within(LONG_WATCHDOG, move || storm(Window::bytes(30), exit));
    }
}

#[test]
fn combined_window_holds_through_every_exit() {
    for exit in EXITS {
        on_both_runtimes_within(LONG_WATCHDOG, move || storm(Window::messages(6).and_bytes(30), exit));
    }
}

/// 64 senders, and a task per chunk that ends in the given way.
async fn storm(window: Window, exit: Exit) {
    let (messages, bytes) = (Census::default(), Census::default());
    let (tx, mut rx) = weighted::<Payload>(window).unwrap();
    let mut senders = JoinSet::new();
    for number in 0..SENDERS {
        let (tx, messages, bytes) = (tx.clone(), messages.clone(), bytes.clone());
        senders.spawn(async move {
            let mut dice = Dice::new(number);
            for _ in 0..EACH {
                let weight = 1 + dice.below(HEAVIEST);
                // The payload is made once there is credit for it, so that it counts as in flight all its life.
                let Ok(permit) = tx.reserve_bytes(weight).await else { break };
                let payload = Payload { _one: messages.one(), bytes: bytes.weighing(weight) };
                if permit.send(payload).is_err() {
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
        assert_eq!(messages.alive(), limit, "the window is used to the full");
    }

    // Whoever stays to the end tells the numbers.
    let mut tx = Some(tx);
    if exit != Exit::ConsumerDrop {
        tx.take().into_iter().for_each(CreditProducer::end);
    }
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
    let rx = if tx.is_some() {
        drop(rx);
        None
    } else {
        Some(rx)
    };
    while workers.join_next().await.is_some() {}
    while let Some(sender) = senders.join_next().await {
        sender.unwrap();
    }

    let stops_early = matches!(exit, Exit::ConsumerDrop | Exit::Cancel | Exit::Drain);
    assert!(if stops_early { received >= 200 } else { received == SENDERS * EACH }, "{exit:?}: {received}");
    assert_eq!((messages.alive(), bytes.alive()), (0, 0));
    assert!(window.message_limit().is_none_or(|limit| messages.peak() <= limit), "{exit:?}: {}", messages.peak());
    assert!(window.byte_limit().is_none_or(|limit| bytes.peak() <= limit), "{exit:?}: {}", bytes.peak());
    let stats = tx.map(|tx| tx.stats()).or_else(|| rx.map(|rx| rx.stats())).unwrap();
    assert_balanced(stats, exit != Exit::Forget);
    assert_eq!(stats.depth, stats.forgotten, "all that is not home was forgotten");
    assert!(stats.peak_depth.messages() <= window.message_limit().unwrap_or(0), "{stats:?}");
    assert!(stats.peak_depth.bytes() <= window.byte_limit().unwrap_or(0), "{stats:?}");
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
