//! Ends that are none, too early, too late, or never (H27, H28, H29, H30, H49).

use crate::answers::{assert_violated, consumer_answers, receive_all, send_two};
use crate::hostile;
use crate::raw::{Fields, against_consumer, against_producer, write};
use crate::support::{assert_balanced, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{Closed, Disconnect, RecvError, Window};
use std::time::Duration;

fn two() -> Vec<u8> {
    [write::chunk(0, b"x"), write::chunk(1, b"x")].concat()
}

#[test]
fn h27_an_end_that_counts_other_chunks_is_no_end() {
    hostile(async {
        let rows = [
            ("one too many", write::end(3, 2)),
            ("one too few", write::end(1, 2)),
            ("none", write::end(0, 0)),
            ("the most there is", write::end(u64::MAX, u64::MAX)),
            ("other bytes", write::end(2, 3)),
            ("ERROR with another count", write::error(13, 0, 3, "failed")),
        ];
        for (what, last) in rows {
            let text = consumer_answers(what, [two(), last].concat(), Code::FINAL_COUNT, 2).await;
            assert!(text.contains("2 were received"), "{what}: {text}");
        }
    });
}

#[test]
fn h28_nothing_may_follow_the_last_word() {
    hostile(async {
        for (what, late) in [
            ("CHUNK", write::chunk(2, b"late")),
            ("END again", write::end(2, 2)),
            ("ERROR", write::error(13, 0, 2, "failed")),
        ] {
            for (first, last) in [("END", write::end(2, 2)), ("ERROR", write::error(12, 0, 2, ""))] {
                let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
                raw.say([two(), last, late.clone()].concat()).await;
                raw.hear_goaway(Code::STATE).await;
                drop(raw);
                // How it ended was known before: nothing of that is taken back.
                let (received, end) = receive_all(&mut rx).await;
                assert_eq!(received.len(), 2, "{what} after {first}");
                match first {
                    "END" => assert_eq!(end, Ok(()), "{what} after {first}"),
                    _ => assert_eq!(end, Err(RecvError::Abandoned { received: 2 }), "{what} after {first}"),
                }
                // Who ended does not know what became of its work; who failed was owed nothing.
                match (first, driven.await.expect("no panic")) {
                    ("END", Err(lost)) => assert_violated(what, &lost, Code::STATE),
                    ("ERROR", Ok(())) => {}
                    (_, driven) => panic!("{what} after {first}: {driven:?}"),
                }
                assert_balanced(rx.stats(), true);
            }
        }
    });
}

#[test]
fn h28_blocked_after_the_end_is_ignored() {
    hostile(async {
        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        raw.say([two(), write::end(2, 2), write::blocked(4, 0)].concat()).await;
        assert_eq!(receive_all(&mut rx).await.1, Ok(()));
        raw.hear_silent_close().await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

#[test]
fn h29_a_stream_that_stops_at_any_byte_has_not_ended() {
    hostile(async {
        let whole = [two(), write::end(2, 2)].concat();
        for cut in 0..whole.len() {
            let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            raw.say(&whole[..cut]).await;
            drop(raw);
            let (received, end) = receive_all(&mut rx).await;
            let expected = u64::from(cut >= 21) + u64::from(cut >= 42);
            assert_eq!(u64::try_from(received.len()).expect("a count"), expected, "cut after {cut} bytes");
            let Err(RecvError::Truncated { received, reason }) = end else { panic!("cut after {cut}: {end:?}") };
            assert_eq!(received, expected);
            // If we had something to say when it went, that is what failed.
            assert!(matches!(reason, Disconnect::Eof | Disconnect::Io(_)), "cut after {cut}: {reason:?}");
            assert_eq!(driven.await.expect("no panic"), Err(reason));
            assert_balanced(rx.stats(), true);
        }
    });
}

#[test]
fn h29_a_producer_whose_consumer_goes_wakes_everybody() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let parked: Vec<_> = (0..100)
            .map(|_| {
                let tx = tx.clone();
                tokio::spawn(async move { tx.send(Bytes::from_static(b"x")).await })
            })
            .collect();
        until(|| tx.stats().waiting == 100).await;
        // In the middle of a CREDIT that would have let two of them go.
        raw.say(&write::grant(4, 2, 2)[..59]).await;
        drop(raw);
        for send in parked {
            let error = send.await.expect("no panic").expect_err("nobody is there");
            assert_eq!(error.closed(), Some(&Closed::Disconnected(Disconnect::Eof)));
        }
        assert_eq!(driven.await.expect("no panic"), Err(Disconnect::Eof));
        assert_balanced(tx.stats(), false);
    });
}

#[test]
fn h30_after_the_end_a_producer_that_stays_is_left_alone_there() {
    hostile(async {
        let transport = Transport::new().linger(Duration::from_secs(5));
        let (mut raw, mut rx, driven) = against_consumer(transport, Window::messages(4)).await;
        raw.say([two(), write::end(2, 2)].concat()).await;
        let (received, end) = receive_all(&mut rx).await;
        assert_eq!((received.len(), end), (2, Ok(())));
        let started = tokio::time::Instant::now();
        raw.hear_silent_close().await;
        assert_eq!(driven.await.expect("no panic"), Ok(()), "the channel ended well");
        assert!((4..=6).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
        assert!(raw.try_say(write::ping(1)).await.is_err(), "nobody is there any more");
    });
}

#[test]
fn h30_after_the_end_a_consumer_that_stays_is_left_alone_there() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let done = tokio::spawn(tx.end_and_wait());
        assert_eq!(raw.hear_weighty().await, Some(Frame::End { count: 2, bytes: 0 }));
        raw.say(write::grant(4, 2, 2)).await;
        done.await.expect("no panic").expect("all is done");
        let started = tokio::time::Instant::now();
        assert_eq!(raw.hear().await, None);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        assert!((4..=6).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    });
}

