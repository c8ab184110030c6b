//! A consumer that grants what it should not, or nothing (H2, H3, H5, H6, H7, H42, H43, H44).

use crate::answers::{producer_answers, producer_of_answers, send_two};
use crate::hostile;
use crate::raw::{Fields, Raw, against_producer, write};
use crate::support::{assert_balanced, refused, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{Closed, CreditProducer, Disconnect, SendTimeoutError, Timeout, Window};
use std::time::Duration;

const TWO_TO_62: u64 = 1 << 62;
const TWO_TO_63: u64 = 1 << 63;

#[test]
fn h2_credit_of_nothing_or_taken_back_is_refused() {
    hostile(async {
        let rows: [(&str, Vec<u8>, &str); 5] = [
            ("a limit of 0", write::grant(0, 0, 2), "a limit of 0 messages"),
            ("a limit that goes back", write::grant(1, 0, 2), "from 2 to 1 messages"),
            ("released that goes back", [write::grant(4, 1, 2), write::grant(4, 0, 2)].concat(), "0 messages"),
            ("a window of 0", write::grant(2, 0, 0), "a window of 0 messages"),
            ("a window over 2^62", write::grant(2, 0, TWO_TO_62 + 1), "1 to 2^62"),
        ];
        for (what, said, numbers) in rows {
            let text = producer_answers(what, said, Code::PROTOCOL).await;
            assert!(text.contains(numbers), "{what}: {text}");
        }
    });
}

#[test]
fn h2_one_bad_unit_is_enough() {
    hostile(async {
        let hello = Fields::weighing_consumer(2, 100);
        let rows = [
            ("no bytes", write::credit([2, 0], [0, 0], [2, 100])),
            ("fewer bytes", write::credit([3, 99], [0, 0], [2, 100])),
            ("a window of no bytes", write::credit([2, 100], [0, 0], [2, 0])),
        ];
        for (what, said) in rows {
            let text = producer_of_answers(what, hello.clone(), said, Code::PROTOCOL).await;
            assert!(text.contains("bytes"), "{what}: {text}");
        }
    });
}

#[test]
fn h3_credit_beyond_the_bounds_is_refused() {
    hostile(async {
        for (what, limit) in [("2^63 + 1", TWO_TO_63 + 1), ("u64::MAX", u64::MAX)] {
            let text = producer_answers(what, write::grant(limit, 0, 2), Code::FLOW_CONTROL).await;
            assert!(text.contains(&limit.to_string()), "{what}: {text}");
        }
    });
}

#[test]
fn h3_credit_at_the_bounds_breaks_no_sum() {
    hostile(async {
        let most = Window::messages(TWO_TO_62).and_bytes(TWO_TO_62);
        let transport = Transport::new().ahead(most);
        let (mut raw, tx, driven) = against_producer(transport, Fields::weighing_consumer(2, 100)).await;
        send_two(&mut raw, &tx).await;
        raw.say(write::credit([TWO_TO_63, TWO_TO_63], [0, 0], [TWO_TO_62, TWO_TO_62])).await;
        until(|| tx.window().message_limit() == Some(TWO_TO_62)).await;
        let (seq, payload) = (2, Bytes::from_static(b"goes"));
        tx.send(payload.clone()).await.expect("there is credit");
        assert_eq!(raw.hear_weighty().await, Some(Frame::Chunk { seq, payload }));
        let most = [TWO_TO_63 + 3, TWO_TO_63 + 6];
        raw.say(write::credit(most, [3, 6], [TWO_TO_62, TWO_TO_62])).await;
        until(|| tx.depth().is_zero()).await;
        assert_balanced(tx.stats(), true);
        tx.end();
        let Some(Frame::End { count: 3, bytes: 6 }) = raw.hear_weighty().await else { panic!("END") };
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

/// What was granted is granted: a window that becomes smaller than what is in flight is nothing to fall over.
#[test]
fn h3_a_window_that_shrinks_and_grows_wildly_breaks_no_sum() {
    hostile(async {
        let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        for (limit, released, window) in [(2, 0, 1), (2, 0, TWO_TO_62), (2, 1, 1), (TWO_TO_63, 1, 1), (TWO_TO_63, 2, 7)]
        {
            raw.say(write::grant(limit, released, window)).await;
            until(|| tx.window().message_limit() == Some(window)).await;
        }
        until(|| tx.depth().is_zero()).await;
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn h5_credit_dribbled_out_is_stopped() {
    hostile(async {
        let dribble: Vec<u8> = (0..2_000).flat_map(|_| write::grant(2, 0, 2)).collect();
        producer_answers("the same again and again", dribble, Code::ENHANCE_CALM).await;
    });
}

/// A byte at a time: a chunk goes when all of it may go, so that no frame carries one byte of it.
#[test]
fn h5_credit_by_the_byte_is_gathered_into_whole_chunks() {
    hostile(async {
        let hello = Fields::weighing_consumer(8, 100);
        let (mut raw, tx, _driven) = against_producer(Transport::new(), hello).await;
        tx.send(Bytes::from(vec![1; 100])).await.expect("the window holds it");
        assert!(matches!(raw.hear_weighty().await, Some(Frame::Chunk { seq: 0, .. })));
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from(vec![2; 100])).await }
        });
        until(|| tx.stats().waiting == 1).await;
        let Some(Frame::Blocked { .. }) = raw.hear().await else { panic!("BLOCKED") };
        for byte in 1..100 {
            raw.say(write::credit([8, 100 + byte], [0, byte], [8, 100])).await;
        }
        until(|| tx.credit().bytes() == 99).await;
        assert!(!parked.is_finished());
        raw.say(write::credit([8, 200], [0, 100], [8, 100])).await;
        let Some(Frame::Chunk { seq: 1, payload }) = raw.hear_weighty().await else { panic!("the second chunk") };
        assert_eq!(payload.len(), 100);
        parked.await.expect("no panic").expect("sent");
    });
}

/// Answers PING for so long, and says nothing else.
async fn alive_for(raw: &mut Raw, time: Duration) -> u32 {
    let over = tokio::time::Instant::now() + time;
    let mut pings = 0;
    while let Ok(heard) = tokio::time::timeout_at(over, raw.hear()).await {
        match heard {
            Some(Frame::Ping { token }) => {
                pings += 1;
                raw.say(write::pong(token)).await;
            }
            Some(Frame::Blocked { .. }) => {}
            other => panic!("nothing but PING is to be said, and not {other:?}"),
        }
    }
    pings
}

/// A raw consumer that says hello, with a window, and grants nothing of it.
async fn against_miser(transport: Transport) -> (Raw, CreditProducer<Bytes>, crate::raw::Driven) {
    let (mut raw, ours) = Raw::pipe(64 << 10);
    let opening = tokio::spawn(async move { transport.producer::<Bytes>(ours).await });
    raw.say([write::preface(), Fields::consumer(4).frame()].concat()).await;
    let (tx, driver) = opening.await.expect("no panic").expect("the two say hello");
    raw.hear_greeting().await;
    (raw, tx, tokio::spawn(driver))
}

#[test]
fn h6_a_consumer_that_never_grants_is_waited_for_while_it_answers() {
    hostile(async {
        let (mut raw, tx, driven) = against_miser(Transport::new()).await;
        let timed_out = tx.send_timeout(Bytes::from_static(b"x"), Duration::from_secs(1)).await;
        assert_eq!(refused(timed_out), SendTimeoutError::Timeout(Bytes::from_static(b"x")));
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"y")).await }
        });
        let pings = alive_for(&mut raw, Duration::from_secs(3600)).await;
        assert!((300..=361).contains(&pings), "one in ten seconds, and nothing more often: {pings}");
        assert!(!parked.is_finished() && !driven.is_finished());
        assert_eq!(tx.stats().sent, 0);
        raw.say(write::grant(1, 0, 4)).await;
        parked.await.expect("no panic").expect("it goes as soon as it may");
        assert!(matches!(raw.hear_weighty().await, Some(Frame::Chunk { seq: 0, .. })));
    });
}

