//! Peers that are dead, half dead, or play games with the clock (H11, H12, H14, H50, H51).

use crate::answers::{consumer_answers, producer_answers, receive_all, send_two};
use crate::hostile;
use crate::raw::{Fields, against_consumer, against_producer, write};
use crate::support::{assert_balanced, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{Closed, Disconnect, RecvError, Timeout, Window};
use std::time::Duration;

#[test]
fn h11_a_pong_that_nobody_asked_for_is_refused() {
    hostile(async {
        let text = producer_answers("unasked", write::pong(1), Code::PROTOCOL).await;
        assert!(text.contains("PONG"), "{text}");
        consumer_answers("unasked", write::pong(0), Code::PROTOCOL, 0).await;
    });
}

#[test]
fn h11_a_pong_of_another_token_or_a_second_one_is_refused() {
    hostile(async {
        let answers: [fn(u64) -> Vec<u8>; 2] =
            [|token| write::pong(token ^ 1), |token| [write::pong(token), write::pong(token)].concat()];
        for answer in answers {
            let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
            let Some(Frame::Ping { token }) = raw.hear().await else { panic!("PING") };
            raw.say(answer(token)).await;
            raw.hear_goaway(Code::PROTOCOL).await;
            drop(raw);
            let Closed::Disconnected(Disconnect::Violation(why)) = tx.closed().await else { panic!("a violation") };
            assert_eq!(why.code(), Code::PROTOCOL.0);
            assert!(driven.await.expect("no panic").is_err());
        }
    });
}

#[test]
fn h12_who_never_answers_is_given_up_and_parked_calls_wake() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let started = tokio::time::Instant::now();
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"x")).await.expect_err("nobody is there") }
        });
        let error = parked.await.expect("no panic");
        let lost = Disconnect::Timeout(Timeout::Idle);
        assert_eq!(error.closed(), Some(&Closed::Disconnected(lost.clone())));
        assert!((29..=31).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
        raw.hear_goaway(Code::TIMEOUT_IDLE).await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Err(lost));
        assert_balanced(tx.stats(), false);

        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        raw.say(write::chunk(0, b"x")).await;
        let (received, end) = receive_all(&mut rx).await;
        let lost = Disconnect::Timeout(Timeout::Idle);
        assert_eq!(received.len(), 1);
        assert_eq!(end, Err(RecvError::Truncated { received: 1, reason: lost.clone() }));
        raw.hear_goaway(Code::TIMEOUT_IDLE).await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Err(lost));
        assert_balanced(rx.stats(), true);
    });
}

/// Each byte is a sign of life; a frame that does not become complete is none of progress.
#[test]
fn h14_a_frame_that_trickles_in_is_given_up() {
    hostile(async {
        for header in [write::head(write::CHUNK, 1 << 20), write::head(write::EXTENSION, 1 << 20)] {
            let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            let started = tokio::time::Instant::now();
            raw.say(header).await;
            while raw.try_say([0]).await.is_ok() && started.elapsed() < Duration::from_secs(600) {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            assert!((59..=66).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
            raw.hear_goaway(Code::TIMEOUT_IDLE).await;
            let lost = Disconnect::Timeout(Timeout::Idle);
            assert_eq!(receive_all(&mut rx).await.1, Err(RecvError::Truncated { received: 0, reason: lost.clone() }));
            drop(raw);
            assert_eq!(driven.await.expect("no panic"), Err(lost));
        }
    });
}

/// Frames that do become complete, each slowly, are a slow link.
#[test]
fn h14_a_slow_link_is_no_offence() {
    hostile(async {
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        let receiving = tokio::spawn(async move { rx.recv().await.expect("a chunk").expect("a chunk").seq() });
        for piece in write::chunk(0, vec![1; 500]).chunks(10) {
            raw.say(piece).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        assert_eq!(receiving.await.expect("no panic"), 0);
    });
}

/// A PONG that is late, or comes before its PING could have: the window is nobody's but the consumer's, so that there is
/// nothing to be had by it. Its token cannot be guessed.
#[test]
fn h50_games_with_the_clock_steer_nothing() {
    hostile(async {
        let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        let mut tokens = Vec::new();
        for late in [0, 19, 0, 15, 1] {
            let Some(Frame::Ping { token }) = raw.hear().await else { panic!("PING") };
            tokio::time::sleep(Duration::from_secs(late)).await;
            raw.say(write::pong(token)).await;
            tokens.push(token);
            assert_eq!((tx.window(), tx.credit().messages()), (Window::messages(2), 2));
        }
        let steps: Vec<u64> = tokens.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        assert!(steps.windows(2).all(|pair| pair[0] != pair[1]), "{tokens:?}");
        assert!(tokens.iter().all(|token| *token > u64::from(u32::MAX)), "{tokens:?}");
    });
}

/// Our own worker never returns: the producer may have a patience for that (H51). Two real ends.
#[test]
fn h51_a_guard_that_never_comes_home_ends_in_no_progress_at_both_ends() {
    hostile(async {
        let (near, far) = tokio::io::duplex(4_096);
        let patient = Transport::new();
        let impatient = Transport::new().progress_timeout(Some(Duration::from_secs(120)));
        let producer = impatient.producer::<Bytes>(near);
        let consumer = patient.consumer::<Bytes>(far, Window::messages(2));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).expect("the two say hello");
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        for _ in 0..2 {
            tx.send(Bytes::from_static(b"x")).await.expect("there is credit");
        }
        // One goes home in time; the other is with a worker that hangs.
        drop(rx.recv().await.expect("a chunk"));
        let hangs = rx.recv().await.expect("a chunk").expect("a chunk");
        until(|| tx.depth().messages() == 1).await;
        let started = tokio::time::Instant::now();
        let waits = tokio::spawn(tx.end_and_wait());
        let lost = Disconnect::Timeout(Timeout::Progress);
        assert_eq!(waits.await.expect("no panic"), Err(Closed::Disconnected(lost.clone())));
        assert!((119..=121).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
        assert_eq!(near.await.expect("no panic"), Err(lost));
        // The consumer had the end; its driver knows that nobody is there for its work any more.
        assert!(rx.recv().await.expect("the end came").is_none());
        match far.await.expect("no panic") {
            Err(Disconnect::GoneAway(said)) => assert_eq!(said.code(), Code::NO_PROGRESS.0),
            other => panic!("told why, and not {other:?}"),
        }
        drop(hangs);
        assert_balanced(rx.stats(), true);
    });
}
