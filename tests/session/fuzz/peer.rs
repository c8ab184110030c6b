//! What a peer says: often right, since only who is right gets far, and wrong in every way there is.

use super::rng::Rng;
use super::{Run, fits};
use crate::lone::{Payload, grant};
use credit_channel::Credit;
use credit_channel::wire::{Frame, Grant, Hello, Role, Units, Version};
use std::time::Duration;

impl Run {
    pub(super) fn frame(&mut self) -> Frame<Payload> {
        let code = self.rng.code();
        let detail = u32::try_from(self.rng.below(9)).expect("small");
        let kind = if self.rng.one_in(20) { self.rng.below(12) } else { 20 };
        match (kind, self.role) {
            (0, _) => Frame::Hello(self.hello()),
            (1, _) => Frame::GoAway { code, text: self.rng.text() },
            (2, _) => Frame::Ignored { kind: 0x40, length: 9 },
            (3 | 4, _) => Frame::Ping { token: self.rng.below(9) },
            (5, _) => Frame::Pong { token: self.rng.near(self.token) },
            (6, _) => Frame::Cancel { code, detail, text: self.rng.text() },
            (7, _) => Frame::Drain,
            (8, Role::Producer) => self.chunk(),
            (9, Role::Producer) => self.end(),
            (8 | 9, Role::Consumer) | (_, Role::Producer) => self.credit(),
            (10, Role::Consumer) => Frame::Error {
                code,
                detail,
                count: self.rng.near(self.chunks),
                discard: self.rng.one_in(2),
                text: self.rng.text(),
            },
            (11, Role::Consumer) => Frame::Blocked { limit: self.announced.limit },
            (_, Role::Consumer) if self.rng.one_in(25) => self.end(),
            (_, Role::Consumer) => self.chunk(),
        }
    }

    fn chunk(&mut self) -> Frame<Payload> {
        let payload = self.rng.payload();
        if !fits(self.plus_chunk(&payload), self.announced.limit) && !self.rng.one_in(10) {
            return Frame::Blocked { limit: self.announced.limit };
        }
        Frame::Chunk { seq: self.rng.near(self.chunks), payload }
    }

    fn end(&mut self) -> Frame<Payload> {
        Frame::End { count: self.rng.near(self.chunks), bytes: self.rng.near(self.cost.bytes()) }
    }

    fn credit(&mut self) -> Frame<Payload> {
        if self.rng.one_in(30) {
            return Frame::Credit(grant(self.rng.odd(), self.rng.odd(), self.rng.odd()));
        }
        let (known, window) = (self.granted, self.limit());
        let released = if self.rng.one_in(2) { self.cost } else { known.released };
        let mut further = |known: u64, window: u64| match known.max(window) {
            0 => 0,
            known => {
                let more = self.rng.below(4);
                self.rng.near(known + more)
            }
        };
        let limit = Credit::new(
            further(known.limit.messages(), window.messages()),
            further(known.limit.bytes(), window.bytes()),
        );
        Frame::Credit(Grant { limit, released, window })
    }

    fn hello(&mut self) -> Hello {
        let right = self.right_hello();
        let odd = |rng: &mut Rng| u32::try_from(rng.odd() >> 32).expect("half of it");
        match self.rng.below(8) {
            0 => Hello { version: Version { major: 2, minor: 0 }, ..right },
            1 => Hello { role: self.role, ..right },
            2 => Hello { units: Units { messages: self.rng.one_in(2), bytes: self.rng.one_in(2) }, ..right },
            3 => Hello { max_frame: odd(&mut self.rng), ..right },
            4 => Hello { idle_timeout: Duration::from_millis(self.rng.odd()), ..right },
            5 => Hello { ping_interval: Duration::from_millis(self.rng.odd()), ..right },
            6 => Hello { window: Credit::new(self.rng.odd(), self.rng.odd()), ..right },
            _ => right,
        }
    }
}
