//! What PROTOCOL.md says that a frame does, read a second time.

use super::lone::{Lone, Weight};
use super::watch::amounts;
use credit_channel::Disconnect;
use credit_channel::session::Event;
use credit_channel::wire::{Code, Frame, Grant, Hello, Role};
use std::time::Duration;

/// What has to come of a frame.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Not judged: the session is on its way out, or short of budget.
    Unknown,
    Nothing,
    Told(&'static str),
    Refused(&'static [Code]),
}

impl Verdict {
    pub(super) fn allows(&self, event: Option<&Event<Weight>>) -> bool {
        match (self, event) {
            (Self::Unknown, _) | (Self::Nothing, None) => true,
            (Self::Refused(codes), Some(Event::Lost(Disconnect::Violation(why)))) => codes.contains(&Code(why.code())),
            (Self::Told(name), Some(event)) => format!("{event:?}").starts_with(name),
            _ => false,
        }
    }
}

const LARGEST_WINDOW: u64 = 1 << 62;

pub(super) fn verdict(lone: &Lone, frame: &Frame<Weight>) -> Verdict {
    let watch = &lone.watch;
    // Once ended, a consumer's state is not seen from outside; a producer's that is through is.
    if lone.closed || watch.ended || lone.session.wants_write_closed() || lone.session.is_over() || lone.spent > 900 {
        return Verdict::Unknown;
    }
    if !watch.opened {
        return match frame {
            Frame::Hello(hello) => on_hello(lone, hello),
            _ => Verdict::Refused(&[Code::STATE]),
        };
    }
    match (frame, watch.role) {
        (Frame::Ping { .. } | Frame::Ignored { .. }, _) => Verdict::Nothing,
        (Frame::Pong { token }, _) if watch.asked == Some(*token) => Verdict::Nothing,
        (Frame::Pong { .. }, _) => Verdict::Refused(&[Code::PROTOCOL]),
        (Frame::GoAway { .. }, _) => Verdict::Told("Lost(GoneAway"),

        (Frame::Credit(grant), Role::Producer) => on_credit(lone, grant),
        (Frame::Cancel { .. }, Role::Producer) => Verdict::Told("Cancelled"),
        // An end that waits to be said makes it nothing, and is not seen from outside.
        (Frame::Drain, Role::Producer) => Verdict::Unknown,

        (Frame::Chunk { seq, payload }, Role::Consumer) => {
            let right = *seq == watch.chunks && watch.fits(watch.plus(payload.0), watch.grant.limit);
            told_if(right, "Chunk", &[Code::SEQUENCE, Code::FLOW_CONTROL])
        }
        (Frame::End { count, bytes }, Role::Consumer) => {
            let right = *count == watch.chunks && (!watch.counted[1] || *bytes == watch.cost[1]);
            told_if(right, "Ended", &[Code::FINAL_COUNT])
        }
        (Frame::Error { code, count, .. }, Role::Consumer) => {
            let name = match *code {
                Code::ABANDONED => "Abandoned",
                Code::DRAINED => "Drained",
                _ => "Failed",
            };
            told_if(*count == watch.chunks, name, &[Code::FINAL_COUNT])
        }
        (Frame::Blocked { limit }, Role::Consumer) => {
            let (theirs, ours) = (amounts(*limit), amounts(watch.grant.limit));
            let newest = (0..2).all(|unit| !watch.counted[unit] || theirs[unit] == ours[unit]);
            if newest { Verdict::Told("Blocked") } else { Verdict::Nothing }
        }
        _ => Verdict::Refused(&[Code::STATE]),
    }
}

fn told_if(right: bool, name: &'static str, codes: &'static [Code]) -> Verdict {
    if right { Verdict::Told(name) } else { Verdict::Refused(codes) }
}

/// Section 6, "A CREDIT is legal".
fn on_credit(lone: &Lone, grant: &Grant) -> Verdict {
    let watch = &lone.watch;
    let [limit, released, window] = [grant.limit, grant.released, grant.window].map(amounts);
    let before = [watch.grant.limit, watch.grant.released].map(amounts);
    let right = (0..2).filter(|unit| watch.counted[*unit]).all(|unit| {
        (1..=LARGEST_WINDOW).contains(&window[unit])
            && limit[unit] >= before[0][unit].max(1)
            && released[unit] >= before[1][unit]
            && released[unit] <= watch.cost[unit]
            && u128::from(limit[unit]) <= u128::from(released[unit]) + (1 << 63)
    });
    told_if(right, "Granted", &[Code::PROTOCOL, Code::FLOW_CONTROL])
}

/// Sections 3 and 5.
fn on_hello(lone: &Lone, hello: &Hello) -> Verdict {
    let [messages, bytes] = [hello.units.messages, hello.units.bytes];
    let window_is_legal =
        |counted: bool, window: u64| hello.role == Role::Producer || !counted || (1..=LARGEST_WINDOW).contains(&window);
    let idle = hello.idle_timeout;
    let fields = hello.version.major == 1
        && hello.role != lone.watch.role
        && (messages || bytes)
        && (1_024..=16_777_215).contains(&hello.max_frame)
        && (idle.is_zero() || (Duration::from_millis(100)..=Duration::from_secs(86_400)).contains(&idle))
        && hello.ping_interval <= Duration::from_secs(60)
        && window_is_legal(messages, hello.window.messages())
        && window_is_legal(bytes, hello.window.bytes());
    let counted = lone.peer_units(hello);
    let can = if hello.role == Role::Producer { [messages, bytes] } else { [true, !lone.unweighed] };
    let fits = (0..2).all(|unit| !counted[unit] || can[unit]);
    told_if(fields && fits, "Opened", &[Code::VERSION, Code::PROTOCOL, Code::UNIT_MISMATCH])
}
