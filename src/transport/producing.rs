//! The sending end: what producers sent becomes frames, and the consumer's books become credit.

use super::link::Link;
use super::pump::{Data, Side};
use super::wrap::Wrap;
use crate::channel::{Fill, Outlet};
use crate::ledger::Books;
use crate::session::{Event, Session};
use crate::wire::{Code, Grant};
use crate::{CancelReason, Disconnect, RecvError, Violation};
use std::mem;
use std::task::{Context, Poll};

/// So many chunks at once may be all that a task's budget allowed: tokio's is 128 steps of any kind.
const MUCH: u64 = 32;

/// The channel at the sending end.
pub(super) struct Producing<T, W> {
    outlet: Outlet<T>,
    wrap: W,
    /// All was taken out of the channel, and how it ended was said.
    over: bool,
    /// What had been taken out of it when it last had nothing more.
    taken_before: u64,
    /// Why this side gave up.
    lost: Option<Disconnect>,
}

impl<T, W> Producing<T, W> {
    pub(super) fn new(outlet: Outlet<T>, wrap: W) -> Self {
        Self { outlet, wrap, over: false, taken_before: 0, lost: None }
    }
}

impl<T, W, L> Side<L> for Producing<T, W>
where
    L: Link,
    W: Wrap<T, Payload = L::Payload>,
{
    fn on_event(&mut self, event: Event<L::Payload>, session: &mut Session<L::Payload>) {
        match event {
            Event::Granted(Grant { limit, released, window }) => {
                self.outlet.follow(Books { limit, released, window }, session.round_trip());
            }
            Event::Cancelled(reason) => self.outlet.cancel(reason),
            Event::Drain => self.outlet.drain(),
            Event::Lost(reason) => self.outlet.lose(reason),
            // The rest is for a consumer.
            _ => {}
        }
    }

    fn take_lost(&mut self) -> Option<Disconnect> {
        self.lost.take()
    }

    fn poll_data(&mut self, session: &mut Session<L::Payload>, link: &mut L, cx: &mut Context<'_>) -> Data {
        link.follow_window(self.outlet.window());
        let mut data = Data::None;
        while !self.over && session.may_send() && link.has_room() {
            if let Some(value) = self.outlet.pop() {
                data = Data::Some;
                match self.wrap.wrap(value) {
                    Ok(payload) => link.queue_chunk(session.send_next(&payload), payload),
                    Err(text) => self.give_up(session, &text),
                }
                continue;
            }
            match self.outlet.poll_fill(cx) {
                Poll::Ready(Fill::More) => {}
                Poll::Ready(Fill::Over(outcome)) => {
                    self.over = true;
                    self.say_end(session, outcome);
                }
                Poll::Pending => {
                    let taken = self.outlet.taken();
                    let brought = taken - mem::replace(&mut self.taken_before, taken);
                    if self.outlet.is_blocked() {
                        session.blocked();
                        return Data::All;
                    }
                    return if data == Data::Some && brought >= MUCH { Data::Much } else { data };
                }
            }
        }
        Data::All
    }
}

impl<T, W> Producing<T, W> {
    fn say_end<P>(&self, session: &mut Session<P>, outcome: Result<(), RecvError>) {
        match outcome {
            Ok(()) => session.end(),
            Err(RecvError::Failed(failure)) => session.fail(&failure, self.outlet.discards()),
            Err(RecvError::Cancelled(CancelReason::Drained)) => {
                session.drained();
                self.outlet.drained();
            }
            Err(RecvError::Abandoned { .. }) => session.abandon(),
            // The consumer or the connection ended it: there is nobody to tell.
            Err(_) => {}
        }
    }

    /// A value was accepted and cannot be written: to go on without it would lose it silently.
    fn give_up<P>(&mut self, session: &mut Session<P>, text: &std::sync::Arc<str>) {
        self.over = true;
        let seq = self.outlet.taken() - 1;
        let reason = Disconnect::Encode { seq, text: text.clone() };
        session.close(Violation::new(Code::INTERNAL.0, reason.to_string()));
        self.lost = Some(reason.clone());
        self.outlet.lose(reason);
    }
}
