//! What a consumer takes in: within what it announced, in order, and as many as the last word counts.

use crate::lone::{Lone, chunk, end, error, grant, hello};
use credit_channel::session::Event;
use credit_channel::wire::{Code, Frame, Grant, Role};
use credit_channel::{Credit, Window};

/// A chunk of so many bytes.
fn sized(seq: u64, bytes: usize) -> Frame<Vec<u8>> {
    Frame::Chunk { seq, payload: vec![7; bytes] }
}

fn open(window: Window) -> Lone {
    Lone::consumer(window).introduced(hello(Role::Producer))
}

#[test]
fn h1_more_than_was_announced_is_refused_and_not_delivered() {
    let mut lone = open(Window::messages(2));
    assert!(lone.hear(sized(0, 9)).is_some());
    assert!(lone.hear(sized(1, 9)).is_some());
    let text = "CHUNK 2 costs 1 message on top of 2 messages, the limit is 2 messages";
    assert_eq!(lone.refuses(sized(2, 9)), (Code::FLOW_CONTROL, text.to_owned()));

    let mut lone = open(Window::bytes(20));
    assert!(lone.hear(sized(0, 11)).is_some());
    let text = "CHUNK 1 costs 10 bytes on top of 11 bytes, the limit is 20 bytes";
    assert_eq!(lone.refuses(sized(1, 10)), (Code::FLOW_CONTROL, text.to_owned()));

    let mut lone = open(Window::messages(9).and_bytes(20));
    assert!(lone.hear(sized(0, 20)).is_some());
    let text = "CHUNK 1 costs 1 message and 1 byte on top of 1 message and 20 bytes, \
                the limit is 9 messages and 20 bytes";
    assert_eq!(lone.refuses(sized(1, 1)), (Code::FLOW_CONTROL, text.to_owned()));
}

#[test]
fn h8_an_empty_chunk_costs_a_byte() {
    let mut lone = open(Window::bytes(3));
    for seq in 0..3 {
        assert!(lone.hear(sized(seq, 0)).is_some());
    }
    assert_eq!(lone.refuses(sized(3, 0)).0, Code::FLOW_CONTROL);
}

#[test]
fn the_limit_is_what_was_said_and_not_what_is_about_to_be() {
    let mut lone = open(Window::messages(1));
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(2, 1, 1));
    assert_eq!(lone.refuses(chunk(1)).0, Code::FLOW_CONTROL);

    let mut lone = open(Window::messages(1));
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(2, 1, 1));
    assert_eq!(lone.said(), [Frame::Credit(grant(2, 1, 1))]);
    assert!(lone.hear(chunk(1)).is_some());
}

#[test]
fn before_the_first_credit_is_out_nothing_may_come() {
    let mut lone = Lone::consumer(Window::messages(4));
    assert!(matches!(lone.session.poll_frame(lone.now), Some(Frame::Hello(_))));
    assert!(matches!(lone.hear(Frame::Hello(hello(Role::Producer))), Some(Event::Opened(_))));
    assert_eq!(lone.refuses(chunk(0)).0, Code::FLOW_CONTROL);
}

#[test]
fn h25_h26_a_gap_and_a_repetition_are_refused() {
    for (seq, text) in [(2, "CHUNK 2 came, 1 is next"), (0, "CHUNK 0 came, 1 is next")] {
        let mut lone = Lone::open_consumer();
        assert_eq!(lone.hear(chunk(0)), Some(Event::Chunk { seq: 0, payload: vec![7; 3] }));
        assert_eq!(lone.refuses(chunk(seq)), (Code::SEQUENCE, text.to_owned()));
    }
    assert_eq!(Lone::open_consumer().refuses(chunk(u64::MAX)).0, Code::SEQUENCE);
}

#[test]
fn h27_a_last_word_that_counts_otherwise_is_no_end() {
    type Word = fn(u64) -> Frame<Vec<u8>>;
    let words: [(Word, &str); 2] = [(end, "END"), (|count| error(Code::FAILED, count), "ERROR")];
    for (word, name) in words {
        for count in [0, 1, 3, u64::MAX] {
            let mut lone = Lone::open_consumer();
            assert!(lone.hear(chunk(0)).is_some() && lone.hear(chunk(1)).is_some());
            let text = format!("{name} counts {count} chunks, 2 were received");
            assert_eq!(lone.refuses(word(count)), (Code::FINAL_COUNT, text));
        }
    }
}