#[test]
fn h7_a_consumer_that_takes_and_never_works_holds_the_depth_and_no_more() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"y")).await }
        });
        until(|| tx.stats().waiting == 1).await;
        alive_for(&mut raw, Duration::from_secs(3600)).await;
        assert!(!parked.is_finished() && !driven.is_finished(), "slow is not broken");
        let stats = tx.stats();
        assert_eq!((stats.depth.messages(), stats.credit.messages(), stats.sent), (2, 0, 2));
        assert_balanced(stats, false);
    });
}

/// The same with a patience for it: H7, and H51 seen from the other side.
#[test]
fn h7_no_progress_ends_the_connection_where_that_is_asked_for() {
    hostile(async {
        let transport = Transport::new().progress_timeout(Some(Duration::from_secs(60)));
        let (mut raw, tx, driven) = against_producer(transport, Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let started = tokio::time::Instant::now();
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"y")).await }
        });
        let text = loop {
            match raw.hear().await {
                Some(Frame::Ping { token }) => raw.say(write::pong(token)).await,
                Some(Frame::Blocked { .. }) => {}
                Some(Frame::GoAway { code: Code::NO_PROGRESS, text }) => break text,
                other => panic!("GOAWAY, and not {other:?}"),
            }
        };
        assert!((59..=61).contains(&started.elapsed().as_secs()), "{:?}: {text}", started.elapsed());
        let lost = Disconnect::Timeout(Timeout::Progress);
        let error = parked.await.expect("no panic").expect_err("it is given up");
        assert_eq!(error.closed(), Some(&Closed::Disconnected(lost.clone())));
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Err(lost));
    });
}

