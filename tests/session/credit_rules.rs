//! What a producer takes for a CREDIT (H2, H3, H42), and what it says at its limit.

use crate::lone::{Lone, end, grant, hello, hello_with};
use credit_channel::session::Event;
use credit_channel::wire::{Code, Frame, Grant, Role};
use credit_channel::{Credit, Window};

fn credit(limit: u64, released: u64, window: u64) -> Frame<Vec<u8>> {
    Frame::Credit(grant(limit, released, window))
}

/// A producer that was granted 4 and has sent 3, of which 1 is released.
fn busy() -> Lone {
    let mut lone = Lone::granted_producer();
    for _ in 0..3 {
        let _ = lone.send();
    }
    assert!(lone.hear(credit(5, 1, 4)).is_some());
    lone
}

#[test]
fn h2_a_grant_of_nothing_and_one_that_goes_back_are_refused() {
    let text = "CREDIT with a limit of 0 messages grants nothing";
    let mut lone = Lone::producer().introduced(hello(Role::Consumer));
    assert_eq!(lone.refuses(credit(0, 0, 4)), (Code::PROTOCOL, text.to_owned()));
    assert_eq!(busy().refuses(credit(0, 1, 4)), (Code::PROTOCOL, text.to_owned()));
    let text = "CREDIT takes the limit back from 5 to 4 messages";
    assert_eq!(busy().refuses(credit(4, 1, 4)), (Code::PROTOCOL, text.to_owned()));
}

#[test]
fn h3_a_limit_that_nothing_could_hold_is_refused() {
    let (far, text) =
        ((1 << 63) + 1, "CREDIT with a limit of 9223372036854775809 messages is too far ahead of the 0 released");
    let mut lone = Lone::producer().introduced(hello(Role::Consumer));
    assert_eq!(lone.refuses(credit(far, 0, 4)), (Code::FLOW_CONTROL, text.to_owned()));
    let mut lone = Lone::producer().introduced(hello(Role::Consumer));
    assert_eq!(lone.refuses(credit(u64::MAX, 0, 4)).0, Code::FLOW_CONTROL);
    let mut lone = Lone::producer().introduced(hello(Role::Consumer));
    assert!(lone.hear(credit(1 << 63, 0, 4)).is_some());
}

#[test]
fn h42_what_was_not_sent_cannot_be_released_and_nothing_twice() {
    let text = "CREDIT says 4 messages released, 3 were sent";
    assert_eq!(busy().refuses(credit(8, 4, 4)), (Code::PROTOCOL, text.to_owned()));
    assert_eq!(busy().refuses(credit(8, u64::MAX, 4)).0, Code::PROTOCOL);
    let text = "CREDIT takes 0 messages for released after 1";
    assert_eq!(busy().refuses(credit(8, 0, 4)), (Code::PROTOCOL, text.to_owned()));
}

#[test]
fn a_window_out_of_bounds_is_refused() {
    for window in [0, (1 << 62) + 1] {
        let text = format!("CREDIT with a window of {window} messages: it has to be 1 to 2^62");
        assert_eq!(busy().refuses(credit(6, 2, window)), (Code::PROTOCOL, text));
    }
    assert!(busy().hear(credit(6, 2, 1 << 62)).is_some());
}

#[test]
fn the_rules_hold_in_each_unit_that_is_counted_and_in_no_other() {
    let opened = |window| Lone::producer().introduced(hello_with(window));
    let books = |messages: (u64, u64, u64), bytes: (u64, u64, u64)| {
        let of = |messages, bytes| Credit::new(messages, bytes);
        Frame::Credit(Grant {
            limit: of(messages.0, bytes.0),
            released: of(messages.1, bytes.1),
            window: of(messages.2, bytes.2),
        })
    };
    let mut lone = opened(Window::messages(4).and_bytes(99));
    assert_eq!(lone.refuses(books((4, 0, 4), (0, 0, 99))).1, "CREDIT with a limit of 0 bytes grants nothing");
    let mut lone = opened(Window::messages(4).and_bytes(99));
    assert!(lone.hear(books((4, 0, 4), (99, 0, 99))).is_some());
    let _ = lone.send();
    assert_eq!(lone.refuses(books((5, 1, 4), (102, 4, 99))).1, "CREDIT says 4 bytes released, 3 were sent");

    let mut lone = opened(Window::bytes(99));
    let in_bytes = |n| Credit::new(0, n);
    let told = Grant { limit: in_bytes(99), released: Credit::ZERO, window: in_bytes(99) };
    let junk = (u64::MAX, u64::MAX, 0);
    assert_eq!(lone.hear(books(junk, (99, 0, 99))), Some(Event::Granted(told)), "what is not counted reads 0");
}

#[test]
fn an_equal_grant_is_a_refresh() {
    let mut lone = busy();
    assert_eq!(lone.hear(credit(5, 1, 4)), Some(Event::Granted(grant(5, 1, 4))));
    assert_eq!(lone.hear(credit(5, 1, 4)), Some(Event::Granted(grant(5, 1, 4))));
}

#[test]
fn a_smaller_window_and_a_limit_that_stays_are_no_offence() {
    let mut lone = busy();
    assert_eq!(lone.hear(credit(5, 3, 2)), Some(Event::Granted(grant(5, 3, 2))));
}

#[test]
fn chunks_are_numbered_and_the_last_word_counts_them() {
    let mut lone = Lone::producer().introduced(hello_with(Window::bytes(99)));
    let limit = Credit::new(0, 99);
    assert!(lone.hear(Frame::Credit(Grant { limit, released: Credit::ZERO, window: limit })).is_some());
    for (seq, bytes) in [(0, 5), (1, 0), (2, 60)] {
        let frame = lone.session.send(vec![7; bytes]);
        assert_eq!(frame, Frame::Chunk { seq, payload: vec![7; bytes] });
    }
    lone.session.end();
    assert!(!lone.session.may_send());
    assert_eq!(lone.said(), [Frame::End { count: 3, bytes: 66 }]);
}

#[test]
fn blocked_is_said_once_for_each_limit() {
    let mut lone = Lone::granted_producer();
    let blocked = |n| [Frame::Blocked { limit: Credit::new(n, 0) }];
    lone.session.blocked();
    lone.session.blocked();
    assert_eq!(lone.said(), blocked(4));
    lone.session.blocked();
    assert_eq!(lone.said(), []);
    assert!(lone.hear(credit(5, 0, 4)).is_some());
    lone.session.blocked();
    assert_eq!(lone.said(), blocked(5));
    // One that was overtaken by a grant is not said any more, nor one behind the last word.
    assert!(lone.hear(credit(6, 0, 4)).is_some());
    lone.session.blocked();
    assert!(lone.hear(credit(7, 0, 4)).is_some());
    assert_eq!(lone.said(), []);
    lone.session.blocked();
    lone.session.end();
    lone.session.blocked();
    assert_eq!(lone.said(), [end(0)]);
}

#[test]
fn h44_whoever_grants_early_harms_itself_alone() {
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    assert_eq!(lone.hear(credit(1_000, 1, 4)), Some(Event::Granted(grant(1_000, 1, 4))));
}

#[test]
fn h43_whoever_never_releases_keeps_no_memory_here() {
    let mut lone = Lone::granted_producer();
    assert!(lone.hear(credit(1_000_000, 0, 1 << 20)).is_some());
    for seq in 0..1_000 {
        assert_eq!(lone.send(), Frame::Chunk { seq, payload: vec![7; 3] });
    }
    assert_eq!(lone.said(), []);
}
