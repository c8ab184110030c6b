//! Frames that are none, or not for us (H13, H16, H17, H18, H34, H35, H47).

use crate::answers::{consumer_answers, producer_answers, receive_all};
use crate::hostile;
use crate::raw::{Fields, Raw, against_consumer, against_producer, consumer_over, write};
use crate::support::{assert_balanced, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{Disconnect, Window};
use std::task::Poll;
use std::time::Duration;

/// The header alone is enough: no byte of the body has come.
#[test]
fn h13_a_length_beyond_all_bounds_is_refused_from_the_header() {
    hostile(async {
        for length in [(1 << 20) + 1, 1 << 24, u32::MAX] {
            for kind in [write::CHUNK, write::EXTENSION] {
                let text = consumer_answers("H13", write::head(kind, length), Code::FRAME_SIZE, 0).await;
                assert!(text.contains(&length.to_string()) && text.contains("1048576"), "{text}");
            }
            producer_answers("H13", write::head(write::EXTENSION, length), Code::FRAME_SIZE).await;
            producer_answers("H13", write::head(write::CANCEL, length), Code::FRAME_SIZE).await;
        }
    });
}

#[test]
fn h16_types_that_may_not_be_ignored_are_refused() {
    hostile(async {
        for kind in [0x00, 0x0C, 0x3F, 0x80, 0xFF] {
            let text = consumer_answers("H16", write::frame(kind, 0, b"?"), Code::PROTOCOL, 0).await;
            assert!(text.contains(&format!("{kind:#04x}")), "{text}");
            producer_answers("H16", write::frame(kind, 0, b"?"), Code::PROTOCOL).await;
        }
    });
}

/// One that may be ignored, of each kind and in each place, is.
#[test]
fn h16_types_that_may_be_ignored_are() {
    hostile(async {
        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        for kind in 0x40..=0x7F {
            let length = usize::from(kind) * 1_000 % 70_001;
            raw.say(write::header(u32::try_from(length).expect("short"), kind, 0xFF, 0xFFFF, u32::MAX)).await;
            raw.say(vec![kind; length]).await;
        }
        raw.say([write::chunk(0, b"x"), write::extension(0), write::end(1, 0)].concat()).await;
        let (received, end) = receive_all(&mut rx).await;
        assert_eq!((received.len(), end), (1, Ok(())));
        raw.hear_silent_close().await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

#[test]
fn h17_bodies_of_another_length_than_their_type_has_are_refused() {
    hostile(async {
        let (to_producer, to_consumer) = (
            [
                (write::CREDIT, 47),
                (write::CREDIT, 49),
                (write::CREDIT, 0),
                (write::CANCEL, 7),
                (write::CANCEL, 4_105),
                (write::DRAIN, 1),
                (write::PING, 7),
                (write::PONG, 9),
                (write::GOAWAY, 3),
                (write::GOAWAY, 4_101),
                (write::HELLO, 1),
                (write::HELLO, 1_025),
            ],
            [
                (write::CHUNK, 0),
                (write::CHUNK, 7),
                (write::END, 8),
                (write::END, 17),
                (write::ERROR, 15),
                (write::ERROR, 4_113),
                (write::BLOCKED, 8),
                (write::BLOCKED, 17),
                (write::PING, 0),
                (write::PONG, 7),
                (write::GOAWAY, 0),
                (write::HELLO, 0),
            ],
        );
        for (kind, length) in to_producer {
            let text = producer_answers("H17", write::head(kind, length), Code::FRAME_SIZE).await;
            assert!(text.contains(&format!("length is {length}")), "{text}");
        }
        for (kind, length) in to_consumer {
            let text = consumer_answers("H17", write::head(kind, length), Code::FRAME_SIZE, 0).await;
            assert!(text.contains(&format!("length is {length}")), "{text}");
        }
    });
}

#[test]
fn h18_flags_and_reserved_bits_are_ignored() {
    hostile(async {
        let with_all_bits = |frame: Vec<u8>| {
            let mut frame = frame;
            frame[5..8].fill(0xFF);
            frame
        };
        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        raw.say(with_all_bits(write::chunk(0, b"x"))).await;
        raw.say(with_all_bits(write::blocked(4, 0))).await;
        raw.say(with_all_bits(write::ping(7))).await;
        assert_eq!(raw.hear_weighty().await, Some(Frame::Pong { token: 7 }));
        raw.say(with_all_bits(write::end(1, 0))).await;
        let (received, end) = receive_all(&mut rx).await;
        assert_eq!((received.len(), end), (1, Ok(())));
        raw.hear_silent_close().await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));

        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say(with_all_bits(write::grant(9, 0, 9))).await;
        until(|| tx.window() == Window::messages(9)).await;
        raw.say(with_all_bits(write::cancel(10, 0, ""))).await;
        assert!(tx.closed().await == credit_channel::Closed::Cancelled(credit_channel::CancelReason::Requested));
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

#[test]
fn h34_frames_from_the_wrong_side_are_refused() {
    hostile(async {
        for said in [write::grant(2, 0, 2), write::cancel(10, 0, ""), write::drain()] {
            let text = consumer_answers("H34", said, Code::STATE, 0).await;
            assert!(text.contains("from a producer"), "{text}");
        }
        for said in [write::chunk(0, b"x"), write::end(0, 0), write::error(13, 0, 0, ""), write::blocked(2, 0)] {
            let text = producer_answers("H34", said, Code::STATE).await;
            assert!(text.contains("from a consumer"), "{text}");
        }
    });
}

#[test]
fn h35_channels_that_are_none_are_refused() {
    hostile(async {
        for channel in [0, 2, u32::MAX] {
            let said = [write::header(9, write::CHUNK, 0, 0, channel), vec![0; 9]].concat();
            let text = consumer_answers("H35", said, Code::PROTOCOL, 0).await;
            assert!(text.contains(&format!("CHUNK.channel is {channel}")), "{text}");
            let said = [write::header(48, write::CREDIT, 0, 0, channel), vec![0; 48]].concat();
            producer_answers("H35", said, Code::PROTOCOL).await;
        }
        for channel in [1, u32::MAX] {
            let said = [write::header(8, write::PING, 0, 0, channel), vec![0; 8]].concat();
            consumer_answers("H35", said, Code::PROTOCOL, 0).await;
        }
    });
}

/// A conversation of a hundred chunks, between which stands all that may stand there.
fn conversation() -> Vec<u8> {
    let mut said = Vec::new();
    for seq in 0..100_u8 {
        said.extend(write::chunk(seq.into(), vec![seq; usize::from(seq) * 7]));
        said.extend(write::extension(usize::from(seq) * 3));
    }
    said.extend(write::end(100, 0));
    said
}

#[test]
fn h47_however_the_bytes_are_cut_the_frames_are_the_same() {
    hostile(async {
        let said = conversation();
        for size in [1, 2, 3, 7, 11, 12, 13, 1_000, said.len()] {
            let (raw, ours) = Raw::pipe(size.max(16));
            let (mut raw, mut rx, driven) = consumer_over(Transport::new(), raw, ours, Window::messages(100)).await;
            let receiving = tokio::spawn(async move { receive_all(&mut rx).await });
            for piece in said.chunks(size) {
                raw.say(piece).await;
            }
            let (received, end) = receiving.await.expect("no panic");
            assert_eq!(end, Ok(()), "in pieces of {size}");
            for (seq, payload) in (0_u8..).zip(&received) {
                assert!(payload.len() == usize::from(seq) * 7 && payload.iter().all(|byte| *byte == seq));
            }
            assert_eq!(received.len(), 100);
            raw.hear_silent_close().await;
            drop(raw);
            driven.await.expect("no panic").expect("it ended well");
        }
    });
}

/// A turn of whoever is woken now. (tokio's own `yield_now` waits until the runtime has looked at its sockets.)
async fn a_turn() {
    let mut had = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut had, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// All at once: whoever shares the thread gets a turn.
#[test]
fn h47_a_giant_segment_does_not_keep_the_thread() {
    hostile(async {
        const CHUNKS: u64 = 100_000;
        let (raw, ours) = Raw::pipe(4 << 20);
        let (mut raw, rx, _driven) = consumer_over(Transport::new(), raw, ours, Window::messages(CHUNKS)).await;
        let said: Vec<u8> = (0..CHUNKS).flat_map(|seq| write::chunk(seq, b"x")).collect();
        raw.say(said).await;
        // All of it is there to be read, and what reads it shares this thread.
        let mut turns = 0;
        while rx.stats().sent < CHUNKS {
            a_turn().await;
            turns += 1;
        }
        assert!((80..1_000).contains(&turns), "{turns} turns for 100,000 frames, 1024 in each");
        assert_balanced(rx.stats(), false);
    });
}

/// TCP answers bytes that nobody has read with a reset, which destroys what was on its way: what comes behind a broken
/// rule is read and thrown away, whoever found that it was broken.
#[test]
fn what_comes_behind_a_broken_rule_is_read_and_thrown_away() {
    hostile(async {
        for (what, said) in [
            ("found by the session", write::end(9, 9)),
            ("found by the decoder", write::head(0xFF, 0)),
            ("a length", write::head(write::CHUNK, u32::MAX)),
        ] {
            let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            let started = tokio::time::Instant::now();
            // More than the pipe holds.
            raw.say([said, vec![0; 1 << 20]].concat()).await;
            let Some(Frame::GoAway { .. }) = raw.hear_weighty().await else { panic!("{what}: GOAWAY") };
            assert!(matches!(receive_all(&mut rx).await.1, Err(credit_channel::RecvError::Truncated { .. })));
            drop(raw);
            assert!(matches!(driven.await.expect("no panic"), Err(Disconnect::Violation(_))), "{what}");
            assert!(started.elapsed() < Duration::from_secs(1), "{what}: the peer is gone, and so are we");
        }
    });
}

/// Bytes that nobody will ever need are not read for longer than the linger.
#[test]
fn what_comes_behind_a_broken_rule_is_not_read_for_ever() {
    hostile(async {
        for said in [write::end(9, 9), write::head(0xFF, 0)] {
            let (mut raw, _rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            let started = tokio::time::Instant::now();
            raw.say(said).await;
            while raw.try_say(Bytes::from_static(&[0; 100])).await.is_ok() {
                assert!(started.elapsed() < Duration::from_secs(60), "it has to end some day");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            assert!((4..=7).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
            assert!(matches!(driven.await.expect("no panic"), Err(Disconnect::Violation(_))));
        }
    });
}
