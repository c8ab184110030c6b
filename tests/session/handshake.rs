//! The opening: who may say what first, and which HELLO is none (H20 to H24).

use crate::lone::{Lone, chunk, end, grant, hello, hello_with, ms, secs};
use credit_channel::session::{Event, Session, Settings};
use credit_channel::wire::{Code, Frame, Hello, Role, Units, Version};
use credit_channel::{Credit, Disconnect, Timeout, Violation, Window};
use std::time::Instant;

#[test]
fn h20_a_peer_that_says_nothing_is_given_up_after_the_handshake_timeout() {
    for mut lone in [Lone::producer(), Lone::consumer(Window::messages(4))] {
        lone.said();
        let happened = lone.wait(secs(60));
        let lost = crate::lone::timed_out(Timeout::Handshake, Code::TIMEOUT_HANDSHAKE, "no HELLO in time");
        assert_eq!(happened, lost.map(|what| (secs(10), what)));
        assert!(lone.session.is_over());
    }
}

#[test]
fn h21_a_frame_before_hello_and_a_second_hello_are_state() {
    let frames = [chunk(0), end(0), Frame::Credit(grant(4, 0, 4)), Frame::Ping { token: 1 }, Frame::Drain];
    for frame in frames {
        for mut lone in [Lone::producer(), Lone::consumer(Window::messages(4))] {
            lone.said();
            let (code, text) = lone.refuses(frame.clone());
            assert_eq!(code, Code::STATE);
            assert!(text.ends_with(" before HELLO"), "{text}");
        }
    }
    let (code, text) = Lone::granted_producer().refuses(Frame::Hello(hello(Role::Consumer)));
    assert_eq!((code, text.as_str()), (Code::STATE, "HELLO a second time"));
    let (code, text) = Lone::open_consumer().refuses(Frame::Hello(hello(Role::Producer)));
    assert_eq!((code, text.as_str()), (Code::STATE, "HELLO a second time"));
}

#[test]
fn hello_is_said_first_even_when_the_peer_was_quicker_to_break_a_rule() {
    let mut lone = Lone::producer();
    assert!(matches!(lone.hear(chunk(0)), Some(Event::Lost(_))));
    assert!(!lone.session.wants_write_closed());
    assert!(matches!(lone.said()[..], [Frame::Hello(_), Frame::GoAway { code: Code::STATE, .. }]));
    assert!(lone.session.wants_write_closed());
}

#[test]
fn h22_values_out_of_range_are_refused_with_the_field_and_the_value() {
    let consumer = || hello(Role::Consumer);
    let bytes = Units { messages: false, bytes: true };
    let day = secs(24 * 60 * 60);
    let cases: [(Hello, &str); 11] = [
        (Hello { max_frame: 0, ..consumer() }, "max_frame 0: it has to be 1024 to 16777215"),
        (Hello { max_frame: 1_023, ..consumer() }, "max_frame 1023: it has to be 1024 to 16777215"),
        (Hello { max_frame: 1 << 24, ..consumer() }, "max_frame 16777216: it has to be 1024 to 16777215"),
        (Hello { idle_timeout: ms(1), ..consumer() }, "idle_ms 1: it has to be 100 to 86400000"),
        (Hello { idle_timeout: ms(99), ..consumer() }, "idle_ms 99: it has to be 100 to 86400000"),
        (Hello { idle_timeout: day + ms(1), ..consumer() }, "idle_ms 86400001: it has to be 100 to 86400000"),
        (Hello { ping_interval: secs(60) + ms(1), ..consumer() }, "ping_ms 60001: it has to be 0 to 60000"),
        (Hello { window: Credit::ZERO, ..consumer() }, "window_messages 0: it has to be 1 to 4611686018427387904"),
        (
            Hello { window: Credit::new((1 << 62) + 1, 0), ..consumer() },
            "window_messages 4611686018427387905: it has to be 1 to 4611686018427387904",
        ),
        (
            Hello { window: Credit::new(9, 0), units: bytes, ..consumer() },
            "window_bytes 0: it has to be 1 to 4611686018427387904",
        ),
        (
            Hello { units: Units { messages: false, bytes: false }, ..consumer() },
            "units 0: it has to count messages, bytes or both",
        ),
    ];
    for (hello, text) in cases {
        let mut lone = Lone::producer();
        lone.said();
        assert_eq!(lone.refuses(Frame::Hello(hello)), (Code::PROTOCOL, format!("HELLO says {text}")));
    }
}

#[test]
fn values_at_the_edge_of_the_range_are_taken() {
    let (day, both) = (secs(24 * 60 * 60), Units { messages: true, bytes: true });
    let consumer = || hello(Role::Consumer);
    let most = 1 << 62;
    for hello in [
        Hello { max_frame: 1_024, idle_timeout: secs(0), ping_interval: secs(0), ..consumer() },
        Hello { max_frame: (1 << 24) - 1, idle_timeout: ms(100), ping_interval: secs(60), ..consumer() },
        Hello { idle_timeout: day, units: both, window: Credit::new(most, 1), ..consumer() },
        // A unit that is not counted says nothing, whatever it says.
        Hello { window: Credit::new(1, u64::MAX), ..consumer() },
        Hello { version: Version { major: 1, minor: 255 }, features: u32::MAX, ..consumer() },
    ] {
        let max_frame = hello.max_frame;
        let lone = Lone::producer().introduced(hello);
        assert_eq!(lone.session.peer_max_frame(), max_frame);
    }
    assert_eq!(Lone::producer().session.peer_max_frame(), 1_024, "what every peer takes");
}

