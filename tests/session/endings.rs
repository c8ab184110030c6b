//! The last word, what follows it, and the end of the stream before and after it.

use crate::lone::{Happened, Lone, chunk, end, error, grant, hello_with, ms, secs};
use credit_channel::session::{Event, Traffic};
use credit_channel::wire::{Code, Frame, Grant};
use credit_channel::{Credit, Disconnect, Failure, Violation, Window};
use std::io;

const PENDING: Traffic = Traffic { read: 0, written: 0, frame_begun: false, writes_pending: true };

/// A producer that sent 2 chunks and its last word.
fn ended() -> Lone {
    let mut lone = Lone::granted_producer();
    let _ = (lone.send(), lone.send());
    lone.session.end();
    assert_eq!(lone.said(), [end(2)]);
    lone.flushed();
    lone
}

/// A consumer that got 2 chunks and the last word.
fn told() -> Lone {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some() && lone.hear(chunk(1)).is_some());
    assert_eq!(lone.hear(end(2)), Some(Event::Ended { count: 2 }));
    lone
}

// ----- the producer -----

#[test]
fn a_producer_stays_until_all_is_released() {
    let mut lone = ended();
    assert!(!lone.session.wants_write_closed() && !lone.session.may_send());
    assert_eq!(lone.hear(Frame::Credit(grant(5, 1, 4))), Some(Event::Granted(grant(5, 1, 4))));
    assert!(!lone.session.wants_write_closed());
    assert_eq!(lone.hear(Frame::Credit(grant(6, 2, 4))), Some(Event::Granted(grant(6, 2, 4))));
    assert!(lone.session.wants_write_closed() && !lone.session.is_over());
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
}

/// The consumer may leave when it has the error, without another word about the work (PROTOCOL.md, section 8).
#[test]
fn a_producer_that_failed_waits_for_no_work() {
    let mut lone = Lone::granted_producer();
    let _ = (lone.send(), lone.send());
    lone.session.fail(&Failure::from("disk gone"), false);
    assert!(matches!(lone.said()[..], [Frame::Error { count: 2, .. }]));
    assert!(lone.session.wants_write_closed() && !lone.session.is_over());
    assert_eq!(lone.hear(Frame::Credit(grant(5, 1, 4))), None, "it crossed");
    lone.flushed();
    assert_eq!(lone.eof(), None, "nothing is lost by that");
    assert!(lone.session.is_over());
}

#[test]
fn in_a_window_of_bytes_all_is_released_when_the_bytes_are() {
    let mut lone = Lone::producer().introduced(hello_with(Window::bytes(9)));
    let books = |limit, released| {
        let of = |n| Credit::new(0, n);
        Grant { limit: of(limit), released: of(released), window: of(9) }
    };
    assert!(lone.hear(Frame::Credit(books(9, 0))).is_some());
    let _ = (lone.send(), lone.send());
    lone.session.end();
    assert_eq!(lone.said(), [Frame::End { count: 2, bytes: 6 }]);
    assert!(lone.hear(Frame::Credit(books(14, 5))).is_some());
    assert!(!lone.session.wants_write_closed());
    assert!(lone.hear(Frame::Credit(books(15, 6))).is_some());
    assert!(lone.session.wants_write_closed());
}

#[test]
fn work_that_was_done_before_the_last_word_needs_no_more_credit() {
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    assert!(lone.hear(Frame::Credit(grant(5, 1, 4))).is_some());
    lone.session.end();
    assert!(!lone.session.wants_write_closed(), "END has to go out first");
    assert_eq!(lone.said(), [end(1)]);
    assert!(lone.session.wants_write_closed());
}

#[test]
fn h49_the_end_of_the_stream_before_all_is_released_is_a_loss() {
    let mut open = Lone::granted_producer();
    assert_eq!(open.eof(), Some(Event::Lost(Disconnect::Eof)));
    let mut unsaid = Lone::granted_producer();
    unsaid.session.end();
    assert_eq!(unsaid.eof(), Some(Event::Lost(Disconnect::Eof)), "nobody has heard the last word");
    let mut unknown = ended();
    assert_eq!(unknown.eof(), Some(Event::Lost(Disconnect::Eof)), "what became of the work is unknown");
    for mut lone in [open, unsaid, unknown] {
        assert!(lone.session.is_over());
        assert_eq!(lone.said(), []);
    }
}

#[test]
fn the_last_word_is_waited_for_until_it_has_left() {
    let mut lone = Lone::granted_producer();
    lone.session.end();
    assert_eq!(lone.said(), [end(0)]);
    assert!(lone.session.wants_write_closed());
    // The peer is through with us; but our END is not out yet.
    assert_eq!(lone.eof(), None);
    assert!(!lone.session.is_over());
    lone.session.handle_io(PENDING, lone.now);
    assert!(!lone.session.is_over());
    lone.flushed();
    assert!(lone.session.is_over());
}

