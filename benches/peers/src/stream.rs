//! One run: producers send, one consumer receives them all.

use crate::chan::Chan;
use crate::grid::Cell;
use crate::measure::Sample;
use crate::message::{Fat, Message, Payload};
use std::hint::black_box;
use std::time::Instant;

pub fn stream<C: Chan>(cell: Cell, messages: u64) -> Sample {
    match cell.payload {
        Payload::Thin => cell.runtime.measure(through::<C, u64>(cell, messages)),
        Payload::Fat => cell.runtime.measure(through::<C, Fat>(cell, messages)),
    }
}

async fn through<C: Chan, T: Message>(cell: Cell, messages: u64) -> Sample {
    let producers = u64::from(cell.producers);
    let each = messages.div_ceil(producers);
    let (sender, receiver) = C::open::<T>(cell.window as usize);
    let mut senders: Vec<_> = (1..producers).map(|_| sender.clone()).collect();
    senders.push(sender);

    let start = Instant::now();
    let consumer = tokio::spawn(async move {
        let (mut count, mut sum) = (0u64, 0u64);
        let ended = C::consume(receiver, |message: &T| {
            count += 1;
            sum += black_box(message).key();
        });
        ended.await.expect("a clean end");
        (count, sum)
    });
    let producers: Vec<_> = senders.into_iter().map(|sender| tokio::spawn(C::produce(sender, each))).collect();
    let senders = producers.len() as u64;
    for producer in producers {
        producer.await.expect("no panic").expect("the consumer stays");
    }
    let received = consumer.await.expect("no panic");
    let took = start.elapsed();

    let sent = (senders * each, senders * (each * each.saturating_sub(1) / 2));
    assert_eq!(received, sent, "{}: not the messages that were sent, as (count, sum)", C::NAME);
    Sample { messages: sent.0, took }
}

#[cfg(test)]
mod tests {
    use super::stream;
    use crate::chan::{Chan, Outcome, chan};
    use crate::contenders::contenders;
    use crate::grid::Cell;
    use crate::message::{Message, Payload};
    use crate::runtime::Runtime;
    use tokio::sync::mpsc;

    const CELL: Cell = Cell { runtime: Runtime::Current, producers: 4, payload: Payload::Fat, window: 4 };

    chan! {
        Lossy, "lossy",
        mpsc::Sender<T>, mpsc::Receiver<T>,
        open |window| mpsc::channel(window),
        send |tx, value| if value.key() == 7 { Ok(()) } else { tx.send(value).await },
        recv |rx| rx.recv().await, Some(value) => &value,
        end |tx| drop(tx)
    }

    #[test]
    #[should_panic(expected = "contender panicked")]
    fn a_lost_message_is_noticed() {
        stream::<Lossy>(CELL, 100);
    }

    #[test]
    fn every_contender_delivers_all() {
        for contender in contenders() {
            for runtime in Runtime::ALL {
                let sample = (contender.stream)(Cell { runtime, ..CELL }, 1_001);
                assert_eq!(sample.messages, 1_004, "{}: each of 4 producers sends as much", contender.name);
                assert_eq!((contender.ping_pong)(runtime, 10).messages, 10);
            }
        }
    }
}