#[test]
fn h27_the_bytes_count_too_where_they_are_counted() {
    let word = |bytes| Frame::End { count: 2, bytes };
    for window in [Window::bytes(20), Window::messages(9).and_bytes(20)] {
        for bytes in [0, 7, 9] {
            let mut lone = open(window);
            assert!(lone.hear(sized(0, 7)).is_some() && lone.hear(sized(1, 1)).is_some());
            let text = format!("END counts {bytes} bytes, 8 were received");
            assert_eq!(lone.refuses(word(bytes)), (Code::FINAL_COUNT, text));
        }
        let mut lone = open(window);
        assert!(lone.hear(sized(0, 7)).is_some() && lone.hear(sized(1, 0)).is_some());
        assert_eq!(lone.hear(word(8)), Some(Event::Ended { count: 2 }), "an empty chunk counts as one byte");
    }
    let mut lone = open(Window::messages(9));
    assert!(lone.hear(sized(0, 7)).is_some() && lone.hear(sized(1, 7)).is_some());
    assert_eq!(lone.hear(word(99)), Some(Event::Ended { count: 2 }), "not counted, so not looked at");
}

#[test]
fn h28_nothing_comes_after_the_last_word() {
    for last in [end(1), error(Code::ABANDONED, 1)] {
        for frame in [chunk(1), end(1), error(Code::FAILED, 1)] {
            let mut lone = Lone::open_consumer();
            assert!(lone.hear(chunk(0)).is_some());
            assert!(lone.hear(last.clone()).is_some());
            // The channel has had its end: the peer alone is told.
            assert_eq!(lone.hear(frame), None);
            let (code, text) = lone.goaway();
            assert_eq!(code, Code::STATE);
            assert!(text.ends_with(" after the producer's last word"), "{text}");
        }
    }
}

#[test]
fn a_last_word_needs_no_credit() {
    let mut lone = open(Window::messages(1));
    assert!(lone.hear(chunk(0)).is_some());
    assert_eq!(lone.hear(end(1)), Some(Event::Ended { count: 1 }));
}

#[test]
fn h41_blocked_is_told_only_where_nothing_is_on_its_way_to_the_producer() {
    let at = |n| Frame::Blocked { limit: Credit::new(n, 0) };
    let mut lone = Lone::open_consumer();
    assert_eq!(lone.hear(at(4)), Some(Event::Blocked));
    for crossed_or_lying in [0, 3, 5, u64::MAX] {
        assert_eq!(lone.hear(at(crossed_or_lying)), None);
    }
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.grant(grant(5, 1, 4));
    lone.said();
    assert_eq!(lone.hear(at(4)), None, "it has not heard of the fifth yet");
    assert_eq!(lone.hear(at(5)), Some(Event::Blocked));
    // A unit that is not counted says nothing.
    assert_eq!(lone.hear(Frame::Blocked { limit: Credit::new(5, 77) }), Some(Event::Blocked));
}

#[test]
fn the_newest_books_are_said_and_none_twice() {
    let mut lone = Lone::open_consumer();
    for seq in 0..4 {
        assert!(lone.hear(chunk(seq)).is_some());
    }
    for n in 1..=3 {
        lone.session.grant(grant(4 + n, n, 4));
    }
    assert_eq!(lone.said(), [Frame::Credit(grant(7, 3, 4))]);
    lone.session.grant(grant(7, 3, 4));
    assert_eq!(lone.said(), []);
    // An older copy that comes late takes nothing back.
    lone.session.grant(grant(6, 2, 4));
    assert_eq!(lone.said(), []);
    lone.session.grant(grant(7, 4, 3));
    assert_eq!(lone.said(), [Frame::Credit(grant(7, 4, 3))]);
}

#[test]
fn the_first_credit_is_the_whole_window_in_the_units_it_counts() {
    for (window, limit) in [
        (Window::messages(4), Credit::new(4, 0)),
        (Window::bytes(99), Credit::new(0, 99)),
        (Window::messages(4).and_bytes(99), Credit::new(4, 99)),
    ] {
        let said = Lone::consumer(window).said();
        assert_eq!(said[1..], [Frame::Credit(Grant { limit, released: Credit::ZERO, window: limit })]);
    }
}
