//! What a peer says: often right, since only who is right gets far, and wrong in every way there is.

use super::super::input::Input;
use super::lone::{Lone, Weight};
use super::watch::amounts;
use credit_channel::Credit;
use credit_channel::wire::{Code, Frame, Grant, Hello, Role, Units, Version};
use std::time::Duration;

impl Lone {
    pub(super) fn frame(&self, input: &mut Input<'_>) -> Frame<Weight> {
        match (input.below(32), self.watch.role) {
            (0, _) => Frame::Hello(self.hello(input)),
            (1, _) => Frame::GoAway { code: code(input), text: text(input) },
            (2, _) => Frame::Ignored { kind: 0x40, length: 9 },
            (3 | 4, _) => Frame::Ping { token: input.byte().into() },
            (5 | 6, _) => Frame::Pong { token: input.near(self.watch.asked.unwrap_or(5)) },
            (7, _) => Frame::Cancel { code: code(input), detail: input.byte().into(), text: text(input) },
            (8, _) => Frame::Drain,
            (9, _) => self.chunk(input),
            (10, _) => self.end(input),
            (11, _) => self.error(input),
            (12, _) => Frame::Blocked { limit: Credit::new(input.odd(), input.odd()) },
            (13, _) => {
                let mut odd = || Credit::new(input.odd(), input.odd());
                Frame::Credit(Grant { limit: odd(), released: odd(), window: odd() })
            }
            (14 | 15, Role::Consumer) => Frame::Blocked { limit: self.watch.grant.limit },
            (16, Role::Consumer) => self.end(input),
            (_, Role::Consumer) => self.chunk(input),
            (_, Role::Producer) => self.credit(input),
        }
    }

    fn chunk(&self, input: &mut Input<'_>) -> Frame<Weight> {
        let seq = input.near(self.watch.chunks);
        let weight = match input.byte() {
            0xFF => input.odd(),
            weight => u64::from(weight) % 16,
        };
        Frame::Chunk { seq, payload: Weight(weight) }
    }

    fn end(&self, input: &mut Input<'_>) -> Frame<Weight> {
        Frame::End { count: input.near(self.watch.chunks), bytes: input.near(self.watch.cost[1]) }
    }

    fn error(&self, input: &mut Input<'_>) -> Frame<Weight> {
        Frame::Error {
            code: code(input),
            detail: input.byte().into(),
            count: input.near(self.watch.chunks),
            discard: input.yes(),
            text: text(input),
        }
    }

    fn credit(&self, input: &mut Input<'_>) -> Frame<Weight> {
        let all = input.yes();
        let (grant, window) = (self.watch.grant, amounts(self.limit()));
        let [limit, released] = [amounts(grant.limit), amounts(grant.released)];
        let mut unit = |unit: usize| {
            let released = if all { self.watch.cost[unit] } else { released[unit] };
            let limit = limit[unit].max(released.saturating_add(window[unit]));
            let window = input.near(window[unit]);
            (input.near(limit), input.near(released), window)
        };
        let (messages, bytes) = (unit(0), unit(1));
        Frame::Credit(Grant {
            limit: Credit::new(messages.0, bytes.0),
            released: Credit::new(messages.1, bytes.1),
            window: Credit::new(messages.2, bytes.2),
        })
    }

    fn hello(&self, input: &mut Input<'_>) -> Hello {
        let right = self.right_hello();
        let millis = |input: &mut Input<'_>| Duration::from_millis(input.odd());
        match input.below(10) {
            0 => Hello { version: Version { major: input.byte(), minor: 0 }, ..right },
            1 => Hello { role: self.watch.role, ..right },
            2 => Hello { units: Units { messages: input.yes(), bytes: input.yes() }, ..right },
            3 => Hello { max_frame: u32::try_from(input.odd() & 0xFFFF_FFFF).expect("32 bits"), ..right },
            4 => Hello { idle_timeout: millis(input), ..right },
            5 => Hello { ping_interval: millis(input), ..right },
            6 => Hello { window: Credit::new(input.odd(), input.odd()), ..right },
            7 => Hello { version: Version { major: 1, minor: input.byte() }, features: !0, ..right },
            _ => right,
        }
    }
}

fn code(input: &mut Input<'_>) -> Code {
    Code(u32::from(input.byte()) % 30)
}

fn text(input: &mut Input<'_>) -> String {
    match input.byte() {
        0xFF => "ü".repeat(4_000),
        some => "ü".repeat(usize::from(some & 3)),
    }
}