#[test]
fn h49_a_consumer_that_closes_its_side_can_grant_nothing_more() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"x")).await.expect_err("no credit can come") }
        });
        until(|| tx.stats().waiting == 1).await;
        raw.half_close().await;
        let error = parked.await.expect("no panic");
        assert_eq!(error.closed(), Some(&Closed::Disconnected(Disconnect::Eof)));
        assert_eq!(tx.closed().await, Closed::Disconnected(Disconnect::Eof));
        raw.hear_silent_close().await;
        assert_eq!(driven.await.expect("no panic"), Err(Disconnect::Eof));
    });
}

#[test]
fn h49_after_the_end_what_became_of_the_work_is_unknown() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let done = tokio::spawn(tx.end_and_wait());
        assert_eq!(raw.hear_weighty().await, Some(Frame::End { count: 2, bytes: 0 }));
        raw.say(write::grant(3, 1, 2)).await;
        raw.half_close().await;
        assert_eq!(done.await.expect("no panic"), Err(Closed::Disconnected(Disconnect::Eof)));
        assert_eq!(driven.await.expect("no panic"), Err(Disconnect::Eof));
    });
}

/// A producer may close its side behind END: the work goes on, and is reported.
#[test]
fn h49_a_producer_that_closes_its_side_behind_the_end_hears_of_the_work() {
    hostile(async {
        let (mut raw, mut rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        raw.say([two(), write::end(2, 2)].concat()).await;
        raw.half_close().await;
        let (received, end) = receive_all(&mut rx).await;
        assert_eq!((received.len(), end), (2, Ok(())));
        let released = loop {
            match raw.hear().await {
                Some(Frame::Credit(grant)) if grant.released.messages() == 2 => break grant.released,
                Some(Frame::Credit(_)) => {}
                other => panic!("CREDIT, and not {other:?}"),
            }
        };
        assert_eq!(released.messages(), 2);
        assert_eq!(raw.hear().await, None);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}
