//! Reasons there and back: every one as it was, foreign ones with their number, none longer than a frame may be (H45).

use crate::lone::Lone;
use credit_channel::session::Event;
use credit_channel::wire::{Code, Frame};
use credit_channel::{CancelReason, Disconnect, Failure, Violation};

/// What a producer is told when a consumer cancels for this.
fn cancelled(reason: &CancelReason) -> CancelReason {
    let mut consumer = Lone::open_consumer();
    consumer.session.cancel(reason);
    let frame = consumer.said().remove(0);
    heard(frame)
}

fn heard(frame: Frame<Vec<u8>>) -> CancelReason {
    match Lone::granted_producer().hear(frame) {
        Some(Event::Cancelled(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

/// What a consumer is told when a producer fails with this.
fn failed(failure: &Failure, discard: bool) -> Event<Vec<u8>> {
    let mut producer = Lone::granted_producer();
    producer.session.fail(failure, discard);
    let frame = producer.said().remove(0);
    Lone::open_consumer().hear(frame).expect("an ending")
}

fn foreign(code: u32, detail: u32, text: &str) -> (Frame<Vec<u8>>, Frame<Vec<u8>>) {
    let (code, text) = (Code(code), text.to_owned());
    let cancel = Frame::Cancel { code, detail, text: text.clone() };
    (cancel, Frame::Error { code, detail, count: 0, discard: false, text })
}

#[test]
fn every_reason_to_cancel_arrives_as_it_was() {
    for reason in [
        CancelReason::Requested,
        CancelReason::Dropped,
        CancelReason::Drained,
        CancelReason::HandlerError("no table \"rows\"\n".into()),
        CancelReason::HandlerError("".into()),
        CancelReason::HandlerPanic,
        CancelReason::Timeout,
        CancelReason::Shutdown,
        CancelReason::Undecodable("chunk 3: unexpected end".into()),
        CancelReason::other(0, ""),
        CancelReason::other(23, "not INTERNAL"),
        CancelReason::other(u32::MAX, "grün"),
    ] {
        assert_eq!(cancelled(&reason), reason);
    }
}

#[test]
fn every_failure_arrives_as_it_was() {
    for failure in [Failure::new(""), Failure::new("disk gone").with_code(74), Failure::new("ü").with_code(u32::MAX)] {
        for discard in [false, true] {
            assert_eq!(failed(&failure, discard), Event::Failed { failure: failure.clone(), discard });
        }
    }
}

#[test]
fn a_reason_of_another_kind_keeps_its_number_and_its_name() {
    for (code, text, shown) in [
        (Code::INTERNAL.0, "out of memory", "INTERNAL: out of memory"),
        (Code::NONE.0, "", "NONE"),
        (4_711, "from the future", "code 4711: from the future"),
        (u32::MAX - 1, "", "code 4294967294"),
    ] {
        let (cancel, error) = foreign(code, 5, text);
        assert_eq!(heard(cancel), CancelReason::other(code, shown));
        let failure = Failure::new(shown).with_code(code);
        assert_eq!(Lone::open_consumer().hear(error), Some(Event::Failed { failure, discard: false }));
    }
    let (_, error) = foreign(Code::APPLICATION.0, 5, "mine");
    let failure = Failure::new("mine").with_code(5);
    assert_eq!(Lone::open_consumer().hear(error), Some(Event::Failed { failure, discard: false }));
}

#[test]
fn h45_no_text_is_longer_than_a_frame_may_be_there_or_back() {
    let long = "ü".repeat(5_000);
    // 4,096 bytes are 2,048 of them; one byte before them moves the cut into a letter.
    for (text, kept) in [(long.clone(), 4_096), (format!("x{long}"), 4_095), ("y".repeat(4_096), 4_096)] {
        let expected = &text[..kept];
        assert_eq!(
            cancelled(&CancelReason::HandlerError(text.as_str().into())),
            CancelReason::HandlerError(expected.into())
        );
        let Event::Failed { failure, .. } = failed(&Failure::new(text.clone()), false) else { panic!() };
        assert_eq!(failure.text(), expected);

        // A peer that shares the memory is not held to it by a decoder.
        let (cancel, error) = foreign(Code::HANDLER_ERROR.0, 0, &text);
        assert_eq!(heard(cancel), CancelReason::HandlerError(expected.into()));
        let Some(Event::Failed { failure, .. }) = Lone::open_consumer().hear(error) else { panic!() };
        assert!(failure.text().len() <= 4_096 + "HANDLER_ERROR: ".len());

        let goaway = Frame::GoAway { code: Code::SHUTDOWN, text: text.clone() };
        let said = Violation::new(Code::SHUTDOWN.0, expected.to_owned());
        assert_eq!(Lone::open_consumer().hear(goaway), Some(Event::Lost(Disconnect::GoneAway(said))));

        let mut lone = Lone::open_consumer();
        lone.session.close(Violation::new(Code::INTERNAL.0, text.clone()));
        assert_eq!(lone.goaway().1, expected);
    }
}

#[test]
fn h45_a_peers_words_are_shown_escaped() {
    let goaway = Frame::GoAway { code: Code::SHUTDOWN, text: "bye\u{1b}[2J\r\nWARN forged".into() };
    let Some(Event::Lost(lost)) = Lone::open_consumer().hear(goaway) else { panic!() };
    assert!(!lost.to_string().contains(char::is_control), "{lost}");
    assert!(!format!("{lost:?}").contains(char::is_control), "{lost:?}");
}