#[test]
fn h30_a_consumer_that_does_not_close_is_waited_for_no_longer_than_linger() {
    let mut lone = ended();
    assert!(lone.hear(Frame::Credit(grant(6, 2, 4))).is_some());
    assert_eq!(lone.wait(secs(5) - ms(1)), []);
    assert!(!lone.session.is_over());
    assert_eq!(lone.wait(ms(1)), []);
    assert!(lone.session.is_over());
}

#[test]
fn the_first_last_word_counts() {
    let mut lone = Lone::granted_producer();
    lone.session.fail(&Failure::new("first"), false);
    lone.session.end();
    lone.session.abandon();
    lone.session.drained();
    let said = lone.said();
    let [Frame::Error { code: Code::FAILED, text, .. }] = &said[..] else { panic!("{said:?}") };
    assert_eq!(text, "first");
    lone.session.end();
    assert_eq!(lone.said(), []);
}

#[test]
fn the_last_word_comes_behind_all_else_that_waits() {
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    lone.session.end();
    assert_eq!(lone.hear(Frame::Ping { token: 5 }), None);
    assert_eq!(lone.said(), [Frame::Pong { token: 5 }, end(1)]);
}

// ----- the consumer -----

#[test]
fn a_consumer_grants_on_until_it_is_finished() {
    let mut lone = told();
    assert!(!lone.session.wants_write_closed());
    lone.session.grant(grant(5, 1, 4));
    assert_eq!(lone.said(), [Frame::Credit(grant(5, 1, 4))]);
    lone.session.grant(grant(6, 2, 4));
    lone.session.finished();
    assert!(!lone.session.wants_write_closed(), "the last CREDIT has to go out first");
    assert_eq!(lone.said(), [Frame::Credit(grant(6, 2, 4))]);
    assert!(lone.session.wants_write_closed() && !lone.session.is_over());
    lone.flushed();
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
}

#[test]
fn a_consumer_is_not_finished_before_the_producer_is() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(5, 1, 4));
    lone.session.finished();
    assert_eq!(lone.said(), [Frame::Credit(grant(5, 1, 4))]);
    assert!(!lone.session.wants_write_closed());
    assert!(lone.hear(chunk(1)).is_some());
}

#[test]
fn a_consumer_whose_producer_failed_and_went_waits_for_no_work() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    assert!(lone.hear(error(Code::FAILED, 1)).is_some());
    assert!(!lone.session.is_over(), "its producer may still be reading");
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over(), "the chunk is still worked on, and nobody waits for that");
    assert_eq!(lone.session.cut_short(), None);
}

#[test]
fn h29_the_end_of_the_stream_before_the_last_word_is_a_loss() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    assert_eq!(lone.eof(), Some(Event::Lost(Disconnect::Eof)));
    assert!(lone.session.is_over());
}

#[test]
fn a_producer_that_closes_early_is_still_told_what_became_of_its_work() {
    let mut lone = told();
    assert_eq!(lone.eof(), None);
    assert!(!lone.session.is_over());
    // Nobody is asked whether they are there, and silence is no wonder.
    assert_eq!(lone.wait(secs(3_600)), []);
    lone.session.grant(grant(6, 2, 4));
    lone.session.finished();
    assert_eq!(lone.said(), [Frame::Credit(grant(6, 2, 4))]);
    assert!(!lone.session.is_over());
    lone.flushed();
    assert!(lone.session.is_over());
}

#[test]
fn h30_a_producer_that_does_not_close_is_waited_for_from_when_the_last_credit_has_left() {
    let mut lone = told();
    lone.session.grant(grant(6, 2, 4));
    lone.session.finished();
    lone.said();
    for _ in 0..4 {
        lone.session.handle_io(PENDING, lone.now);
        assert_eq!(lone.wait(secs(4)), []);
        assert!(!lone.session.is_over());
    }
    lone.session.handle_io(PENDING, lone.now);
    lone.flushed();
    assert_eq!(lone.wait(secs(5) - ms(1)), []);
    assert!(!lone.session.is_over());
    lone.wait(ms(1));
    assert!(lone.session.is_over());
}

// ----- both -----

