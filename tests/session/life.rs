//! The whole life of a channel, from HELLO to the end of the stream, in every kind of window.

use crate::lone::{Payload, ms, secs};
use crate::wire::{Wire, cost};
use credit_channel::session::{Event, Session};
use credit_channel::wire::Frame;
use credit_channel::{Failure, Window};
use std::time::Duration;

const WINDOWS: [Window; 6] = [
    Window::messages(1),
    Window::messages(4),
    Window::bytes(40),
    Window::bytes(100),
    Window::messages(3).and_bytes(100),
    Window::messages(100).and_bytes(40),
];

fn payloads() -> Vec<Payload> {
    (0..60_usize).map(|n| vec![u8::try_from(n).expect("small"); (n * 7) % 41]).collect()
}

fn run(window: Window, delay: Duration, word: fn(&mut Session<Payload>)) -> Wire {
    let mut wire = Wire::new(window, delay, ms(3));
    wire.outbox = payloads().into();
    wire.last_word = Some(word);
    wire.run(secs(60));
    wire
}

#[test]
fn all_arrives_in_order_and_all_is_known_to_be_done() {
    for window in WINDOWS {
        for delay in [ms(0), ms(7), ms(90)] {
            let wire = run(window, delay, Session::end);
            assert_eq!(wire.received, payloads(), "{window:?}");
            assert!(matches!(wire.producer_told()[..], [Event::Opened(_)]), "{:?}", wire.producer_told());
            let consumer: Vec<_> = wire.consumer.told.iter().filter(|event| !matches!(event, Event::Blocked)).collect();
            assert!(matches!(consumer[..], [Event::Opened(_), Event::Ended { count: 60 }]), "{consumer:?}");
            let all: (u64, u64) = payloads().iter().fold((0, 0), |sum, payload| {
                let cost = cost(window, payload);
                (sum.0 + cost.messages(), sum.1 + cost.bytes())
            });
            let Some(Event::Granted(last)) = wire.producer.told.last() else { panic!("{:?}", wire.producer.told) };
            assert_eq!((last.released.messages(), last.released.bytes()), all, "{window:?}");
        }
    }
}

#[test]
fn both_sides_leave_by_the_end_of_the_stream_and_not_by_lingering() {
    for window in WINDOWS {
        let wire = run(window, ms(7), Session::end);
        let (producer, consumer) = (wire.producer.over.expect("over"), wire.consumer.over.expect("over"));
        // Each is over when the other's end arrives.
        assert!(producer.abs_diff(consumer) <= ms(7), "{window:?}: {producer:?} {consumer:?}");
        assert!(producer < secs(20), "{window:?}: {producer:?}");
    }
}

#[test]
fn the_first_words_are_hello_and_the_whole_window() {
    let wire = run(Window::messages(4), ms(7), Session::end);
    assert!(matches!(wire.producer.said[..2], [Frame::Hello(_), Frame::Chunk { seq: 0, .. }]));
    assert!(matches!(wire.consumer.said[..2], [Frame::Hello(_), Frame::Credit(_)]));
}

#[test]
fn the_last_words_are_end_and_the_credit_that_says_that_all_is_done() {
    let wire = run(Window::messages(4), ms(7), Session::end);
    assert_eq!(wire.producer.said.last(), Some(&Frame::End { count: 60, bytes: 0 }));
    let Some(Frame::Credit(grant)) = wire.consumer.said.last() else { panic!() };
    assert_eq!(grant.released.messages(), 60);
}

#[test]
fn an_empty_channel_ends_too() {
    for window in WINDOWS {
        let mut wire = Wire::new(window, ms(7), ms(3));
        wire.last_word = Some(Session::end);
        wire.run(secs(1));
        assert!(matches!(wire.consumer.told[..], [Event::Opened(_), Event::Ended { count: 0 }]));
        assert!(wire.producer.over.is_some_and(|over| over <= ms(30)), "{:?}", wire.producer.over);
        assert!(wire.consumer.over.is_some_and(|over| over <= ms(30)), "{:?}", wire.consumer.over);
    }
}

#[test]
fn failures_come_after_the_chunks_and_are_told_apart() {
    type Case = (fn(&mut Session<Payload>), Event<Payload>);
    let failure = || Failure::new("disk gone").with_code(74);
    let cases: [Case; 4] = [
        (
            |p| p.fail(&Failure::new("disk gone").with_code(74), false),
            Event::Failed { failure: failure(), discard: false },
        ),
        (
            |p| p.fail(&Failure::new("disk gone").with_code(74), true),
            Event::Failed { failure: failure(), discard: true },
        ),
        (Session::abandon, Event::Abandoned),
        (Session::drained, Event::Drained),
    ];
    for (word, event) in cases {
        let wire = run(Window::messages(100).and_bytes(10_000), ms(7), word);
        assert_eq!(wire.received, payloads());
        assert_eq!(wire.consumer.told.last(), Some(&event));
        assert!(matches!(wire.producer_told()[..], [Event::Opened(_)]), "the producer knows");
        assert!(wire.producer.over.is_some() && wire.consumer.over.is_some());
    }
}

#[test]
fn an_hour_of_work_keeps_the_connection() {
    let mut wire = Wire::new(Window::messages(2), ms(20), secs(1_200));
    wire.outbox = payloads().into_iter().take(6).collect();
    wire.last_word = Some(Session::end);
    wire.run(secs(4_000));
    assert_eq!(wire.received.len(), 6);
    assert!(matches!(wire.producer_told()[..], [Event::Opened(_)]), "{:?}", wire.producer_told());
    assert!(wire.producer.over.is_some_and(|over| over > secs(3_600)), "{:?}", wire.producer.over);
}
