//! Whoever is there, it is no peer (H19 to H24).

use crate::hostile;
use crate::raw::{Fields, opening_consumer, opening_producer, write};
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::wire::Code;
use credit_channel::{Disconnect, Timeout};
use std::time::Duration;

/// What `open` says of a connection that comes to no channel.
async fn lost<T>(opening: tokio::task::JoinHandle<Result<T, ConnectError>>) -> Disconnect {
    match opening.await.expect("no panic") {
        Ok(_) => panic!("this is no peer"),
        Err(ConnectError::Lost(reason)) => reason,
        Err(other) => panic!("{other:?}"),
    }
}

/// What either side answers to an opening, before there is a channel.
async fn both_answer(what: &str, to_producer: Vec<u8>, to_consumer: Vec<u8>, code: Code) -> [String; 2] {
    let (mut raw, opening) = opening_producer(Transport::new());
    raw.say(to_producer).await;
    let first = raw.hear_goaway(code).await;
    drop(raw);
    crate::answers::assert_violated(what, &lost(opening).await, code);
    let (mut raw, opening) = opening_consumer(Transport::new());
    raw.say(to_consumer).await;
    let second = raw.hear_goaway(code).await;
    drop(raw);
    crate::answers::assert_violated(what, &lost(opening).await, code);
    [first, second]
}

/// A HELLO of each role, changed in the same way.
async fn both_answer_hello(what: &str, change: impl Fn(&mut Fields), code: Code) -> [String; 2] {
    let (mut consumer, mut producer) = (Fields::consumer(4), Fields::producer());
    change(&mut consumer);
    change(&mut producer);
    let open = |fields: Fields| [write::preface(), fields.frame()].concat();
    both_answer(what, open(consumer), open(producer), code).await
}

#[test]
fn h19_strangers_are_left_without_a_word() {
    hostile(async {
        let strangers: [(&str, &[u8], &str); 5] = [
            ("HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP?"),
            ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS?"),
            ("line ends changed", b"\x89CCH\n\x1a\n\0\0\0\x38", "line ends"),
            ("the eighth bit dropped", b"\x09CCH\r\n\x1a\n", "eighth bit"),
            ("zeroes", &[0; 64], "preface"),
        ];
        for (what, said, guess) in strangers {
            for first in [1, said.len()] {
                let (mut raw, opening) = opening_producer(Transport::new());
                raw.say(&said[..first]).await;
                raw.try_say(&said[first..]).await.ok();
                // Our own greeting may be out already; nothing is said after it.
                raw.hear_silent_close().await;
                let Disconnect::Violation(why) = lost(opening).await else { panic!("{what}") };
                assert_eq!(why.code(), Code::PROTOCOL.0);
                assert!(why.text().contains(guess), "{what}: {}", why.text());
            }
        }
    });
}

