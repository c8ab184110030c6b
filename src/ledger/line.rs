//! Who waits for how much, first come first served.
//!
//! A doubly linked list threaded through a slab: joining, serving and leaving from any place are O(1),
//! a line that is warm allocates nothing, and a caller that gives up takes its place with it, so a
//! million aborted sends leave nothing behind.

use crate::Credit;
use slab::Slab;

/// The key to a place in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(usize);

/// Where a ticket stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place<W> {
    /// In line; `W` is to be told when that changes.
    Waiting(W),
    /// Its need is reserved and is the ticket holder's to collect or give back.
    Served,
    /// The window has become smaller than its need (the limit is this): it can never be served.
    Refused(Credit),
    /// The channel closed while it waited.
    Dismissed,
}

#[derive(Debug)]
struct Entry<W> {
    need: Credit,
    place: Place<W>,
    ahead: Option<usize>,
    behind: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Line<W> {
    entries: Slab<Entry<W>>,
    head: Option<usize>,
    tail: Option<usize>,
    waiting: usize,
}

impl<W> Line<W> {
    /// Room for this many places is kept when the line empties; a larger burst gives its memory back.
    const KEEP: usize = 64;

    pub(super) fn new() -> Self {
        Self { entries: Slab::new(), head: None, tail: None, waiting: 0 }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    #[inline]
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    #[inline]
    pub(super) fn head_need(&self) -> Option<Credit> {
        self.head.map(|head| self.entries[head].need)
    }

    #[inline]
    pub(super) fn join(&mut self, need: Credit, who: W) -> Ticket {
        let entry = Entry { need, place: Place::Waiting(who), ahead: self.tail, behind: None };
        let key = self.entries.insert(entry);
        match self.tail {
            Some(tail) => self.entries[tail].behind = Some(key),
            None => self.head = Some(key),
        }
        self.tail = Some(key);
        self.waiting += 1;
        Ticket(key)
    }

    #[inline]
    pub(super) fn place(&mut self, ticket: Ticket) -> &mut Place<W> {
        &mut self.entries[ticket.0].place
    }

    #[inline]
    pub(super) fn leave(&mut self, ticket: Ticket) -> (Credit, Place<W>) {
        if matches!(self.entries[ticket.0].place, Place::Waiting(_)) {
            self.unlink(ticket.0);
        }
        let entry = self.entries.remove(ticket.0);
        if self.entries.is_empty() && self.entries.capacity() > Self::KEEP {
            self.entries = Slab::new();
        }
        (entry.need, entry.place)
    }

    #[inline]
    pub(super) fn serve_head(&mut self) -> Option<W> {
        self.settle_head(Place::Served)
    }

    pub(super) fn refuse_head(&mut self, limit: Credit) -> Option<W> {
        self.settle_head(Place::Refused(limit))
    }

    pub(super) fn dismiss_all(&mut self) -> impl Iterator<Item = W> + '_ {
        std::iter::from_fn(|| self.settle_head(Place::Dismissed))
    }

    /// The head's wait is over; its entry stays until the ticket is handed in.
    #[inline]
    fn settle_head(&mut self, place: Place<W>) -> Option<W> {
        let head = self.head?;
        self.unlink(head);
        match std::mem::replace(&mut self.entries[head].place, place) {
            Place::Waiting(who) => Some(who),
            _ => unreachable!("only those who wait are linked"),
        }
    }

    #[inline]
    fn unlink(&mut self, key: usize) {
        let Entry { ahead, behind, .. } = self.entries[key];
        match ahead {
            Some(ahead) => self.entries[ahead].behind = behind,
            None => self.head = behind,
        }
        match behind {
            Some(behind) => self.entries[behind].ahead = ahead,
            None => self.tail = ahead,
        }
        self.waiting -= 1;
    }
}
