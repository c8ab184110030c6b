//! The users of the two ends, as the channel would be: what was accepted, what is in hand, what is released.

use super::super::super::input::Input;
use super::super::watch::{Amount, Ending};
use super::end::End;
use super::resized;
use bytes::Bytes;
use credit_channel::session::Event;
use credit_channel::wire::Grant;
use credit_channel::{CancelReason, Credit, Failure, Window};
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct Producer {
    /// Accepted and not sent.
    queue: VecDeque<Bytes>,
    sent: Vec<Bytes>,
    last: Option<Last>,
    said: bool,
    /// Nothing more is accepted or sent: the other side, or the connection, ended it.
    over: bool,
    number: u8,
}

#[derive(Clone, Debug)]
enum Last {
    End,
    Fail(Failure, bool),
    Abandon,
    Drained,
}

impl Producer {
    pub(super) fn accept(&mut self, len: usize) {
        if !self.over && self.last.is_none() && self.queue.len() < 100 {
            self.number = self.number.wrapping_add(1);
            self.queue.push_back(vec![self.number; len].into());
        }
    }

    pub(super) fn intend(&mut self, input: &mut Input<'_>) {
        let last = match input.below(8) {
            0 => Last::End,
            1 => {
                let text = "ü".repeat(usize::from(input.below(40)));
                Last::Fail(Failure::new(text).with_code(input.byte().into()), input.yes())
            }
            2 => Last::Abandon,
            _ => return,
        };
        if let (None, false) = (&self.last, self.over) {
            if matches!(last, Last::Fail(_, true)) {
                self.queue.clear();
            }
            self.last = Some(last);
        }
    }

    pub(super) fn intend_end(&mut self) {
        self.last.get_or_insert(Last::End);
    }

    /// What the consumer has to be told.
    pub(super) fn said(&self, sent: u64) -> Option<Ending> {
        Some(match self.last.clone().filter(|_| self.said)? {
            Last::End => Ending::Ended(sent),
            Last::Fail(failure, discard) => Ending::Failed(failure, discard),
            Last::Abandon => Ending::Abandoned,
            Last::Drained => Ending::Drained,
        })
    }

    /// Sends what may be sent, and the last word behind it.
    pub(super) fn send(&mut self, end: &mut End) {
        if self.over || self.said || !end.session.may_send() {
            return;
        }
        while let Some(payload) = self.queue.front() {
            let cost = end.watch.plus(super::super::watch::Load::weight(payload));
            let grant = end.watch.grant;
            if !end.watch.fits(cost, grant.limit) {
                let alone = [0, 1].map(|unit| cost[unit] - end.watch.cost[unit]);
                if end.watch.fits(alone, grant.window) {
                    end.session.blocked();
                    return;
                }
                // It can never go: the channel would not have accepted it.
                self.queue.pop_front();
                continue;
            }
            let payload = self.queue.pop_front().expect("there is one");
            let frame = end.session.send(payload.clone());
            end.write(frame);
            self.sent.push(payload);
        }
        match &self.last {
            None => return,
            Some(Last::End) => end.session.end(),
            Some(Last::Fail(failure, discard)) => end.session.fail(failure, *discard),
            Some(Last::Abandon) => end.session.abandon(),
            Some(Last::Drained) => end.session.drained(),
        }
        self.said = true;
    }

    pub(super) fn hears(&mut self, event: Event<Bytes>) {
        match event {
            Event::Drain => {
                self.last.get_or_insert(Last::Drained);
            }
            Event::Cancelled(_) | Event::Lost(_) => {
                self.over = true;
                self.queue.clear();
            }
            _ => {}
        }
    }
}

#[derive(Debug)]
pub(super) struct Consumer {
    pub(super) window: Window,
    counted: [bool; 2],
    /// The costs of what is in hand.
    held: VecDeque<Amount>,
    taken: usize,
    limit: Amount,
    pub(super) released: Amount,
    pub(super) cancelled: Option<CancelReason>,
    ended: bool,
}

impl Consumer {
    pub(super) fn new(window: Window, counted: [bool; 2]) -> Self {
        let limit = of(window);
        let (held, released) = (VecDeque::new(), [0; 2]);
        Self { window, counted, held, taken: 0, limit, released, cancelled: None, ended: false }
    }

    pub(super) fn books(&self) -> Grant {
        let credit = |[messages, bytes]: Amount| Credit::new(messages, bytes);
        Grant { limit: credit(self.limit), released: credit(self.released), window: credit(of(self.window)) }
    }

    /// The work on one chunk is done, whichever it is.
    pub(super) fn release(&mut self, which: u8) {
        if self.held.is_empty() {
            return;
        }
        let cost = self.held.remove(usize::from(which) % self.held.len()).expect("there is one");
        for (unit, cost) in cost.into_iter().enumerate() {
            self.released[unit] += cost;
        }
        self.raise();
    }

    pub(super) fn release_all(&mut self) {
        while !self.held.is_empty() {
            self.release(0);
        }
    }

    fn raise(&mut self) {
        let window = of(self.window);
        self.limit = [0, 1].map(|unit| self.limit[unit].max(self.released[unit] + window[unit]));
    }

    pub(super) fn report(&self, end: &mut End) {
        end.session.grant(self.books());
    }

    /// Once all is done, after the end.
    pub(super) fn finish(&self, end: &mut End) {
        if self.ended && self.held.is_empty() {
            self.report(end);
            end.session.finished();
        }
    }

    pub(super) fn decide(&mut self, end: &mut End, input: &mut Input<'_>) {
        match input.below(16) {
            0 => end.session.drain(),
            1 => {
                let text = "ü".repeat(usize::from(input.byte()) * 10);
                self.cancel(end, CancelReason::Other { code: 7, text: text.into() });
            }
            2 => self.cancel(end, CancelReason::Dropped),
            3..=6 => {
                self.window = resized(self.window, input);
                self.raise();
            }
            _ => self.finish(end),
        }
    }

    pub(super) fn cancel(&mut self, end: &mut End, reason: CancelReason) {
        if self.ended && self.held.is_empty() {
            return;
        }
        if self.cancelled.is_none() {
            end.session.cancel(&reason);
            self.cancelled = Some(reason);
            end.watch.ended = true;
        }
    }

    /// What the producer was told is what was said, with as much of the text as its frames take.
    pub(super) fn assert_said(&self, heard: &CancelReason) {
        match (heard, &self.cancelled) {
            (CancelReason::Other { code, text }, Some(CancelReason::Other { code: said, text: all })) => {
                assert!(code == said && all.starts_with(&text[..]) && (text.len() == all.len() || text.len() > 1_000));
            }
            (heard, said) => assert_eq!(Some(heard), said.as_ref()),
        }
    }

    pub(super) fn hears(&mut self, event: Event<Bytes>, producer: &Producer) {
        match event {
            Event::Chunk { payload, .. } => {
                assert_eq!(Some(&payload), producer.sent.get(self.taken), "I6: what was sent, in its order");
                self.taken += 1;
                let len = u64::try_from(payload.len()).expect("short").max(1);
                self.held.push_back([0, 1].map(|unit| if self.counted[unit] { [1, len][unit] } else { 0 }));
            }
            Event::Ended { .. } | Event::Failed { .. } | Event::Abandoned | Event::Drained => self.ended = true,
            _ => {}
        }
    }
}

fn of(window: Window) -> Amount {
    [window.message_limit().unwrap_or(0), window.byte_limit().unwrap_or(0)]
}
