//! What both sides get to see of a broken rule: GOAWAY there, the same reason here, and nobody left waiting.

use crate::raw::{Fields, Raw, against_consumer, against_producer};
use crate::support::{assert_balanced, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::Code;
use credit_channel::{Closed, CreditConsumer, Disconnect, RecvError, Window};

/// Whether it is this rule that was broken.
#[track_caller]
pub(crate) fn assert_violated(what: &str, reason: &Disconnect, code: Code) {
    match reason {
        Disconnect::Violation(violation) => assert_eq!(violation.code(), code.0, "{what}: {violation}"),
        other => panic!("{what}: the peer broke a rule, and that is not {other:?}"),
    }
}

/// Receives to the end: the payloads, and how it ended.
pub(crate) async fn receive_all(rx: &mut CreditConsumer<Bytes>) -> (Vec<Bytes>, Result<(), RecvError>) {
    let mut received = Vec::new();
    loop {
        match rx.recv().await {
            Ok(Some(chunk)) => received.push(chunk.into_inner()),
            Ok(None) => return (received, Ok(())),
            Err(error) => return (received, Err(error)),
        }
    }
}

/// Our consumer under a window of 4 messages and 1,000 bytes, a receiver parked in it: what the raw producer says, the
/// code it gets for it, and how many of its chunks were delivered before. What GOAWAY said.
pub(crate) async fn consumer_answers(what: &str, said: Vec<u8>, code: Code, delivered: u64) -> String {
    let window = Window::messages(4).and_bytes(1_000);
    let (mut raw, mut rx, driven) = against_consumer(Transport::new(), window).await;
    let receiving = tokio::spawn(async move { (receive_all(&mut rx).await, rx) });
    raw.say(said).await;
    let text = raw.hear_goaway(code).await;
    drop(raw);
    let ((received, end), rx) = receiving.await.expect("no panic");
    let Err(RecvError::Truncated { received: told, reason }) = end else { panic!("{what}: cut off, not {end:?}") };
    assert_violated(what, &reason, code);
    let count = u64::try_from(received.len()).expect("a count");
    assert_eq!((count, told), (delivered, delivered), "{what}: what was right before is delivered");
    assert_eq!(driven.await.expect("no panic"), Err(reason), "{what}: the driver says the same");
    assert_balanced(rx.stats(), true);
    text
}

/// Our producer with two chunks in flight under a window of 2, a third send parked: what the raw consumer says, and the
/// code it gets for it. What GOAWAY said.
pub(crate) async fn producer_answers(what: &str, said: Vec<u8>, code: Code) -> String {
    producer_of_answers(what, Fields::consumer(2), said, code).await
}

/// As [`producer_answers`], with another consumer, whose window is 2 messages too.
pub(crate) async fn producer_of_answers(what: &str, hello: Fields, said: Vec<u8>, code: Code) -> String {
    let (mut raw, tx, driven) = against_producer(Transport::new(), hello).await;
    send_two(&mut raw, &tx).await;
    let parked = tokio::spawn({
        let tx = tx.clone();
        async move { tx.send(Bytes::from_static(b"third")).await.expect_err("the connection ends") }
    });
    let watches = tokio::spawn({
        let tx = tx.clone();
        async move { tx.finished().await.expect_err("the work is not done") }
    });
    until(|| tx.stats().waiting == 1).await;
    raw.say(said).await;
    let text = raw.hear_goaway(code).await;
    drop(raw);
    let error = parked.await.expect("no panic");
    let Some(Closed::Disconnected(reason)) = error.closed().cloned() else { panic!("{what}: {error:?}") };
    assert_violated(what, &reason, code);
    assert_eq!(error.into_inner(), "third", "{what}: the value comes back");
    assert_eq!(watches.await.expect("no panic"), Closed::Disconnected(reason.clone()), "{what}");
    assert_eq!(tx.closed().await, Closed::Disconnected(reason.clone()), "{what}");
    assert_eq!(driven.await.expect("no panic"), Err(reason), "{what}: the driver says the same");
    assert_balanced(tx.stats(), false);
    assert_eq!(tx.stats().waiting, 0, "{what}");
    text
}

/// Chunks 0 and 1, of 1 byte each, all the way to the raw consumer.
pub(crate) async fn send_two(raw: &mut Raw, tx: &credit_channel::CreditProducer<Bytes>) {
    for seq in 0..2 {
        tx.send(Bytes::from_static(b"x")).await.expect("there is credit");
        let heard = raw.hear_weighty().await;
        assert_eq!(heard, Some(credit_channel::wire::Frame::Chunk { seq, payload: Bytes::from_static(b"x") }));
    }
}