#[test]
fn h23_another_major_version_is_refused_with_the_range_spoken_here() {
    for version in [Version { major: 0, minor: 9 }, Version { major: 2, minor: 3 }] {
        let mut lone = Lone::consumer(Window::messages(4));
        lone.said();
        // The rest of such a HELLO means something else, perhaps: it is not looked at.
        let (code, text) =
            lone.refuses(Frame::Hello(Hello { version, max_frame: 0, role: Role::Consumer, ..hello(Role::Producer) }));
        assert_eq!(code, Code::VERSION);
        let there = format!("{}.{}", version.major, version.minor);
        assert_eq!(text, format!("version {there} is spoken there, 1.0 to 1.0 here"));
    }
}

#[test]
fn h24_a_unit_that_the_producer_cannot_count_is_a_mismatch_on_both_sides() {
    let now = Instant::now();
    let mut session = Session::<Vec<u8>>::unweighed_producer(Settings::default(), [1; 16], now);
    let Some(Frame::Hello(said)) = session.poll_frame(now) else { panic!("HELLO first") };
    assert_eq!(said.units, Units { messages: true, bytes: false });
    for window in [Window::bytes(9), Window::messages(9).and_bytes(9)] {
        let now = Instant::now();
        let mut session = Session::<Vec<u8>>::unweighed_producer(Settings::default(), [1; 16], now);
        let event = session.handle_frame(Frame::Hello(hello_with(window)), now);
        let mismatch = Violation::new(Code::UNIT_MISMATCH.0, "the window counts bytes, which the producer cannot");
        assert_eq!(event, Some(Event::Lost(Disconnect::Violation(mismatch.clone()))));

        let mut lone = Lone::consumer(window);
        lone.said();
        let (code, text) = lone.refuses(Frame::Hello(said.clone()));
        assert_eq!((code.0, text.as_str()), (mismatch.code(), mismatch.text()));
    }
    let mut lone = Lone::consumer(Window::messages(4));
    lone.said();
    assert_eq!(lone.hear(Frame::Hello(said.clone())), Some(Event::Opened(said)));
}

#[test]
fn two_of_a_kind_are_refused() {
    let mut lone = Lone::producer();
    lone.said();
    assert_eq!(lone.refuses(Frame::Hello(hello(Role::Producer))), (Code::PROTOCOL, "both sides are producers".into()));
    let mut lone = Lone::consumer(Window::messages(4));
    lone.said();
    assert_eq!(lone.refuses(Frame::Hello(hello(Role::Consumer))), (Code::PROTOCOL, "both sides are consumers".into()));
}

#[test]
fn what_is_said_in_hello_is_legal_whatever_the_settings_are() {
    let settings = Settings { max_frame: 5, idle_timeout: ms(1), ping_interval: secs(3_600), ..Settings::default() };
    let mut lone = Lone::consumer_with(Window::bytes(u64::MAX), settings);
    let Frame::Hello(said) = lone.said().remove(0) else { panic!("HELLO first") };
    assert_eq!((said.max_frame, said.idle_timeout, said.ping_interval), (1_024, ms(100), secs(60)));
    Lone::producer().introduced(said);
}

#[test]
fn a_producer_says_nothing_but_hello_until_it_knows_the_consumer() {
    let mut lone = Lone::producer();
    lone.session.end();
    lone.session.blocked();
    assert!(matches!(lone.said()[..], [Frame::Hello(_)]));
    assert!(matches!(lone.hear(Frame::Hello(hello(Role::Consumer))), Some(Event::Opened(_))));
    assert_eq!(lone.said(), [end(0)], "END needs no credit");
}

#[test]
fn no_chunk_before_the_first_credit() {
    let mut lone = Lone::producer();
    assert!(!lone.session.may_send());
    lone = lone.introduced(hello(Role::Consumer));
    assert!(!lone.session.may_send());
    lone.session.blocked();
    assert_eq!(lone.said(), [], "there is no limit yet to wait at");
    let _ = lone.hear(Frame::Credit(grant(4, 0, 4)));
    assert!(lone.session.may_send());
}

#[test]
fn no_chunk_before_this_sides_own_hello() {
    let mut lone = Lone::producer();
    assert!(lone.hear(Frame::Hello(hello(Role::Consumer))).is_some());
    assert!(lone.hear(Frame::Credit(grant(4, 0, 4))).is_some());
    assert!(!lone.session.may_send());
    assert!(matches!(lone.said()[..], [Frame::Hello(_)]));
    assert!(lone.session.may_send());
}

#[test]
fn the_end_of_the_stream_in_the_handshake_is_a_loss() {
    for mut lone in [Lone::producer(), Lone::consumer(Window::messages(4))] {
        assert_eq!(lone.eof(), Some(Event::Lost(Disconnect::Eof)));
        assert!(lone.session.is_over());
        assert_eq!(lone.said(), []);
    }
}

#[test]
fn a_stranger_is_told_nothing() {
    let mut lone = Lone::producer();
    let stranger = Violation::new(Code::PROTOCOL.0, "GET / is no preface");
    assert_eq!(lone.session.handle_stranger(stranger.clone()), Some(Event::Lost(Disconnect::Violation(stranger))));
    assert!(lone.session.is_over());
    assert_eq!(lone.said(), []);
}