/// Also where nobody asks for more than what is out: the end is waited for.
#[test]
fn h7_no_progress_after_the_end_is_told_to_who_waits_for_the_work() {
    hostile(async {
        let transport = Transport::new().progress_timeout(Some(Duration::from_secs(60)));
        let (mut raw, tx, driven) = against_producer(transport, Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let waits = tokio::spawn(tx.end_and_wait());
        loop {
            match raw.hear().await {
                Some(Frame::Ping { token }) => raw.say(write::pong(token)).await,
                Some(Frame::End { count: 2, .. }) => {}
                Some(Frame::GoAway { code: Code::NO_PROGRESS, .. }) => break,
                other => panic!("GOAWAY, and not {other:?}"),
            }
        }
        let lost = Disconnect::Timeout(Timeout::Progress);
        assert_eq!(waits.await.expect("no panic"), Err(Closed::Disconnected(lost.clone())));
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Err(lost));
    });
}

#[test]
fn h42_more_released_than_was_sent_is_refused() {
    hostile(async {
        for (released, limit) in [(3, 5), (u64::MAX, u64::MAX)] {
            let text = producer_answers("H42", write::grant(limit, released, 2), Code::PROTOCOL).await;
            assert!(text.contains("2 were sent"), "{text}");
        }
        let hello = Fields::weighing_consumer(2, 100);
        let bytes = write::credit([2, 200], [2, 3], [2, 100]);
        producer_of_answers("H42 in bytes", hello, bytes, Code::PROTOCOL).await;
    });
}

#[test]
fn h42_released_before_anything_was_sent_is_refused() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say(write::grant(3, 1, 2)).await;
        raw.hear_goaway(Code::PROTOCOL).await;
        assert!(matches!(tx.closed().await, Closed::Disconnected(Disconnect::Violation(_))));
        drop(raw);
        assert!(driven.await.expect("no panic").is_err());
    });
}

/// It says that no work is done, and grants more all the same: its own limit is what it is held to.
#[test]
fn h43_work_that_is_never_said_to_be_done_stalls_the_window_and_nothing_else() {
    hostile(async {
        let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        raw.say(write::grant(1_000, 0, 2)).await;
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"y")).await }
        });
        until(|| tx.stats().waiting == 1).await;
        alive_for(&mut raw, Duration::from_secs(100)).await;
        assert!(!parked.is_finished(), "the window of 2 holds, whatever the limit is");
        assert_eq!(tx.depth().messages(), 2);
        raw.say(write::grant(1_000, 2, 2)).await;
        parked.await.expect("no panic").expect("sent");
    });
}

/// Credit that comes before the work is done cannot be told from credit that comes after it.
#[test]
fn h44_credit_before_the_work_is_taken_at_its_word() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(1)).await;
        for seq in 0..100 {
            tx.send(Bytes::from_static(b"x")).await.expect("there is credit");
            let Some(Frame::Chunk { seq: heard, .. }) = raw.hear_weighty().await else { panic!("chunk {seq}") };
            assert_eq!(heard, seq);
            raw.say(write::grant(seq + 2, seq + 1, 1)).await;
        }
        until(|| tx.depth().is_zero()).await;
        assert_eq!(tx.stats().peak_depth.messages(), 1);
        let done = tokio::spawn(tx.end_and_wait());
        let Some(Frame::End { count: 100, .. }) = raw.hear_weighty().await else { panic!("END") };
        done.await.expect("no panic").expect("all is done, as far as anybody can know");
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}
