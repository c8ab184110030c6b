//! Peers that do not take a CANCEL for what it is, or say it too often (H31, H32, H33).

use crate::answers::send_two;
use crate::hostile;
use crate::raw::{Fields, against_consumer, against_producer, write};
use crate::support::{assert_balanced, turns, until};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame};
use credit_channel::{CancelReason, Closed, RecvError, Window};
use std::time::Duration;

#[test]
fn h31_credit_after_cancel_is_ignored() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let parked = tokio::spawn({
            let tx = tx.clone();
            async move { tx.send(Bytes::from_static(b"x")).await.expect_err("cancelled") }
        });
        until(|| tx.stats().waiting == 1).await;
        // Also one that would be refused before.
        raw.say([write::cancel(26, 7, "enough"), write::grant(9, 2, 9), write::grant(1, 0, 0)].concat()).await;
        let reason = Closed::Cancelled(CancelReason::other(7, "enough"));
        assert_eq!(parked.await.expect("no panic").closed(), Some(&reason));
        assert_eq!(tx.closed().await, reason);
        assert_eq!(raw.hear_weighty().await, None, "no chunk and no terminal");
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        assert_balanced(tx.stats(), false);
    });
}

#[test]
fn h32_cancel_twice_and_cancel_after_the_end_are_ignored() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say([write::cancel(10, 0, ""), write::cancel(11, 0, "again")].concat()).await;
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Requested), "the first counts");
        assert_eq!(raw.hear_weighty().await, None);
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));

        // After ERROR.
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        tx.fail("broken");
        assert!(matches!(raw.hear_weighty().await, Some(Frame::Error { code: Code::FAILED, count: 0, .. })));
        raw.try_say(write::cancel(10, 0, "")).await.ok();
        assert_eq!(raw.hear_weighty().await, None);
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

/// CANCEL after END is no offence: it says that the work which is not released will not be done.
#[test]
fn h32_cancel_after_the_end_is_told_to_who_waits_for_the_work() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        send_two(&mut raw, &tx).await;
        let done = tokio::spawn(tx.end_and_wait());
        assert_eq!(raw.hear_weighty().await, Some(Frame::End { count: 2, bytes: 0 }));
        raw.say([write::cancel(16, 0, ""), write::cancel(16, 0, "")].concat()).await;
        assert_eq!(done.await.expect("no panic"), Err(Closed::Cancelled(CancelReason::Timeout)));
        assert_eq!(raw.hear_weighty().await, None);
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

/// After our CANCEL: chunks within the limit, which are thrown away.
async fn cancelled() -> (crate::raw::Raw, credit_channel::CreditConsumer<Bytes>, crate::raw::Driven) {
    let (mut raw, rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
    raw.say(write::chunk(0, b"x")).await;
    until(|| rx.stats().sent == 1).await;
    assert!(rx.cancel(CancelReason::other(9, "no more")));
    let Some(Frame::Cancel { code: Code::APPLICATION, detail: 9, text }) = raw.hear_weighty().await else {
        panic!("CANCEL")
    };
    assert_eq!(text, "no more");
    (raw, rx, driven)
}

#[test]
fn h33_what_was_granted_may_still_come_and_is_thrown_away() {
    hostile(async {
        let (mut raw, mut rx, driven) = cancelled().await;
        for seq in 1..4 {
            raw.say(write::chunk(seq, b"late")).await;
        }
        turns(20).await;
        assert!(!driven.is_finished(), "they are no offence");
        raw.say(write::end(4, 0)).await;
        let reason = CancelReason::other(9, "no more");
        assert_eq!(rx.recv().await.expect_err("cancelled"), RecvError::Cancelled(reason));
        raw.hear_silent_close().await;
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn h33_beyond_the_grant_or_out_of_order_the_connection_is_dropped() {
    hostile(async {
        let rows = [
            ("beyond the grant", (1..5).flat_map(|seq| write::chunk(seq, b"late")).collect()),
            ("out of order", write::chunk(2, b"late")),
            ("an end that is none", write::end(3, 0)),
        ];
        for (what, said) in rows {
            let (mut raw, rx, driven) = cancelled().await;
            let started = tokio::time::Instant::now();
            raw.say(said).await;
            raw.hear_silent_close().await;
            driven.await.expect("no panic").expect("the channel had ended before");
            assert!(started.elapsed() < Duration::from_secs(1), "{what}: at once");
            assert_balanced(rx.stats(), true);
        }
    });
}

#[test]
fn h33_who_goes_on_for_longer_than_the_linger_is_dropped() {
    hostile(async {
        let (mut raw, rx, driven) = cancelled().await;
        let started = tokio::time::Instant::now();
        // Something each second, and never an end.
        let mut token = 0;
        while raw.try_say(write::pong(token)).await.is_ok() {
            token += 1;
            assert!(token < 60, "it has to end some day");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        assert!((4..=7).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        assert_balanced(rx.stats(), true);
    });
}