#[test]
fn h20_who_connects_and_says_nothing_is_sent_away() {
    hostile(async {
        let preface_and_half_a_hello = [write::preface(), Fields::consumer(4).frame()[..30].to_vec()].concat();
        for said in [vec![], write::preface()[..3].to_vec(), write::preface(), preface_and_half_a_hello] {
            let (mut raw, opening) = opening_producer(Transport::new());
            let started = tokio::time::Instant::now();
            raw.say(said).await;
            raw.hear_goaway(Code::TIMEOUT_HANDSHAKE).await;
            assert!((9..=11).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
            drop(raw);
            assert_eq!(lost(opening).await, Disconnect::Timeout(Timeout::Handshake));
        }
    });
}

/// A byte now and then does not buy time.
#[test]
fn h20_who_says_hello_too_slowly_is_sent_away() {
    hostile(async {
        let (mut raw, opening) = opening_consumer(Transport::new());
        for byte in [write::preface(), Fields::producer().frame()].concat().iter().take(21) {
            raw.try_say([*byte]).await.ok();
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        raw.hear_goaway(Code::TIMEOUT_HANDSHAKE).await;
        drop(raw);
        assert_eq!(lost(opening).await, Disconnect::Timeout(Timeout::Handshake));
    });
}

#[test]
fn h20_who_connects_and_goes_is_noticed_at_once() {
    hostile(async {
        for said in [vec![], write::preface(), [write::preface(), write::head(write::HELLO, 56)].concat()] {
            let (mut raw, opening) = opening_producer(Transport::new());
            let started = tokio::time::Instant::now();
            raw.say(said).await;
            drop(raw);
            let reason = lost(opening).await;
            assert!(matches!(reason, Disconnect::Eof | Disconnect::Io(_)), "{reason:?}");
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        }
    });
}

#[test]
fn h21_nothing_comes_before_hello() {
    hostile(async {
        let frames = [
            ("CREDIT", write::grant(4, 0, 4)),
            ("CHUNK", write::chunk(0, b"x")),
            ("END", write::end(0, 0)),
            ("CANCEL", write::cancel(10, 0, "")),
            ("PING", write::ping(1)),
            ("PONG", write::pong(1)),
            ("GOAWAY", write::goaway(0, "")),
            ("an extension", write::extension(3)),
        ];
        for (what, frame) in frames {
            let said = [write::preface(), frame, Fields::consumer(4).frame()].concat();
            for text in both_answer(what, said.clone(), said, Code::STATE).await {
                assert!(text.contains(what) && text.contains("before HELLO"), "{text}");
            }
        }
    });
}

#[test]
fn h21_hello_comes_once() {
    hostile(async {
        let text = crate::answers::producer_answers("twice", Fields::consumer(2).frame(), Code::STATE).await;
        assert!(text.contains("HELLO a second time"), "{text}");
        crate::answers::consumer_answers("twice", Fields::producer().frame(), Code::STATE, 0).await;
    });
}

/// What is changed, how, and what GOAWAY says.
type Row = (&'static str, fn(&mut Fields), &'static str);

#[test]
fn h22_hello_out_of_bounds_is_refused_with_the_field_named() {
    hostile(async {
        let rows: [Row; 10] = [
            ("role 0", |hello| hello.role = 0, "HELLO.role is 0"),
            ("role 3", |hello| hello.role = 3, "HELLO.role is 3"),
            ("no units", |hello| hello.units = 0, "HELLO.units is 0"),
            ("unknown units alone", |hello| hello.units = 0xFC, "HELLO.units is 0"),
            ("max_frame 0", |hello| hello.max_frame = 0, "HELLO.max_frame is 0"),
            ("max_frame 1023", |hello| hello.max_frame = 1_023, "HELLO.max_frame is 1023"),
            ("max_frame 2^24", |hello| hello.max_frame = 1 << 24, "HELLO.max_frame is 16777216"),
            ("idle 1 ms", |hello| hello.idle_ms = 1, "HELLO.idle_ms is 1"),
            ("idle for ever and a day", |hello| hello.idle_ms = u32::MAX, "HELLO.idle_ms is 4294967295"),
            ("no PING for a day", |hello| hello.ping_ms = 86_400_000, "HELLO.ping_ms is 86400000"),
        ];
        for (what, change, named) in rows {
            for text in both_answer_hello(what, change, Code::PROTOCOL).await {
                assert!(text.contains(named), "{what}: {text}");
            }
        }
        // Only a consumer's window is one.
        let windows: [Row; 4] = [
            ("no messages", |hello| hello.window_messages = 0, "HELLO.window_messages is 0"),
            ("too many", |hello| hello.window_messages = (1 << 62) + 1, "HELLO.window_messages is 4611686018427387905"),
            ("no bytes", |hello| (hello.units, hello.window_bytes) = (3, 0), "HELLO.window_bytes is 0"),
            ("all bytes", |hello| (hello.units, hello.window_bytes) = (3, u64::MAX), "HELLO.window_bytes is 1844"),
        ];
        for (what, change, named) in windows {
            let (mut raw, opening) = opening_producer(Transport::new());
            let mut hello = Fields::consumer(4);
            change(&mut hello);
            raw.say([write::preface(), hello.frame()].concat()).await;
            let text = raw.hear_goaway(Code::PROTOCOL).await;
            assert!(text.contains(named), "{what}: {text}");
            drop(raw);
            lost(opening).await;
        }
    });
}

#[test]
fn h22_tlvs_that_are_wrong_are_refused_and_those_that_are_unknown_ignored() {
    hostile(async {
        let cut = |hello: &mut Fields| hello.tlvs = vec![0x0A, 0x0A, 0x00];
        both_answer_hello("cut", cut, Code::FRAME_SIZE).await;
        let runs_over = |hello: &mut Fields| hello.tlvs = vec![0x0A, 0x0A, 0xFF, 0xFF, 1];
        both_answer_hello("runs over", runs_over, Code::FRAME_SIZE).await;
        let critical = |hello: &mut Fields| hello.tlvs = vec![0x80, 0x00, 0x00, 0x00];
        both_answer_hello("critical", critical, Code::PROTOCOL).await;
        // Everything that a later minor version may say.
        let later = Fields {
            minor: 255,
            features: u32::MAX,
            reserved: u32::MAX,
            units: 0xFF,
            window_bytes: 100,
            tlvs: vec![0x0A, 0x0A, 0x00, 0x01, 7, 0x7F, 0xFF, 0x00, 0x00],
            ..Fields::consumer(4)
        };
        let (_raw, tx, _driven) = crate::raw::against_producer(Transport::new(), later).await;
        assert_eq!((tx.window().message_limit(), tx.window().byte_limit()), (Some(4), Some(100)));
    });
}

#[test]
fn h23_another_version_is_told_which_is_spoken_here() {
    hostile(async {
        for major in [0, 2, 255] {
            for text in both_answer_hello("version", |hello| hello.major = major, Code::VERSION).await {
                assert!(text.contains(&format!("major is {major}")) && text.contains("version 1"), "{text}");
            }
        }
        // Nothing else of it is looked at, not even whether there is anything else.
        let bare = [write::preface(), write::frame(write::HELLO, 0, &[2, 0])].concat();
        both_answer("a version and nothing else", bare.clone(), bare, Code::VERSION).await;
    });
}

#[test]
fn h24_a_window_in_a_unit_that_the_producer_cannot_count_is_refused() {
    hostile(async {
        // Our consumer counts messages; this producer can count bytes alone.
        let (mut raw, opening) = opening_consumer(Transport::new());
        raw.say([write::preface(), Fields { units: 2, ..Fields::producer() }.frame()].concat()).await;
        let text = raw.hear_goaway(Code::UNIT_MISMATCH).await;
        assert!(text.contains("messages"), "{text}");
        drop(raw);
        crate::answers::assert_violated("H24", &lost(opening).await, Code::UNIT_MISMATCH);
    });
}

#[test]
fn two_of_a_kind_are_refused() {
    hostile(async {
        let open = |fields: Fields| [write::preface(), fields.frame()].concat();
        let texts = both_answer("of a kind", open(Fields::producer()), open(Fields::consumer(4)), Code::PROTOCOL).await;
        assert!(texts[0].contains("both sides are producers") && texts[1].contains("both sides are consumers"));
    });
}
