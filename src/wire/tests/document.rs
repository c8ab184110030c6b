//! PROTOCOL.md says what the code does, where it can be told from both.

use super::{encoded, hello};
use crate::Credit;
use crate::wire::{Code, Frame, Grant, Hello, PREFACE, Role};
use bytes::Bytes;

const TEXT: &str = include_str!("../../../PROTOCOL.md");

/// The worked exchange: who, what, and its bytes.
fn exchange() -> Vec<(String, Vec<u8>)> {
    let (_, block) = TEXT.split_once("```hex\n").expect("the block");
    let (block, _) = block.split_once("```").expect("its end");
    let mut steps: Vec<(String, Vec<u8>)> = Vec::new();
    for line in block.lines().filter(|line| !line.is_empty()) {
        if let Some(bytes) = line.strip_prefix("  ") {
            let bytes = bytes.split(';').next().expect("before the comment").split_whitespace();
            let step = steps.last_mut().expect("a title before the bytes");
            step.1.extend(bytes.map(|byte| u8::from_str_radix(byte, 16).expect("hex")));
        } else {
            steps.push((line.to_owned(), Vec::new()));
        }
    }
    steps
}

#[test]
fn worked_exchange_is_what_the_encoder_writes() {
    let session = |frame: Hello, session| Frame::Hello(Hello { session, ..frame });
    let consumer = *b"\xc0\xff\xee\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc";
    let producer = *b"\x0f\xf1\xce\x00\xff\xee\xdd\xcc\xbb\xaa\x99\x88\x77\x66\x55\x44";
    let window = Credit::new(4, 1 << 20);
    let credit = |messages, bytes| {
        let released = Credit::new(messages, bytes);
        Frame::Credit(Grant { limit: released.plus(window), released, window })
    };
    let said = [
        ("consumer preface", None),
        ("consumer HELLO", Some(session(Hello { window, ..hello(Role::Consumer) }, consumer))),
        ("consumer CREDIT", Some(credit(0, 0))),
        ("producer preface", None),
        ("producer HELLO", Some(session(hello(Role::Producer), producer))),
        ("producer CHUNK", Some(Frame::Chunk { seq: 0, payload: Bytes::from("hello") })),
        ("producer CHUNK", Some(Frame::Chunk { seq: 1, payload: Bytes::from("credit") })),
        ("consumer CREDIT", Some(credit(1, 5))),
        ("producer END", Some(Frame::End { count: 2, bytes: 11 })),
        ("consumer CREDIT", Some(credit(2, 11))),
    ];
    let steps = exchange();
    assert_eq!(steps.len(), said.len());
    for (step, (title, frame)) in steps.into_iter().zip(said) {
        let bytes = frame.map_or_else(|| PREFACE.to_vec(), |frame| encoded(frame).to_vec());
        assert_eq!(step, (title.to_owned(), bytes));
    }
}

#[test]
fn its_table_of_reason_codes_is_ours() {
    let rows = TEXT.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let number: u32 = cells.next()?.parse().ok()?;
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((number, name))
    });
    let rows: Vec<_> = rows.collect();
    let named: Vec<_> = (0..1000).filter_map(|number| Some((number, Code(number).name()?))).collect();
    assert_eq!(rows, named);
}
