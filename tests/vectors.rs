//! The vectors of `tests/vectors`, through the public codec.
#![cfg(all(feature = "transport", not(credit_channel_loom)))]

use bytes::{Bytes, BytesMut};
use credit_channel::wire::{Code, Frame, FrameCodec, PREFACE, Role, WireError};
use std::fmt::Write;
use std::{fs, path::Path};
use tokio_util::codec::{Decoder, Encoder};

const MAX_FRAME: u32 = 65_536;

/// `key: value` lines.
struct Record(Vec<(String, String)>);

impl Record {
    fn all(file: &str) -> Vec<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file);
        let text = fs::read_to_string(&path).expect("the vectors are there");
        let records = text.split("\n\n").map(|block| {
            let lines = block.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            Self(
                lines
                    .map(|line| line.split_once(':').expect("key: value"))
                    .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
                    .collect(),
            )
        });
        let records: Vec<_> = records.filter(|record| !record.0.is_empty()).collect();
        assert!(records.len() >= 10, "{file} was read");
        records
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| &value[..])
    }

    fn is(&self, key: &str) -> &str {
        self.get(key).unwrap_or_else(|| panic!("{} has no {key}", self.name()))
    }

    fn name(&self) -> &str {
        self.get("name").expect("a name")
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().filter(|(key, _)| key == "hex").flat_map(|(_, value)| unhex(value)).collect()
    }

    fn by(&self) -> usize {
        self.is("by").parse().expect("a number")
    }
}

/// `00ff 55*3` as bytes.
fn unhex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .flat_map(|group| {
            let (run, times) = group.split_once('*').unwrap_or((group, "1"));
            let run: Vec<u8> = (0..run.len()).step_by(2).map(|at| byte(&run[at..at + 2])).collect();
            run.repeat(times.parse().expect("a number"))
        })
        .collect()
}

fn byte(text: &str) -> u8 {
    u8::from_str_radix(text, 16).expect("hex")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string");
        text
    })
}

/// A codec that is past the preface, so that it takes single frames byte by byte.
fn stream() -> FrameCodec {
    let mut codec = FrameCodec::new(MAX_FRAME);
    assert_eq!(codec.decode(&mut BytesMut::from(&PREFACE[..])).expect("legal"), None);
    codec
}

fn message(bytes: &[u8]) -> Result<Frame<Bytes>, WireError> {
    FrameCodec::for_messages(MAX_FRAME).decode_message(Bytes::copy_from_slice(bytes))
}

fn code(error: &WireError) -> String {
    Code(error.violation().expect("the peer's fault").code()).to_string()
}

/// A frame's name and fields, as the vectors spell them.
fn spelt(frame: &Frame<Bytes>) -> (&'static str, Vec<(&'static str, String)>) {
    let n = |name, n: u64| (name, n.to_string());
    let text = |text: &str| ("text", hex(text.as_bytes()));
    match frame {
        Frame::Hello(hello) => {
            let role = if hello.role == Role::Producer { "producer" } else { "consumer" };
            let units = u64::from(hello.units.messages) + 2 * u64::from(hello.units.bytes);
            let millis = |time: std::time::Duration| time.as_millis().to_string();
            let fields = vec![
                n("major", hello.version.major.into()),
                n("minor", hello.version.minor.into()),
                ("role", role.to_owned()),
                n("units", units),
                n("features", hello.features.into()),
                n("max_frame", hello.max_frame.into()),
                ("idle_ms", millis(hello.idle_timeout)),
                ("ping_ms", millis(hello.ping_interval)),
                n("window_messages", hello.window.messages()),
                n("window_bytes", hello.window.bytes()),
                ("session", hex(&hello.session)),
            ];
            ("HELLO", fields)
        }
        Frame::Chunk { seq, payload } => ("CHUNK", vec![n("seq", *seq), ("payload", hex(payload))]),
        Frame::Credit(grant) => {
            let fields = vec![
                n("limit_messages", grant.limit.messages()),
                n("limit_bytes", grant.limit.bytes()),
                n("released_messages", grant.released.messages()),
                n("released_bytes", grant.released.bytes()),
                n("window_messages", grant.window.messages()),
                n("window_bytes", grant.window.bytes()),
            ];
            ("CREDIT", fields)
        }
        Frame::End { count, bytes } => ("END", vec![n("count", *count), n("bytes", *bytes)]),
        Frame::Error { code, detail, count, discard, text: said } => {
            let discard = ("discard", if *discard { "yes" } else { "no" }.to_owned());
            let fields =
                vec![n("code", code.0.into()), n("detail", (*detail).into()), n("count", *count), discard, text(said)];
            ("ERROR", fields)
        }
        Frame::Cancel { code, detail, text: said } => {
            ("CANCEL", vec![n("code", code.0.into()), n("detail", (*detail).into()), text(said)])
        }
        Frame::Ping { token } => ("PING", vec![n("token", *token)]),
        Frame::Pong { token } => ("PONG", vec![n("token", *token)]),
        Frame::Blocked { limit } => {
            ("BLOCKED", vec![n("limit_messages", limit.messages()), n("limit_bytes", limit.bytes())])
        }
        Frame::Drain => ("DRAIN", vec![]),
        Frame::GoAway { code, text: said } => ("GOAWAY", vec![n("code", code.0.into()), text(said)]),
        Frame::Ignored { kind, length } => {
            ("ignored", vec![("type", format!("{kind:#04x}")), n("length", (*length).into())])
        }
        other => panic!("a frame that the vectors do not know: {other:?}"),
    }
}

