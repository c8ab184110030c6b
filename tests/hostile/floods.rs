//! Frames that cost more than they carry (H5, H10, H15, H41): the budget. What they cost in memory is measured in
//! `tests/hostile_memory`.

use crate::answers::{consumer_answers, producer_answers, receive_all};
use crate::hostile;
use crate::raw::{against_consumer, write};
use crate::support::assert_balanced;
use credit_channel::Window;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};

#[test]
fn h10_a_flood_of_pings_is_stopped() {
    hostile(async {
        let flood: Vec<u8> = (0..10_000).flat_map(write::ping).collect();
        consumer_answers_among_pongs(flood.clone()).await;
        let text = producer_answers_among_pongs(flood).await;
        assert!(text.contains("more frames than"), "{text}");
    });
}

/// Nothing was heard in between, so that no PONG had to be written.
async fn producer_answers_among_pongs(flood: Vec<u8>) -> String {
    producer_answers("H10", flood, Code::ENHANCE_CALM).await
}

async fn consumer_answers_among_pongs(flood: Vec<u8>) -> String {
    consumer_answers("H10", flood, Code::ENHANCE_CALM, 0).await
}

/// Only the newest is answered.
#[test]
fn h10_pings_that_come_together_get_one_answer() {
    hostile(async {
        let (mut raw, _rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        let few: Vec<u8> = (0..10).flat_map(write::ping).collect();
        raw.say(few).await;
        assert_eq!(raw.hear_weighty().await, Some(Frame::Pong { token: 9 }));
        raw.hear_nothing_for(std::time::Duration::from_secs(5)).await;
    });
}

#[test]
fn h15_a_flood_of_what_may_be_ignored_is_stopped() {
    hostile(async {
        for length in [0, 1, 1_000] {
            let flood: Vec<u8> = (0..2_000).flat_map(|_| write::extension(length)).collect();
            consumer_answers("H15", flood.clone(), Code::ENHANCE_CALM, 0).await;
            producer_answers("H15", flood, Code::ENHANCE_CALM).await;
        }
    });
}

/// A frame counts when its header is there, so that one whose body never comes is counted too.
#[test]
fn h15_what_may_be_ignored_is_counted_before_its_body_has_come() {
    hostile(async {
        let mut flood: Vec<u8> = (0..999).flat_map(|_| write::extension(0)).collect();
        flood.extend(write::head(write::EXTENSION, 1 << 20));
        consumer_answers("H15", flood, Code::ENHANCE_CALM, 0).await;
    });
}

#[test]
fn h41_a_flood_of_blocked_is_stopped_and_a_lie_in_it_ignored() {
    hostile(async {
        let flood: Vec<u8> = (0..2_000).flat_map(|n| write::blocked(n, u64::MAX)).collect();
        consumer_answers("H41", flood, Code::ENHANCE_CALM, 0).await;

        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        for lie in [0, 3, 5, u64::MAX] {
            raw.say(write::blocked(lie, lie)).await;
        }
        raw.say([write::chunk(0, b"x"), write::end(1, 0)].concat()).await;
        assert_eq!(receive_all(&mut rx).await.1, Ok(()));
        raw.hear_silent_close().await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        assert_balanced(rx.stats(), true);
    });
}

/// Control frames between chunks, as an honest peer sends them, are paid for by the chunks.
#[test]
fn whoever_carries_chunks_has_frames_to_spare() {
    hostile(async {
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(1_000)).await;
        for seq in 0..5_000 {
            raw.say([write::blocked(seq, 0), write::chunk(seq, b"x")].concat()).await;
            assert_eq!(rx.recv().await.expect("no error").expect("a chunk").seq(), seq);
        }
    });
}
