//! One end of the connection: a session, its codec, and what waits to be written; and the wire to the other end.

use super::super::watch::Watch;
use bytes::{Bytes, BytesMut};
use credit_channel::Violation;
use credit_channel::session::{Event, Session, Traffic};
use credit_channel::wire::{Code, Frame, FrameCodec, Role};
use std::io::ErrorKind;
use std::time::Instant;
use tokio_util::codec::{Decoder, Encoder};

/// What is under way in one direction.
#[derive(Debug, Default)]
pub(super) struct Wire {
    bytes: BytesMut,
    /// Nothing more goes in.
    ended: bool,
}

impl Wire {
    pub(super) fn cut(&mut self, loses: bool) {
        self.ended = true;
        if loses {
            self.bytes.clear();
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.ended && self.bytes.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct End {
    pub(super) session: Session<Bytes>,
    pub(super) watch: Watch,
    codec: FrameCodec,
    unread: BytesMut,
    unwritten: BytesMut,
    traffic: Traffic,
    read_over: bool,
    pub(super) failed: bool,
    pub(super) closed: bool,
}

impl End {
    pub(super) fn new(session: Session<Bytes>, role: Role, counted: [bool; 2], max_frame: u32) -> Self {
        Self {
            session,
            watch: Watch::new(role, counted),
            codec: FrameCodec::new(max_frame),
            unread: BytesMut::new(),
            unwritten: BytesMut::new(),
            traffic: Traffic::default(),
            read_over: false,
            failed: false,
            closed: false,
        }
    }

    // ----- out -----

    pub(super) fn write_control(&mut self, now: Instant) {
        for count in 0.. {
            let Some(frame) = self.session.poll_frame(now) else { break };
            assert!(count < 9, "more than one frame of each kind is kept");
            self.write(frame);
        }
        self.note(now);
    }

    pub(super) fn write(&mut self, frame: Frame<Bytes>) {
        self.watch.said(&frame);
        self.codec.encode(frame, &mut self.unwritten).expect("what a session says can be written");
    }

    /// Puts some of what waits on the wire, and closes it behind the last.
    pub(super) fn flush(&mut self, wire: &mut Wire, most: u8, now: Instant) {
        let some = self.unwritten.split_to(count(most).min(self.unwritten.len()));
        if !wire.ended {
            wire.bytes.extend_from_slice(&some);
        }
        self.traffic.written += u64::try_from(some.len()).expect("short");
        self.note(now);
        if self.session.is_over() || self.failed || (self.session.wants_write_closed() && self.unwritten.is_empty()) {
            wire.ended = true;
        }
    }

    // ----- in -----

    /// Reads some of what is on the wire.
    pub(super) fn read(&mut self, wire: &mut Wire, most: u8, now: Instant) -> Vec<Event<Bytes>> {
        let mut events = Vec::new();
        if self.read_over || self.session.is_over() {
            return events;
        }
        let some = wire.bytes.split_to(count(most).min(wire.bytes.len()));
        self.traffic.read += u64::try_from(some.len()).expect("short");
        self.unread.extend_from_slice(&some);
        while let Some(frame) = self.codec.decode(&mut self.unread).expect("what a session says can be read") {
            if let Frame::Hello(hello) = &frame {
                self.codec.set_peer_max_frame(hello.max_frame);
            }
            let listens = self.session.peer().is_some() && !self.session.wants_write_closed();
            match &frame {
                Frame::Ping { token } if listens => self.watch.owed = Some(*token),
                Frame::Pong { token } if listens => {
                    assert_eq!(self.watch.asked.take(), Some(*token), "the PONG of another PING");
                }
                _ => {}
            }
            let event = self.session.handle_frame(frame, now);
            self.tell(event, &mut events);
        }
        if wire.is_over() {
            self.read_over = true;
            let event = self.session.handle_close(None, now);
            self.tell(event, &mut events);
        }
        self.note(now);
        events
    }

    fn tell(&mut self, event: Option<Event<Bytes>>, events: &mut Vec<Event<Bytes>>) {
        if let Some(event) = event {
            self.watch.told(&event);
            events.push(event);
        }
    }

    fn note(&mut self, now: Instant) {
        self.traffic.frame_begun = self.codec.is_mid_frame();
        self.traffic.writes_pending = !self.unwritten.is_empty();
        self.session.handle_io(self.traffic, now);
    }

    // ----- endings from outside -----

    /// The connection reports an error.
    pub(super) fn fail(&mut self, now: Instant) {
        if self.session.is_over() {
            return;
        }
        self.failed = true;
        if let Some(event) = self.session.handle_close(Some(ErrorKind::ConnectionReset.into()), now) {
            self.watch.told(&event);
        }
    }

    /// This side gives up the connection for a reason of its own.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.watch.ended = true;
        self.session.close(Violation::new(Code::INTERNAL.0, "no more of this"));
    }
}

fn count(most: u8) -> usize {
    if most == u8::MAX { usize::MAX } else { usize::from(most) }
}
