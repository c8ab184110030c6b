//! Payloads that are not what they claim to be (H46).

use crate::hostile;
use crate::raw::{against_consumer_of, write};
use crate::support::{assert_balanced, until};
use credit_channel::codec::{Bincode, Codec};
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{RecvError, Window};
use std::collections::HashMap;
use std::fmt::Debug;

/// A chunk that is right, one that is not, and one more behind it, against a consumer of `T`.
async fn undecodable<T, C>(what: &str, codec: C, right: &[u8], wrong: &[u8])
where
    T: Debug + Send + 'static,
    C: Codec<T>,
{
    let (mut raw, mut rx, driven) =
        against_consumer_of::<T, C>(Transport::new().codec(codec), Window::messages(4)).await;
    raw.say([write::chunk(0, right), write::chunk(1, wrong), write::chunk(2, right)].concat()).await;
    let heard = raw.hear_weighty().await;
    let Some(Frame::Cancel { code: Code::UNDECODABLE, detail: 0, text }) = heard else { panic!("{what}: {heard:?}") };
    assert!(text.starts_with("chunk 1: ") && text.len() > "chunk 1: ".len(), "{what}: {text}");
    // What came before is delivered, and what came behind is not.
    drop(rx.recv().await.unwrap_or_else(|error| panic!("{what}: {error}")).expect("the first"));
    match rx.recv().await {
        Err(RecvError::Undecodable { seq: 1, text: told }) => assert!(text.ends_with(&*told), "{what}: {told}"),
        other => panic!("{what}: chunk 1 cannot be decoded, and that is not {other:?}"),
    }
    assert!(matches!(rx.recv().await, Err(RecvError::Undecodable { seq: 1, .. })), "{what}: and so for ever");
    raw.hear_silent_close().await;
    drop(raw);
    driven.await.expect("no panic").unwrap_or_else(|lost| panic!("{what}: the channel ended itself: {lost}"));
    assert_balanced(rx.stats(), true);
}

/// Claims 2^60 of whatever it is.
const BOMB: [u8; 9] = [253, 0, 0, 0, 0, 0, 0, 0, 0x10];

#[test]
fn h46_bincode_payloads_that_are_not_one_value_are_refused() {
    hostile(async {
        // A length of 3, and three bytes or numbers.
        let three: &[u8] = &[3, 1, 2, 3];
        undecodable::<Vec<u8>, _>("a bomb of bytes", Bincode, three, &BOMB).await;
        undecodable::<Vec<u64>, _>("a bomb of numbers", Bincode, three, &BOMB).await;
        undecodable::<Vec<String>, _>("a bomb of strings", Bincode, &[1, 1, b'x'], &BOMB).await;
        undecodable::<String, _>("a bomb of text", Bincode, &[1, b'x'], &BOMB).await;
        undecodable::<HashMap<u64, u64>, _>("a bomb of entries", Bincode, &[1, 1, 1], &BOMB).await;
        undecodable::<Vec<Vec<Vec<u8>>>, _>(
            "a bomb in a bomb",
            Bincode,
            &[1, 1, 1, 7],
            &[1, 1, 253, 0, 0, 0, 0, 0, 0, 0, 0x7F],
        )
        .await;
        undecodable::<Vec<u8>, _>("the longest length", Bincode, three, &[253, 255, 255, 255, 255, 255, 255, 255, 255])
            .await;
        undecodable::<Vec<u8>, _>("cut short", Bincode, three, &[3, 1, 2]).await;
        undecodable::<u64, _>("nothing at all", Bincode, &[7], &[]).await;
        undecodable::<u64, _>("trailing bytes", Bincode, &[7], &[7, 0]).await;
        undecodable::<bool, _>("neither true nor false", Bincode, &[1], &[2]).await;
        undecodable::<Option<u8>, _>("neither some nor none", Bincode, &[1, 7], &[9, 7]).await;
        undecodable::<String, _>("no UTF-8", Bincode, &[1, b'x'], &[1, 0xFF]).await;
        undecodable::<char, _>("no character", Bincode, b"x", &[0xFF]).await;
    });
}

#[cfg(feature = "postcard")]
#[test]
fn h46_postcard_payloads_that_are_not_one_value_are_refused() {
    use credit_channel::codec::Postcard;

    hostile(async {
        let three: &[u8] = &[3, 1, 2, 3];
        let bomb: &[u8] = &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
        undecodable::<Vec<u8>, _>("a bomb of bytes", Postcard, three, bomb).await;
        undecodable::<Vec<u64>, _>("a bomb of numbers", Postcard, three, bomb).await;
        undecodable::<Vec<String>, _>("a bomb of strings", Postcard, &[1, 1, b'x'], bomb).await;
        undecodable::<String, _>("a bomb of text", Postcard, &[1, b'x'], bomb).await;
        undecodable::<HashMap<u64, u64>, _>("a bomb of entries", Postcard, &[1, 1, 1], bomb).await;
        undecodable::<Vec<u8>, _>("cut short", Postcard, three, &[3, 1, 2]).await;
        undecodable::<u64, _>("nothing at all", Postcard, &[7], &[]).await;
        undecodable::<u64, _>("trailing bytes", Postcard, &[7], &[7, 0]).await;
        undecodable::<u64, _>("a number without an end", Postcard, &[7], &[0xFF; 11]).await;
        undecodable::<String, _>("no UTF-8", Postcard, &[1, b'x'], &[1, 0xFF]).await;
    });
}

/// Two real ends that disagree about what they carry: the producer is told which chunk it was.
#[test]
fn h46_the_producer_is_told_which_chunk_could_not_be_decoded() {
    hostile(async {
        let (near, far) = tokio::io::duplex(4_096);
        let (texts, numbers) = (Transport::new().codec(Bincode), Transport::new().codec(Bincode));
        let producer = texts.producer::<String>(near);
        let consumer = numbers.consumer::<bool>(far, Window::messages(2));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).expect("the two say hello");
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        tx.send(String::new()).await.expect("as bytes this is a false");
        assert!(!*rx.recv().await.expect("a chunk").expect("a chunk"));
        tx.send("no bool".to_owned()).await.expect("there is credit");
        let closed = tx.closed().await;
        let credit_channel::Closed::Cancelled(credit_channel::CancelReason::Undecodable(text)) = &closed else {
            panic!("{closed:?}")
        };
        assert!(text.starts_with("chunk 1: "), "{text}");
        let error = tx.send("another".to_owned()).await.expect_err("cancelled");
        assert_eq!(error.into_inner(), "another");
        assert!(matches!(rx.recv().await, Err(RecvError::Undecodable { seq: 1, .. })));
        assert_eq!((near.await.expect("no panic"), far.await.expect("no panic")), (Ok(()), Ok(())));
        until(|| rx.stats().depth.is_zero()).await;
        assert_balanced(rx.stats(), true);
        assert_balanced(tx.stats(), false);
    });
}
