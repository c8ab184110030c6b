//! What the state does for the drivers of transports.

use super::inlet::Listener;
use super::state::{Entry, State};
use crate::ledger::{Books, most_held};
use crate::sync::{Tray, WakeList};
use crate::{Credit, Window};
use std::collections::VecDeque;
use std::mem;
use std::task::Waker;
use std::time::Duration;

/// What the drivers of transports want to know of a channel.
#[derive(Debug, Default)]
pub(super) struct Remote {
    /// The driver at the receiving end, if this is one.
    pub(super) listener: Option<Listener>,
    /// The driver at the sending end wants to know of every park.
    tells_of_parks: bool,
    /// Credit was short for one who does not wait for it, since more was last granted.
    pub(super) wanted: bool,
    /// What may be sent is bounded by how far sends may run ahead of the transport, and not by the consumer.
    pub(super) held_up: bool,
    /// There and back to the other end.
    pub(super) round_trip: Option<Duration>,
    /// That is to be measured.
    pub(super) measured: bool,
}

impl Remote {
    pub(super) fn held_up(&self) -> bool {
        self.held_up
    }

    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }
}

impl<T> State<T> {
    /// What came over a transport, at this cost, joins the queue. Whom to wake.
    pub(super) fn arrive(&mut self, arrived: &mut VecDeque<Entry<T>>, cost: Credit) -> Option<Waker> {
        self.ledger.arrive(cost);
        if self.is_new_peak() {
            self.note_peak();
        }
        self.count_sent(u64::try_from(arrived.len()).unwrap_or(u64::MAX));
        self.end_wait();
        if self.queue.is_empty() {
            mem::swap(&mut self.queue, arrived);
        } else {
            self.queue.append(arrived);
        }
        self.consumer.take()
    }

    /// Whether a consumer with this window may hold credit back, so that it has to be told who waits.
    pub(super) fn tell_of_parks(&mut self, window: Window) {
        let limit = window.as_credit();
        self.remote.tells_of_parks = most_held(limit.messages()) > 0 || most_held(limit.bytes()) > 0;
    }

    /// A sender parks: the driver of its transport is told, if it has use for it.
    pub(super) fn tell_of_park(&mut self, wakes: &mut WakeList) {
        if self.remote.tells_of_parks {
            wakes.extend(self.consumer.take());
        }
    }

    /// A driver is told of credit that came home, if it is worth it.
    #[inline]
    pub(super) fn tell_listener(&mut self, wakes: &mut WakeList) {
        if self.remote.listener.is_some() {
            let (books, outstanding) = (self.books(), self.outstanding());
            wakes.extend(self.remote.listener.as_mut().and_then(|listener| listener.tell(&books, outstanding)));
        }
    }

    /// Whether every guard has to come to the lock for the driver's sake: where the tray cannot be armed.
    #[inline]
    pub(super) fn listener_sees_all(&self) -> bool {
        let limit = self.ledger.window().as_credit();
        self.is_listened_to() && (self.tray.counts_both() || limit.messages().max(limit.bytes()) > Tray::MOST_ARMED)
    }

    /// Has the guard come to the lock that brings home what the driver ought to be told of, and none before it: in a
    /// window of a thousand that spares nearly all of them the way.
    #[inline]
    pub(super) fn arm(&mut self, wakes: &mut WakeList) {
        if self.remote.listener.is_none() || !self.armed.is_zero() {
            return;
        }
        let (books, outstanding) = (self.books(), self.outstanding());
        if let Some(due) = self.remote.listener.as_ref().and_then(|listener| listener.due_in(&books, outstanding)) {
            self.armed = self.tray.armed_for(due);
            if self.tray.arm(self.armed) {
                self.settle(wakes);
            }
        }
    }

    /// The driver is to measure the way there and back, from when it next looks.
    pub(super) fn measure(&mut self) {
        self.remote.measured = true;
    }

    /// The books as the other end is told them. Forgotten credit is no more waited for, and not granted again.
    pub(super) fn books(&self) -> Books {
        let books = self.ledger.books();
        Books { released: books.released.plus(self.tally.forgotten), ..books }
    }

    /// A driver is told that credit is short for one who will not wait for it: nobody else says so.
    pub(super) fn tell_of_want(&mut self, wakes: &mut WakeList) {
        if self.remote.tells_of_parks && !self.remote.wanted {
            self.remote.wanted = true;
            wakes.extend(self.consumer.take());
        }
    }

    /// Whether a producer is held up for want of credit.
    pub(super) fn is_blocked(&self) -> bool {
        self.remote.wanted || self.ledger.waiting() > 0
    }

    /// A driver is told that something ended.
    pub(super) fn call_listener(&mut self, wakes: &mut WakeList) {
        wakes.extend(self.remote.listener.as_mut().and_then(|listener| listener.call()));
    }

    #[inline]
    pub(super) fn is_listened_to(&self) -> bool {
        self.remote.listener.is_some()
    }

    /// The window that is kept when this one is asked for.
    pub(super) fn window_kept(&self, asked: Window) -> Window {
        if self.is_listened_to() { asked.with_bookkeeping() } else { asked }
    }
}
