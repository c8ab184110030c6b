//! The timers that keepalive and linger are not: each goes off when it should and no sooner (H4, H14).

use crate::lone::{Happened, Lone, chunk, end, ms, secs, timed_out};
use credit_channel::session::{Event, Session, Settings, Traffic};
use credit_channel::wire::{Code, Frame};
use credit_channel::{Disconnect, Timeout, Window};
use std::time::Duration;

const FRAME: &str = "a frame was begun and not completed in time";

fn begun(read: u64) -> Traffic {
    Traffic { read, frame_begun: true, ..Traffic::default() }
}

fn pending(written: u64) -> Traffic {
    Traffic { written, writes_pending: true, ..Traffic::default() }
}

/// It stays for this long, and then it is lost.
fn goes_off_after(lone: &mut Lone, time: Duration, timeout: Timeout, code: Code, text: &str) {
    assert_eq!(lone.wait(time - ms(1)), []);
    let happened: Vec<_> = lone.wait(ms(1)).into_iter().map(|(_, what)| what).collect();
    assert_eq!(happened, timed_out(timeout, code, text));
}

/// Who takes nothing of what is written could not read why, either.
fn dropped_after(lone: &mut Lone, time: Duration) {
    assert_eq!(lone.wait(time - ms(1)), []);
    let happened: Vec<_> = lone.wait(ms(1)).into_iter().map(|(_, what)| what).collect();
    assert_eq!(happened, [Happened::Told(Event::Lost(Disconnect::Timeout(Timeout::Write)))]);
    assert!(lone.session.is_over());
}

fn quiet() -> Settings {
    Settings { keepalive: secs(0), idle_timeout: secs(0), ..Settings::default() }
}

#[test]
fn h14_a_frame_that_only_trickles_in_is_given_up_though_bytes_come() {
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        lone.session.handle_io(begun(1), lone.now);
        for read in 2..7 {
            assert_eq!(lone.wait(secs(9)), []);
            lone.session.handle_io(begun(read), lone.now);
        }
        assert_eq!(lone.wait(secs(9)), []);
        lone.session.handle_io(begun(7), lone.now);
        goes_off_after(&mut lone, secs(6), Timeout::Idle, Code::TIMEOUT_IDLE, FRAME);
    }
}

#[test]
fn each_frame_has_its_own_time() {
    let mut lone = Lone::open_consumer_with(quiet());
    lone.session.handle_io(begun(1), lone.now);
    assert_eq!(lone.wait(secs(59)), []);
    // The one is complete and the next has begun, in one read.
    assert!(lone.hear(chunk(0)).is_some());
    lone.session.handle_io(begun(2), lone.now);
    assert_eq!(lone.wait(secs(59)), []);
    lone.session.handle_io(begun(3), lone.now);
    assert_eq!(lone.wait(ms(500)), []);
    // An extension counts from its header; its body may take as long again.
    assert_eq!(lone.hear(Frame::Ignored { kind: 0x40, length: 99 }), None);
    lone.session.handle_io(begun(4), lone.now);
    goes_off_after(&mut lone, secs(60), Timeout::Idle, Code::TIMEOUT_IDLE, FRAME);

    let mut lone = Lone::open_consumer_with(quiet());
    lone.session.handle_io(begun(1), lone.now);
    lone.session.handle_io(Traffic { read: 2, ..Traffic::default() }, lone.now);
    assert_eq!(lone.wait(secs(1_000)), []);
}

#[test]
fn h4_a_peer_that_takes_nothing_of_what_is_written_is_given_up() {
    for mut lone in [Lone::granted_producer_with(quiet()), Lone::open_consumer_with(quiet())] {
        lone.session.handle_io(pending(0), lone.now);
        assert_eq!(lone.wait(secs(29)), []);
        lone.session.handle_io(pending(1), lone.now);
        assert_eq!(lone.wait(secs(29)), []);
        lone.session.handle_io(pending(1), lone.now);
        dropped_after(&mut lone, secs(1));
    }
}