#[test]
fn an_error_of_the_transport_is_a_loss_unless_the_channel_was_through() {
    let reset = || Some(io::Error::from(io::ErrorKind::ConnectionReset));
    let lost = Some(Event::Lost(Disconnect::from(io::Error::from(io::ErrorKind::ConnectionReset))));
    for (mut lone, event) in
        [(Lone::granted_producer(), &lost), (ended(), &lost), (Lone::open_consumer(), &lost), (told(), &None)]
    {
        let now = lone.now;
        assert_eq!(lone.session.handle_close(reset(), now), *event);
        assert!(lone.session.is_over());
    }
}

#[test]
fn a_goaway_is_a_loss_unless_the_channel_was_through() {
    let goaway = || Frame::GoAway { code: Code::SHUTDOWN, text: "bye\u{1b}[2J".into() };
    let said = Violation::new(Code::SHUTDOWN.0, "bye\u{1b}[2J");
    let lost = Some(Event::Lost(Disconnect::GoneAway(said)));
    for (mut lone, event) in
        [(Lone::granted_producer(), &lost), (ended(), &lost), (Lone::open_consumer(), &lost), (told(), &None)]
    {
        assert_eq!(lone.hear(goaway()), *event);
        assert_eq!(lone.said(), []);
        assert!(lone.session.wants_write_closed() && !lone.session.is_over());
        assert_eq!(lone.eof(), None);
        assert!(lone.session.is_over());
    }
}

#[test]
fn after_a_broken_rule_the_peer_has_the_linger_to_take_the_reason_and_to_leave() {
    let mut lone = Lone::open_consumer();
    let _ = lone.refuses(chunk(9));
    // Whatever comes now is read and not looked at.
    for frame in [chunk(0), end(7), error(Code::FAILED, 3), Frame::Ping { token: 1 }, Frame::Drain] {
        assert_eq!(lone.hear(frame), None);
        assert_eq!(lone.said(), []);
    }
    // That it takes the reason only slowly does not keep this side.
    assert_eq!(lone.wait(secs(3)), []);
    lone.session.handle_io(PENDING, lone.now);
    assert_eq!(lone.wait(secs(2) - ms(1)), []);
    assert!(!lone.session.is_over());
    lone.wait(ms(1));
    assert!(lone.session.is_over());

    let mut lone = Lone::open_consumer();
    let _ = lone.refuses(chunk(9));
    lone.flushed();
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());

    let mut lone = Lone::open_consumer();
    assert!(matches!(lone.hear(chunk(9)), Some(Event::Lost(_))));
    assert_eq!(lone.eof(), None);
    assert!(!lone.session.is_over(), "it can still be told why");
    assert_eq!(lone.goaway().0, Code::SEQUENCE);
    lone.flushed();
    assert!(lone.session.is_over());
}

#[test]
fn what_the_decoder_refuses_is_told_to_the_peer() {
    let violation = Violation::new(Code::FRAME_SIZE.0, "PING is 8 bytes long, not 9");
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        let event = lone.session.handle_violation(violation.clone(), lone.now);
        assert_eq!(event, Some(Event::Lost(Disconnect::Violation(violation.clone()))));
        assert_eq!(lone.goaway(), (Code::FRAME_SIZE, violation.text().to_owned()));
    }
}

#[test]
fn closing_from_this_side_tells_the_peer_and_not_the_channel() {
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        lone.session.close(Violation::new(Code::INTERNAL.0, "chunk 3 could not be encoded"));
        assert_eq!(lone.goaway(), (Code::INTERNAL, "chunk 3 could not be encoded".to_owned()));
        assert!(lone.session.wants_write_closed());
        assert_eq!(lone.wait(secs(60)), []);
        assert!(lone.session.is_over());
    }
}

#[test]
fn once_it_is_over_nothing_comes_out_and_nothing_goes_in() {
    let mut producer = Lone::granted_producer();
    assert!(producer.eof().is_some());
    let mut consumer = Lone::open_consumer();
    assert!(consumer.eof().is_some());
    for lone in [&mut producer, &mut consumer] {
        lone.session.end();
        lone.session.blocked();
        lone.session.grant(grant(9, 0, 4));
        lone.session.cancel(&credit_channel::CancelReason::Requested);
        lone.session.drain();
        lone.session.finished();
        lone.session.close(Violation::new(1, "late"));
        for frame in [chunk(0), end(0), Frame::Credit(grant(5, 0, 4)), Frame::Ping { token: 1 }] {
            assert_eq!(lone.hear(frame), None);
        }
        assert_eq!(lone.eof(), None);
        assert_eq!(lone.session.handle_violation(Violation::new(1, "late"), lone.now), None);
        assert_eq!(lone.wait(secs(100_000)), Vec::<(_, Happened)>::new());
        assert_eq!(lone.session.poll_timeout(), None);
        assert!(lone.session.is_over() && !lone.session.may_send());
    }
}
