//! A producer whose chunks are too many, too small or out of order (H1, H8, H9, H25, H26).

use crate::answers::{consumer_answers, receive_all};
use crate::hostile;
use crate::raw::{against_consumer, write};
use crate::support::{assert_balanced, until};
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{Disconnect, RecvError, Window};

fn chunks(seqs: impl IntoIterator<Item = u64>) -> Vec<u8> {
    seqs.into_iter().flat_map(|seq| write::chunk(seq, b"x")).collect()
}

/// Nothing is received meanwhile, so that nothing is granted but the window.
async fn overrun(window: Window, said: Vec<u8>, delivered: u64) -> String {
    let (mut raw, mut rx, driven) = against_consumer(Transport::new(), window).await;
    raw.say(said).await;
    let text = raw.hear_goaway(Code::FLOW_CONTROL).await;
    drop(raw);
    let (received, end) = receive_all(&mut rx).await;
    let Err(RecvError::Truncated { received: told, reason: Disconnect::Violation(why) }) = end else {
        panic!("cut off, not {end:?}")
    };
    assert_eq!((u64::try_from(received.len()).expect("a count"), told), (delivered, delivered));
    assert_eq!((why.code(), why.text()), (Code::FLOW_CONTROL.0, &*text));
    assert_eq!(driven.await.expect("no panic"), Err(Disconnect::Violation(why)));
    assert_balanced(rx.stats(), true);
    text
}

#[test]
fn h1_one_chunk_more_than_granted_is_not_delivered() {
    hostile(async {
        let text = overrun(Window::messages(4), chunks(0..5), 4).await;
        assert!(text.contains("CHUNK 4") && text.contains("4 messages"), "{text}");
    });
}

#[test]
fn h1_one_byte_more_than_granted_is_not_delivered() {
    hostile(async {
        let said = [write::chunk(0, [0; 600]), write::chunk(1, [0; 401])].concat();
        let text = overrun(Window::bytes(1_000).and_messages(9), said, 1).await;
        assert!(text.contains("401 bytes") && text.contains("1000 bytes"), "{text}");
    });
}

#[test]
fn h1_chunk_that_no_window_holds_is_not_delivered() {
    hostile(async {
        overrun(Window::bytes(1_000).and_messages(9), write::chunk(0, [0; 1_001]), 0).await;
    });
}

/// A guard that is still held counts, however long ago its chunk came.
#[test]
fn h1_what_is_worked_on_counts_as_what_is_queued() {
    hostile(async {
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(2)).await;
        raw.say(chunks(0..2)).await;
        let held = (rx.recv().await.expect("a chunk"), rx.recv().await.expect("a chunk"));
        raw.say(chunks(2..3)).await;
        raw.hear_goaway(Code::FLOW_CONTROL).await;
        assert!(matches!(rx.recv().await, Err(RecvError::Truncated { received: 2, .. })));
        drop(held);
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn h8_empty_chunks_cost_one_each_in_every_unit() {
    hostile(async {
        let empty = |n: u64| -> Vec<u8> { (0..n).flat_map(|seq| write::chunk(seq, b"")).collect() };
        overrun(Window::messages(4), empty(5), 4).await;
        let text = overrun(Window::bytes(100).and_messages(1_000), empty(101), 100).await;
        assert!(text.contains("100 bytes"), "an empty chunk costs a byte: {text}");
    });
}

/// Instead of a hidden budget for small chunks there is a limit in messages beside that in bytes, which HELLO tells: an
/// honest producer of small chunks is held back, and the other is caught.
#[test]
fn h9_tiny_chunks_in_a_window_of_bytes_are_bounded_by_a_limit_that_is_told() {
    hostile(async {
        let (mut raw, ours) = crate::raw::Raw::pipe(64 << 10);
        let opening =
            tokio::spawn(async move { Transport::new().consumer::<bytes::Bytes>(ours, Window::bytes(6_400)).await });
        raw.greet(&crate::raw::Fields::producer()).await;
        let Some(Frame::Hello(hello)) = raw.hear().await else { panic!("HELLO") };
        assert!(hello.units.messages && hello.units.bytes);
        assert_eq!((hello.window.messages(), hello.window.bytes()), (100, 6_400));
        let (rx, driver) = opening.await.expect("no panic").expect("opened");
        tokio::spawn(driver);
        raw.say(chunks(0..100)).await;
        until(|| rx.stats().sent == 100).await;
        raw.say(chunks(100..101)).await;
        let text = raw.hear_goaway(Code::FLOW_CONTROL).await;
        assert!(text.contains("100 messages"), "{text}");
    });
}

/// Worked off as they come, tiny chunks may go on for ever: each is paid for.
#[test]
fn h9_tiny_chunks_that_are_worked_off_are_no_offence() {
    hostile(async {
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::bytes(6_400)).await;
        for seq in 0..10_000 {
            raw.say(write::chunk(seq, b"x")).await;
            assert_eq!(rx.recv().await.expect("no error").expect("a chunk").seq(), seq);
        }
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn h25_a_gap_is_never_healed() {
    hostile(async {
        let text = consumer_answers("skipped", chunks([0, 1, 3]), Code::SEQUENCE, 2).await;
        assert!(text.contains("CHUNK 3 came, 2 is next"), "{text}");
        consumer_answers("not from 0", chunks([1]), Code::SEQUENCE, 0).await;
        consumer_answers("the last number there is", chunks([0, u64::MAX]), Code::SEQUENCE, 1).await;
        // The missing one comes, too late.
        consumer_answers("the other way round", chunks([0, 2, 1]), Code::SEQUENCE, 1).await;
    });
}

#[test]
fn h26_nothing_is_delivered_twice() {
    hostile(async {
        let text = consumer_answers("repeated", chunks([0, 1, 1]), Code::SEQUENCE, 2).await;
        assert!(text.contains("CHUNK 1 came, 2 is next"), "{text}");
        consumer_answers("back to the start", chunks([0, 1, 2, 0]), Code::SEQUENCE, 3).await;
    });
}
