//! CANCEL and DRAIN, in whatever state they come (H31 to H33).

use crate::lone::{Lone, cancel, chunk, end, error, grant, hello, ms, secs};
use credit_channel::session::{Event, Traffic};
use credit_channel::wire::{Code, Frame, Role};
use credit_channel::{CancelReason, Disconnect, Window};

const TIMEOUT: Frame<Vec<u8>> = Frame::Cancel { code: Code::TIMEOUT, detail: 0, text: String::new() };

/// A consumer that got 1 chunk and said CANCEL.
fn cancelled() -> Lone {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.said(), [TIMEOUT]);
    lone.flushed();
    lone
}

// ----- the consumer -----

#[test]
fn the_first_reason_is_said_once_and_then_the_write_side_is_closed() {
    let mut lone = Lone::open_consumer();
    lone.session.cancel(&CancelReason::Timeout);
    lone.session.cancel(&CancelReason::Requested);
    lone.session.undecodable(3, "too late");
    assert!(!lone.session.wants_write_closed());
    assert_eq!(lone.said(), [TIMEOUT]);
    assert!(lone.session.wants_write_closed() && !lone.session.is_over());
    lone.session.cancel(&CancelReason::Requested);
    assert_eq!(lone.said(), []);
}

#[test]
fn cancel_comes_before_credit_and_instead_of_it() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(5, 1, 4));
    lone.session.drain();
    assert_eq!(lone.hear(Frame::Ping { token: 6 }), None);
    lone.session.cancel(&CancelReason::Timeout);
    lone.session.grant(grant(5, 1, 3));
    assert_eq!(lone.said(), [Frame::Pong { token: 6 }, TIMEOUT]);
    lone.session.grant(grant(6, 1, 4));
    lone.session.drain();
    lone.session.finished();
    assert_eq!(lone.said(), []);
}

#[test]
fn a_cancel_in_the_handshake_is_said_behind_hello() {
    let mut lone = Lone::consumer(Window::messages(4));
    lone.session.cancel(&CancelReason::Timeout);
    let said = lone.said();
    assert!(matches!(said[0], Frame::Hello(_)));
    assert_eq!(said[1..], [TIMEOUT]);
    assert!(lone.session.wants_write_closed());
    lone.flushed();
    assert_eq!(lone.hear(Frame::Hello(hello(Role::Producer))), None);
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
}

#[test]
fn a_cancel_before_the_peer_has_said_hello_leaves_no_handshake_to_time_out() {
    let mut lone = Lone::consumer(Window::messages(4));
    lone.said();
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.said(), [TIMEOUT]);
    assert_eq!(lone.wait(secs(5)), []);
    assert!(lone.session.is_over());
}

#[test]
fn between_the_command_and_the_frame_the_channel_is_told_nothing_more() {
    for frame in [chunk(0), end(0), error(Code::FAILED, 0), Frame::GoAway { code: Code::NONE, text: String::new() }] {
        let mut lone = Lone::open_consumer();
        lone.session.cancel(&CancelReason::Timeout);
        assert_eq!(lone.hear(frame), None);
    }
    let mut lone = Lone::consumer(Window::messages(4));
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.hear(Frame::Hello(hello(Role::Producer))), None);
    let mut lone = Lone::open_consumer();
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
    // A broken rule is still answered: nobody has heard of the cancel yet.
    let mut lone = Lone::open_consumer();
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.hear(chunk(1)), None);
    assert_eq!(lone.goaway().0, Code::SEQUENCE);
}

#[test]
fn h33_late_chunks_are_counted_and_thrown_away() {
    let mut lone = cancelled();
    for seq in 1..4 {
        assert_eq!(lone.hear(chunk(seq)), None);
        assert!(!lone.session.is_over());
    }
    assert_eq!(lone.hear(end(4)), None, "it had ended before it heard of the cancel");
    assert_eq!(lone.said(), []);
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
}

#[test]
fn h33_a_late_chunk_beyond_the_limit_ends_the_waiting() {
    let late: [&[Frame<Vec<u8>>]; 6] = [
        &[chunk(1), chunk(2), chunk(3), chunk(4)],
        &[chunk(2)],
        &[chunk(0)],
        &[end(0)],
        &[end(1), chunk(1)],
        &[error(Code::FAILED, 7)],
    ];
    for frames in late {
        let mut lone = cancelled();
        for frame in frames {
            assert!(!lone.session.is_over(), "{frames:?}");
            assert_eq!(lone.hear(frame.clone()), None);
        }
        assert!(lone.session.is_over(), "{frames:?}");
        assert_eq!(lone.said(), [], "the write side is closed");
    }
}

#[test]
fn h33_late_chunks_are_taken_no_longer_than_linger() {
    let mut lone = cancelled();
    for seq in 1..4 {
        assert_eq!(lone.wait(ms(1_600)), []);
        assert_eq!(lone.hear(chunk(seq)), None);
    }
    assert!(!lone.session.is_over());
    lone.wait(ms(200));
    assert!(lone.session.is_over());
}

#[test]
fn linger_runs_from_when_cancel_has_left() {
    let mut lone = Lone::open_consumer();
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.said(), [TIMEOUT]);
    for written in 0..5 {
        let traffic = Traffic { written, writes_pending: true, ..Traffic::default() };
        lone.session.handle_io(traffic, lone.now);
        assert_eq!(lone.wait(secs(4)), []);
        assert!(!lone.session.is_over());
    }
    lone.session.handle_io(Traffic { written: 5, ..Traffic::default() }, lone.now);
    lone.wait(secs(4));
    assert!(lone.session.is_over(), "5 s after the writer was seen at work for the last time");
}

