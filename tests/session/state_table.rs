//! Every frame in every state, for both sides: let pass, an event, or which code (and whom it is said to).
//!
//! | in a cell | meaning |
//! |---|---|
//! | `-` | let pass: nothing follows |
//! | a name | the event of this name |
//! | `STATE` … | the rule of this code is broken: the channel is told, and the peer |
//! | `(STATE)` … | the same, but the channel has had its end: the peer alone is told |
//! | `PONG` | answered |
//! | `over` | the write side is closed, so that nobody can be told: the connection is dropped |

use crate::lone::{Lone, Payload, chunk, end, error, grant, hello};
use credit_channel::session::Event;
use credit_channel::wire::{Code, Frame, Role};
use credit_channel::{CancelReason, Credit, Disconnect, Violation, Window};

type Row<const N: usize> = (&'static str, [&'static str; N]);
type State = (&'static str, fn() -> Lone);

const PRODUCER: [State; 9] = [
    ("handshake", || said(Lone::producer())),
    ("no credit yet", || Lone::producer().introduced(hello(Role::Consumer))),
    ("open", sent_one),
    ("end waits", || with(sent_one(), |lone| lone.session.end())),
    ("end said", || said(with(sent_one(), |lone| lone.session.end()))),
    ("done", || {
        let mut lone = Lone::granted_producer();
        lone.session.end();
        said(lone)
    }),
    ("cancelled", || with(sent_one(), |lone| drop(lone.hear(crate::lone::cancel(Code::DROPPED))))),
    ("goaway said", || said(with(sent_one(), |lone| drop(lone.hear(Frame::Pong { token: 1 }))))),
    ("over", || with(sent_one(), |lone| drop(lone.eof()))),
];

#[rustfmt::skip]
const TO_PRODUCER: [Row<9>; 12] = [
    //            handshake   no credit   open         end waits    end said     done   cancelled goaway over
    ("HELLO",   ["Opened",   "STATE",    "STATE",     "STATE",     "STATE",     "-",   "-",      "-",   "-"]),
    ("CHUNK",   ["STATE",    "STATE",    "STATE",     "STATE",     "STATE",     "-",   "-",      "-",   "-"]),
    ("CREDIT",  ["STATE",    "PROTOCOL", "Granted",   "Granted",   "Granted",   "-",   "-",      "-",   "-"]),
    ("END",     ["STATE",    "STATE",    "STATE",     "STATE",     "STATE",     "-",   "-",      "-",   "-"]),
    ("ERROR",   ["STATE",    "STATE",    "STATE",     "STATE",     "STATE",     "-",   "-",      "-",   "-"]),
    ("CANCEL",  ["STATE",    "Cancelled","Cancelled", "Cancelled", "Cancelled", "-",   "-",      "-",   "-"]),
    ("PING",    ["STATE",    "PONG",     "PONG",      "PONG",      "PONG",      "-",   "-",      "-",   "-"]),
    ("PONG",    ["STATE",    "PROTOCOL", "PROTOCOL",  "PROTOCOL",  "PROTOCOL",  "-",   "-",      "-",   "-"]),
    ("BLOCKED", ["STATE",    "STATE",    "STATE",     "STATE",     "STATE",     "-",   "-",      "-",   "-"]),
    ("DRAIN",   ["STATE",    "Drain",    "Drain",     "-",         "-",         "-",   "-",      "-",   "-"]),
    ("GOAWAY",  ["STATE",    "GoneAway", "GoneAway",  "GoneAway",  "GoneAway",  "-",   "-",      "-",   "-"]),
    ("0x40",    ["STATE",    "-",        "-",         "-",         "-",         "-",   "-",      "-",   "-"]),
];

const CONSUMER: [State; 10] = [
    ("handshake", || said(Lone::consumer(Window::messages(4)))),
    ("open", got_one),
    ("ended", || with(got_one(), |lone| drop(lone.hear(end(1))))),
    ("finished", || {
        said(with(got_one(), |lone| {
            drop(lone.hear(end(1)));
            lone.session.finished();
        }))
    }),
    ("cancel waits", || with(got_one(), |lone| lone.session.cancel(&CancelReason::Requested))),
    ("cancel waits in handshake", || {
        with(Lone::consumer(Window::messages(4)), |lone| lone.session.cancel(&CancelReason::Requested))
    }),
    ("cancel said", || said(with(got_one(), |lone| lone.session.cancel(&CancelReason::Requested)))),
    ("cancel said, ended", || {
        let cancelled = said(with(got_one(), |lone| lone.session.cancel(&CancelReason::Requested)));
        with(cancelled, |lone| drop(lone.hear(end(1))))
    }),
    ("goaway said", || said(with(got_one(), |lone| drop(lone.hear(Frame::Pong { token: 1 }))))),
    ("over", || with(got_one(), |lone| drop(lone.eof()))),
];

#[rustfmt::skip]
const TO_CONSUMER: [Row<10>; 12] = [
    //            handshake  open        ended         fin.  cancel waits  & handshake  said    & ended  goaway over
    ("HELLO",   ["Opened",  "STATE",    "(STATE)",    "-",  "(STATE)",    "-",         "-",    "-",     "-",   "-"]),
    ("CHUNK",   ["STATE",   "Chunk",    "(STATE)",    "-",  "-",          "(STATE)",   "-",    "over",  "-",   "-"]),
    ("CREDIT",  ["STATE",   "STATE",    "(STATE)",    "-",  "(STATE)",    "(STATE)",   "-",    "-",     "-",   "-"]),
    ("END",     ["STATE",   "Ended",    "(STATE)",    "-",  "-",          "(STATE)",   "-",    "over",  "-",   "-"]),
    ("ERROR",   ["STATE",   "Failed",   "(STATE)",    "-",  "-",          "(STATE)",   "-",    "over",  "-",   "-"]),
    ("CANCEL",  ["STATE",   "STATE",    "(STATE)",    "-",  "(STATE)",    "(STATE)",   "-",    "-",     "-",   "-"]),
    ("PING",    ["STATE",   "PONG",     "PONG",       "-",  "PONG",       "(STATE)",   "-",    "-",     "-",   "-"]),
    ("PONG",    ["STATE",   "PROTOCOL", "(PROTOCOL)", "-",  "(PROTOCOL)", "(STATE)",   "-",    "-",     "-",   "-"]),
    ("BLOCKED", ["STATE",   "Blocked",  "-",          "-",  "-",          "(STATE)",   "-",    "-",     "-",   "-"]),
    ("DRAIN",   ["STATE",   "STATE",    "(STATE)",    "-",  "(STATE)",    "(STATE)",   "-",    "-",     "-",   "-"]),
    ("GOAWAY",  ["STATE",   "GoneAway", "-",          "-",  "-",          "(STATE)",   "-",    "-",     "-",   "-"]),
    ("0x40",    ["STATE",   "-",        "-",          "-",  "-",          "(STATE)",   "-",    "-",     "-",   "-"]),
];

#[test]
fn every_frame_in_every_state_of_a_producer() {
    compare(&PRODUCER, &TO_PRODUCER, Role::Consumer);
}

#[test]
fn every_frame_in_every_state_of_a_consumer() {
    compare(&CONSUMER, &TO_CONSUMER, Role::Producer);
}

fn compare<const N: usize>(states: &[State; N], rows: &[Row<N>], peer: Role) {
    let mut wrong = Vec::new();
    for (name, cells) in rows {
        for ((state, make), expected) in states.iter().zip(cells) {
            let found = outcome(make(), frame(name, peer));
            if found != *expected {
                wrong.push(format!("{name} in state '{state}': {found} instead of {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A frame of this name that would be right, were it in place. Both sides have had one chunk of three bytes.
fn frame(name: &str, peer: Role) -> Frame<Payload> {
    match name {
        "HELLO" => Frame::Hello(hello(peer)),
        "CHUNK" => chunk(1),
        "CREDIT" => Frame::Credit(grant(5, 1, 4)),
        "END" => end(1),
        "ERROR" => error(Code::FAILED, 1),
        "CANCEL" => crate::lone::cancel(Code::CANCELLED),
        "PING" => Frame::Ping { token: 7 },
        "PONG" => Frame::Pong { token: 7 },
        "BLOCKED" => Frame::Blocked { limit: Credit::new(4, 0) },
        "DRAIN" => Frame::Drain,
        "GOAWAY" => Frame::GoAway { code: Code::SHUTDOWN, text: "bye".into() },
        _ => Frame::Ignored { kind: 0x40, length: 12 },
    }
}

fn outcome(mut lone: Lone, frame: Frame<Payload>) -> String {
    let was_over = lone.session.is_over();
    let event = lone.hear(frame);
    let said = lone.said();
    let goaway = said.iter().find_map(|frame| match frame {
        Frame::GoAway { code, .. } => Some(*code),
        _ => None,
    });
    match (event, goaway) {
        (Some(Event::Lost(Disconnect::Violation(violation))), Some(code)) => {
            assert_eq!(Code(violation.code()), code, "both are told the same");
            code.to_string()
        }
        (Some(Event::Lost(Disconnect::GoneAway(violation))), None) => {
            assert_eq!(violation, Violation::new(Code::SHUTDOWN.0, "bye"));
            "GoneAway".to_owned()
        }
        (Some(event), None) => format!("{event:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned(),
        (None, Some(code)) => format!("({code})"),
        (None, None) if said.contains(&Frame::Pong { token: 7 }) => "PONG".to_owned(),
        (None, None) if lone.session.is_over() && !was_over => "over".to_owned(),
        (None, None) => "-".to_owned(),
        other => format!("{other:?}"),
    }
}

// ----- states -----

fn sent_one() -> Lone {
    with(Lone::granted_producer(), |lone| drop(lone.send()))
}

fn got_one() -> Lone {
    with(Lone::open_consumer(), |lone| drop(lone.hear(chunk(0))))
}

fn with(mut lone: Lone, act: fn(&mut Lone)) -> Lone {
    act(&mut lone);
    lone
}

fn said(mut lone: Lone) -> Lone {
    lone.said();
    lone
}