#[test]
fn nothing_to_write_is_no_stall() {
    let mut lone = Lone::granted_producer_with(quiet());
    lone.session.handle_io(pending(0), lone.now);
    assert_eq!(lone.wait(secs(29)), []);
    lone.session.handle_io(Traffic { written: 1, ..Traffic::default() }, lone.now);
    assert_eq!(lone.wait(secs(1_000)), []);
    lone.session.handle_io(pending(1), lone.now);
    dropped_after(&mut lone, secs(30));
}

#[test]
fn h4_a_stall_in_the_handshake_and_behind_the_last_word() {
    let mut lone = Lone::producer_with(Settings { handshake_timeout: secs(0), ..quiet() });
    lone.said();
    lone.session.handle_io(pending(0), lone.now);
    dropped_after(&mut lone, secs(30));

    let mut lone = Lone::granted_producer_with(Settings { linger: secs(1_000), ..quiet() });
    lone.session.end();
    assert_eq!(lone.said(), [end(0)]);
    lone.session.handle_io(pending(0), lone.now);
    assert_eq!(lone.wait(secs(30) - ms(1)), []);
    assert!(!lone.session.is_over());
    assert_eq!(lone.wait(ms(1)), [], "the channel is through, and the peer takes nothing");
    assert!(lone.session.is_over());
}

#[test]
fn a_consumer_that_has_its_end_is_not_told_of_a_time_out_but_the_peer_is() {
    let mut lone = Lone::open_consumer_with(Settings { keepalive: secs(0), ..Settings::default() });
    assert!(lone.hear(chunk(0)).is_some() && lone.hear(end(1)).is_some());
    let [_, said] = timed_out(Timeout::Idle, Code::TIMEOUT_IDLE, "nothing was heard for too long");
    let happened: Vec<_> = lone.wait(secs(60)).into_iter().map(|(_, what)| what).collect();
    assert_eq!(happened, [said]);
    assert!(lone.session.is_over());
}

#[test]
fn no_linger_means_at_once() {
    let mut lone = Lone::granted_producer_with(Settings { linger: secs(0), ..quiet() });
    lone.session.end();
    assert_eq!(lone.said(), [end(0)]);
    assert_eq!(lone.session.poll_timeout(), Some(lone.now));
    assert_eq!(lone.wait(secs(0)), []);
    assert!(lone.session.is_over());
}

#[test]
fn to_come_too_early_changes_nothing() {
    let mut lone = Lone::open_consumer();
    for _ in 0..9 {
        lone.now += secs(1);
        let due = lone.session.poll_timeout();
        assert_eq!(lone.session.handle_timeout(lone.now), None);
        assert_eq!(lone.session.poll_timeout(), due);
        assert_eq!(lone.said(), []);
    }
}

#[test]
fn zero_switches_a_timer_off() {
    let off = Settings {
        handshake_timeout: secs(0),
        frame_timeout: secs(0),
        write_timeout: secs(0),
        progress_timeout: Some(secs(0)),
        ..quiet()
    };
    let mut lone = Lone::producer_with(off.clone());
    lone.said();
    assert_eq!(lone.wait(secs(100_000)), []);
    for mut lone in [Lone::granted_producer_with(off.clone()), Lone::open_consumer_with(off)] {
        if lone.session.may_send() {
            let _ = lone.send();
        }
        lone.session.handle_io(Traffic { read: 1, written: 1, frame_begun: true, writes_pending: true }, lone.now);
        assert_eq!(lone.wait(secs(100_000)), []);
    }
}

#[test]
fn what_comes_without_a_look_at_the_clock_lingers_from_the_next_one() {
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(end(0)).is_some());
    lone.session.finished();
    assert!(lone.session.wants_write_closed());
    assert_eq!(lone.session.poll_frame(lone.now), None);
    assert_eq!(lone.session.poll_timeout(), Some(lone.now + secs(5)));
}

#[test]
fn a_session_can_move_to_another_task() {
    fn is_send<S: Send>(_: &S) {}
    is_send(&Lone::consumer(Window::messages(1)).session);
    is_send::<Session<std::cell::Cell<u8>>>(&Session::unweighed_producer(quiet(), [0; 16], std::time::Instant::now()));
}