#[test]
fn a_consumer_can_cancel_the_work_that_is_left_after_the_end() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some());
    assert!(lone.hear(end(1)).is_some());
    lone.session.cancel(&CancelReason::Timeout);
    assert_eq!(lone.said(), [TIMEOUT]);
    assert!(lone.session.wants_write_closed());
}

#[test]
fn a_chunk_that_cannot_be_decoded_is_a_cancel_that_names_it() {
    let mut lone = Lone::open_consumer();
    lone.session.undecodable(17, "unexpected end");
    let text = "chunk 17: unexpected end".to_owned();
    assert_eq!(lone.said(), [Frame::Cancel { code: Code::UNDECODABLE, detail: 0, text }]);
}

#[test]
fn drain_is_said_once_and_credit_goes_on() {
    let mut lone = Lone::open_consumer();
    lone.session.drain();
    lone.session.drain();
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(5, 1, 4));
    assert_eq!(lone.said(), [Frame::Credit(grant(5, 1, 4)), Frame::Drain]);
    lone.session.drain();
    assert_eq!(lone.said(), []);
    assert_eq!(lone.hear(error(Code::DRAINED, 1)), Some(Event::Drained));
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(end(0)).is_some());
    lone.session.drain();
    assert_eq!(lone.said(), [], "there is nothing left to ask for");
}

// ----- the producer -----

#[test]
fn a_cancelled_producer_says_nothing_more_and_closes() {
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    lone.session.blocked();
    assert_eq!(lone.hear(Frame::Ping { token: 3 }), None);
    assert_eq!(lone.hear(TIMEOUT), Some(Event::Cancelled(CancelReason::Timeout)));
    assert!(lone.session.wants_write_closed() && !lone.session.may_send());
    lone.session.end();
    lone.session.abandon();
    lone.session.blocked();
    assert_eq!(lone.said(), []);
    // What it had begun to write is of no use to anybody.
    lone.session.handle_io(Traffic { writes_pending: true, ..Traffic::default() }, lone.now);
    assert_eq!(lone.eof(), None);
    assert!(lone.session.is_over());
}

#[test]
fn a_cancelled_producer_waits_for_the_end_of_the_stream_no_longer_than_linger() {
    let mut lone = Lone::granted_producer();
    assert!(lone.hear(TIMEOUT).is_some());
    lone.session.handle_io(Traffic { writes_pending: true, ..Traffic::default() }, lone.now);
    assert_eq!(lone.wait(secs(5) - ms(1)), []);
    assert!(!lone.session.is_over());
    lone.wait(ms(1));
    assert!(lone.session.is_over());
}

#[test]
fn a_cancel_before_the_first_credit_and_one_that_crosses_the_last_word() {
    let mut lone = Lone::producer().introduced(hello(Role::Consumer));
    assert_eq!(lone.hear(cancel(Code::DROPPED)), Some(Event::Cancelled(CancelReason::Dropped)));
    // The last word was not out yet: it is not said.
    let mut lone = Lone::granted_producer();
    lone.session.end();
    assert_eq!(lone.hear(cancel(Code::DROPPED)), Some(Event::Cancelled(CancelReason::Dropped)));
    assert_eq!(lone.said(), []);
    // It was: the work that is not released will not be done.
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    lone.session.end();
    assert_eq!(lone.said(), [end(1)]);
    assert_eq!(lone.hear(cancel(Code::DROPPED)), Some(Event::Cancelled(CancelReason::Dropped)));
    assert_eq!(lone.eof(), None);
}

#[test]
fn h31_h32_after_cancel_grants_and_cancels_are_let_pass() {
    let mut lone = Lone::granted_producer();
    assert!(lone.hear(TIMEOUT).is_some());
    let crossed = [Frame::Credit(grant(99, 0, 4)), Frame::Credit(grant(0, 99, 0)), TIMEOUT, Frame::Drain];
    for frame in crossed.iter().cycle().take(40) {
        assert_eq!(lone.hear(frame.clone()), None);
        assert_eq!(lone.said(), []);
        assert!(!lone.session.is_over());
    }
}

#[test]
fn h32_after_the_last_word_and_all_the_work_a_cancel_is_let_pass() {
    let mut lone = Lone::granted_producer();
    lone.session.end();
    assert_eq!(lone.said(), [end(0)]);
    assert_eq!(lone.hear(TIMEOUT), None);
    assert_eq!(lone.hear(Frame::Drain), None);
    lone.flushed();
    assert_eq!(lone.eof(), None);
}

#[test]
fn drain_is_told_once_and_not_after_the_last_word() {
    let mut lone = Lone::granted_producer();
    assert_eq!(lone.hear(Frame::Drain), Some(Event::Drain));
    assert_eq!(lone.hear(Frame::Drain), None);
    assert!(lone.session.may_send(), "what was accepted is still sent");
    let _ = lone.send();
    lone.session.drained();
    assert_eq!(lone.said(), [error(Code::DRAINED, 1)]);
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    lone.session.end();
    lone.said();
    assert_eq!(lone.hear(Frame::Drain), None);
}

#[test]
fn a_loss_after_a_cancel_is_not_told() {
    let mut lone = Lone::granted_producer();
    assert!(lone.hear(TIMEOUT).is_some());
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    assert_eq!(lone.session.handle_close(Some(reset), lone.now), None);
    assert!(lone.session.is_over());
    let mut lone = Lone::granted_producer();
    assert_eq!(lone.eof(), Some(Event::Lost(Disconnect::Eof)));
    assert_eq!(lone.hear(TIMEOUT), None);
}
