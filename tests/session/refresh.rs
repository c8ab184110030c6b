//! A consumer to which bytes keep coming is heard from in time, though it has nothing to say.

use crate::lone::{Happened, Lone, grant, hello, ms, secs};
use credit_channel::session::{Settings, Traffic};
use credit_channel::wire::{Frame, Hello, Role};
use std::time::Duration;

/// Its producer gives up after so long.
fn consumer_of(idle_timeout: Duration) -> Lone {
    let settings = Settings { frame_timeout: secs(0), ..Settings::default() };
    Lone::consumer_with(credit_channel::Window::messages(4), settings)
        .introduced(Hello { idle_timeout, ..hello(Role::Producer) })
}

/// A byte each 100 ms, for so long: when something was said, and that it is the CREDIT of before.
fn said_while_bytes_come(lone: &mut Lone, read: &mut u64, time: Duration) -> usize {
    let mut said = 0;
    for _ in 0..time.as_millis() / 100 {
        *read += 1;
        lone.session.handle_io(Traffic { read: *read, frame_begun: true, ..Traffic::default() }, lone.now);
        for (_, what) in lone.wait(ms(100)) {
            assert_eq!(what, Happened::Said(Frame::Credit(grant(4, 0, 4))));
            said += 1;
        }
    }
    said
}

#[test]
fn credit_is_repeated_after_half_of_the_producers_patience() {
    let mut lone = consumer_of(secs(3));
    let mut read = 0;
    assert_eq!(said_while_bytes_come(&mut lone, &mut read, secs(1)), 0);
    assert_eq!(said_while_bytes_come(&mut lone, &mut read, secs(30)), 20);
}

#[test]
fn nothing_is_repeated_where_nothing_comes() {
    let mut lone = consumer_of(secs(3));
    assert_eq!(lone.wait(secs(9)), [], "nor anything else, until a PING is due");
}

#[test]
fn nothing_is_repeated_for_a_producer_that_never_gives_up() {
    let mut lone = consumer_of(secs(0));
    assert_eq!(said_while_bytes_come(&mut lone, &mut 0, secs(60)), 0);
}