#[test]
fn legal_frames_are_read_field_by_field() {
    for record in Record::all("valid.txt") {
        let frame = message(&record.bytes()).unwrap_or_else(|error| panic!("{}: {error}", record.name()));
        let (name, fields) = spelt(&frame);
        assert_eq!(name, record.is("frame"), "{}", record.name());
        for (key, value) in &fields {
            let expected = match *key {
                "payload" | "text" | "session" => hex(&unhex(record.is(key))),
                _ => record.is(key).to_owned(),
            };
            assert_eq!(*value, expected, "{}: {key}", record.name());
        }
        // Beside the fields: name, hex, frame, exact.
        assert_eq!(fields.len() + 4, record.0.len(), "{}: nothing was left out", record.name());
    }
}

#[test]
fn legal_frames_are_written_as_they_are() {
    let mut kinds = Vec::new();
    for record in Record::all("valid.txt") {
        let bytes = record.bytes();
        let mut written = BytesMut::new();
        let mut codec = FrameCodec::for_messages(MAX_FRAME);
        codec.set_peer_max_frame(MAX_FRAME);
        codec.encode(message(&bytes).expect("legal"), &mut written).expect("written");
        let same = if record.is("exact") == "yes" { written == bytes } else { written != bytes };
        assert!(same, "{}: {}", record.name(), hex(&written));
        kinds.extend((record.is("exact") == "yes").then(|| bytes[4]));
    }
    kinds.dedup();
    assert_eq!(kinds, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x40, 0x7F, 0x41], "of every type there is one");
}

#[test]
fn wrong_frames_are_refused_as_soon_as_they_can_be() {
    for record in Record::all("invalid.txt") {
        let (bytes, by) = (record.bytes(), record.by());
        let mut codec = stream();
        let mut buffer = BytesMut::from(&bytes[..by - 1]);
        assert_eq!(codec.decode(&mut buffer).expect("not yet"), None, "{}", record.name());
        buffer.extend_from_slice(&bytes[by - 1..by]);
        let error = codec.decode(&mut buffer).expect_err(record.name());
        assert_eq!(code(&error), record.is("code"), "{}", record.name());
        let text = error.violation().expect("a broken rule").text();
        let field = record.is("field");
        assert!(text.starts_with(&format!("{field} is ")) || text.starts_with(&format!("{field}:")), "{text}");
    }
}

#[test]
fn streams_give_what_they_should_and_end_as_they_should() {
    for record in Record::all("streams.txt") {
        let bytes = record.bytes();
        for piece in [1, 7, bytes.len().max(1)] {
            let mut codec = FrameCodec::new(MAX_FRAME);
            let (mut buffer, mut read) = (BytesMut::new(), 0);
            let mut names = Vec::new();
            let mut pieces = bytes.chunks(piece);
            let end = loop {
                match codec.decode(&mut buffer) {
                    Ok(Some(frame)) => names.push(spelt(&frame).0),
                    Ok(None) => match pieces.next() {
                        Some(more) => {
                            buffer.extend_from_slice(more);
                            read += more.len();
                        }
                        None => match codec.decode_eof(&mut buffer) {
                            Ok(_) => break "open".to_owned(),
                            Err(WireError::Io(_)) => break "truncated".to_owned(),
                            Err(error) => panic!("{}: {error}", record.name()),
                        },
                    },
                    Err(WireError::Preface(_)) => break "preface".to_owned(),
                    Err(error) => break code(&error),
                }
            };
            assert_eq!(end, record.is("end"), "{} in pieces of {piece}", record.name());
            assert_eq!(names.join(" "), record.is("frames"), "{} in pieces of {piece}", record.name());
            if piece == 1 && record.get("by").is_some() {
                assert_eq!(read, record.by(), "{}", record.name());
            }
        }
    }
}

#[test]
fn messages_are_exactly_one_frame() {
    for record in Record::all("messages.txt") {
        match (message(&record.bytes()), record.get("frame"), record.get("code")) {
            (Ok(frame), Some(name), None) => assert_eq!(spelt(&frame).0, name, "{}", record.name()),
            (Err(error), None, Some(expected)) => assert_eq!(code(&error), expected, "{}", record.name()),
            (result, ..) => panic!("{}: {result:?}", record.name()),
        }
    }
}

/// They are run against a whole session elsewhere; here: that nothing in them is wrong by itself.
#[test]
fn frames_of_the_conversations_are_legal_by_themselves() {
    for record in Record::all("conversations.txt") {
        for (_, frame) in record.0.iter().filter(|(key, _)| key == "peer") {
            message(&unhex(frame)).unwrap_or_else(|error| panic!("{}: {error}", record.name()));
        }
        let known = |code: &str| (0..64).any(|number| Code(number).name() == Some(code));
        let answer = record.is("answer").trim_start_matches("ERROR ");
        assert!(matches!(answer, "none" | "closes") || known(answer), "{}: {answer}", record.name());
    }
}
