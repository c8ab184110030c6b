//! What a peer has to say for people (H45).

use crate::answers::{consumer_answers, producer_answers, receive_all};
use crate::hostile;
use crate::raw::{Fields, against_consumer, against_producer, write};
use credit_channel::transport::Transport;
use credit_channel::wire::Code;
use credit_channel::{CancelReason, Closed, Disconnect, Failure, RecvError, Window};

/// Clears the screen, sets the window's title, begins a line of a log, and turns the reading direction round.
const NASTY: &str = "\x1b[2J\x1b]0;owned\x07\r\n2026-01-01 INFO all is well\u{9b}31m\u{202e}\0";

/// Nothing that a terminal or a log would act on.
#[track_caller]
fn assert_tame(shown: &str) {
    let acted_on = |c: char| {
        c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!shown.contains(acted_on), "{shown:?}");
    assert!(shown.contains("all is well"), "{shown}");
}

#[test]
fn h45_texts_of_a_gigabyte_are_refused_from_the_header() {
    hostile(async {
        const GIB: u32 = 1 << 30;
        consumer_answers("H45", write::head(write::ERROR, GIB), Code::FRAME_SIZE, 0).await;
        consumer_answers("H45", write::head(write::GOAWAY, GIB), Code::FRAME_SIZE, 0).await;
        producer_answers("H45", write::head(write::CANCEL, GIB), Code::FRAME_SIZE).await;
        // And so is one byte too much.
        producer_answers("H45", write::head(write::CANCEL, 8 + 4_097), Code::FRAME_SIZE).await;
    });
}

#[test]
fn h45_a_cancel_text_is_shown_escaped() {
    hostile(async {
        for code in [14, 25, 26, 99, u32::MAX] {
            let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
            raw.say(write::cancel(code, 7, NASTY)).await;
            let closed = tx.closed().await;
            assert_tame(&closed.to_string());
            assert_tame(&format!("{closed:?}"));
            let error = tx.send("x".into()).await.expect_err("cancelled");
            assert_tame(&error.to_string());
            assert_tame(&format!("{error:?}"));
        }
    });
}

#[test]
fn h45_an_error_text_is_shown_escaped() {
    hostile(async {
        for code in [13, 26, 99] {
            let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            raw.say(write::error(code, 7, 0, NASTY)).await;
            let Err(error) = receive_all(&mut rx).await.1 else { panic!("ERROR") };
            assert!(matches!(error, RecvError::Failed(_)));
            assert_tame(&error.to_string());
            assert_tame(&format!("{error:?}"));
        }
    });
}

#[test]
fn h45_a_goaway_text_is_shown_escaped() {
    hostile(async {
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say(write::goaway(9, NASTY)).await;
        let closed = tx.closed().await;
        let Closed::Disconnected(Disconnect::GoneAway(said)) = &closed else { panic!("{closed:?}") };
        assert_eq!((said.code(), said.text()), (9, NASTY), "it is kept as it is");
        assert_tame(&closed.to_string());
        assert_tame(&format!("{closed:?}"));
        drop(raw);
        assert_tame(&driven.await.expect("no panic").expect_err("gone").to_string());
    });
}

#[test]
fn h45_what_is_no_utf8_is_replaced_and_the_text_stays_bounded() {
    hostile(async {
        let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say(write::cancel(26, 7, [0xFF; 4_096])).await;
        let Closed::Cancelled(CancelReason::Other { code: 7, text }) = tx.closed().await else { panic!("CANCEL") };
        assert!(text.len() <= 4_096 && text.chars().all(|c| c == '\u{FFFD}'), "{} bytes", text.len());

        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        raw.say(write::error(13, u32::MAX, 0, b"\xC3\x28 page \xF0\x9F")).await;
        let failed = RecvError::Failed(Failure::new("\u{FFFD}( page \u{FFFD}").with_code(u32::MAX));
        assert_eq!(receive_all(&mut rx).await.1, Err(failed));
    });
}

#[test]
fn h45_codes_that_are_unknown_are_kept_as_numbers() {
    hostile(async {
        let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
        raw.say(write::cancel(0xDEAD_BEEF, 7, "?")).await;
        let Closed::Cancelled(CancelReason::Other { code, text }) = tx.closed().await else { panic!("CANCEL") };
        assert_eq!(code, 0xDEAD_BEEF);
        assert!(text.contains('?'), "{text}");
    });
}
