//! What the channel's one lock protects.

use super::lifecycle::Lifecycle;
use super::remote::Remote;
use super::story::Story;
use super::tally::Tally;
use crate::ledger::{Ledger, Place, Ticket};
use crate::sync::{Tray, WakeList, Watchers};
use crate::{Closed, Credit, Oversize, SendError, Window};
use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::task::Waker;

/// A value on its way, and the bytes it costs; what it costs in messages the window says.
#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) value: T,
    pub(super) cost_bytes: u64,
}

/// What became of a claim.
#[derive(Debug)]
pub(super) enum Claim {
    /// The credit is reserved and is the caller's.
    Granted,
    Refused(Box<Refusal>),
    /// Not yet: the caller has to wait, or to go on waiting.
    Short,
}

/// Why a claim is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    Closed(Closed),
    TooLarge { limit: Credit },
}

impl Refusal {
    pub(super) fn into_error<T>(self, value: T, cost: Credit) -> SendError<T> {
        match self {
            Self::Closed(reason) => SendError::Closed { value, reason },
            Self::TooLarge { limit } => SendError::TooLarge { value, cost, limit },
        }
    }
}

pub(super) struct State<T> {
    /// Where guards put what comes home; shared with them.
    pub(super) tray: Arc<Tray>,
    pub(super) ledger: Ledger<Option<Waker>>,
    pub(super) queue: VecDeque<Entry<T>>,
    pub(super) life: Lifecycle,
    /// The consumer, if it found nothing and waits.
    pub(super) consumer: Option<Waker>,
    /// Who waits for the channel to close.
    pub(super) on_close: Watchers,
    /// Who waits for the work to be done.
    pub(super) on_idle: Watchers,
    /// Who waits for any work to be done.
    pub(super) on_release: Watchers,
    /// What was released when those were last told.
    release_told: Credit,
    /// Whether the tray's WATCHED bit is set; only ever changed together with it, under the lock.
    watched: bool,
    /// What the hint of the same name was last set to.
    news: bool,
    /// What the tray began with, if it is armed, else nothing; likewise.
    pub(super) armed: Credit,
    pub(super) tally: Tally,
    pub(super) story: Story,
    /// What the drivers of transports want to know.
    pub(super) remote: Remote,
}

impl<T> State<T> {
    pub(super) fn new(window: Window, oversize: Oversize, tray: Arc<Tray>) -> Self {
        Self {
            tray,
            ledger: Ledger::new(window, oversize),
            queue: VecDeque::new(),
            life: Lifecycle::new(),
            consumer: None,
            on_close: Watchers::default(),
            on_idle: Watchers::default(),
            on_release: Watchers::default(),
            release_told: Credit::ZERO,
            watched: false,
            armed: Credit::ZERO,
            news: false,
            tally: Tally::new(),
            story: Story::begin(window),
            remote: Remote::default(),
        }
    }

    /// Starts all totals here: how a test crosses 2³², 2⁶³ or the end of u64 in a few sends.
    pub(super) fn start_totals_at(&mut self, total: u64) {
        self.ledger.start_totals_at(total);
        self.tally.start_at(total);
    }

    // ----- claims -----

    /// Takes `need` out of the credit for one who holds no ticket.
    #[inline]
    pub(super) fn claim(&mut self, need: Credit) -> Claim {
        if !self.life.is_open() {
            return self.refused_as_closed();
        }
        if self.ledger.try_reserve(need) {
            return Claim::Granted;
        }
        self.claim_short(need)
    }

    fn claim_short(&mut self, need: Credit) -> Claim {
        if let Err(limit) = self.ledger.admits(need) {
            return Claim::Refused(Box::new(Refusal::TooLarge { limit }));
        }
        // What came home since the ledger last looked may be enough.
        if self.collect_home() && self.ledger.try_reserve(need) { Claim::Granted } else { Claim::Short }
    }

    /// Collects what a ticket in line was served. Unless it is short the ticket is handed in with this.
    pub(super) fn collect(&mut self, held: Ticket, wakes: &mut WakeList) -> Claim {
        if !self.life.is_open() {
            let _ = self.ledger.leave(held);
            self.settle(wakes);
            return self.refused_as_closed();
        }
        // Who stands in line without a waker was not told: it looks for itself.
        let after_one_turn = matches!(self.ledger.place(held), Place::Waiting(None));
        if after_one_turn {
            self.settle(wakes);
        }
        match *self.ledger.place(held) {
            Place::Waiting(_) => {
                if after_one_turn {
                    self.tally.turn_was_no_use();
                }
                Claim::Short
            }
            Place::Served => {
                if after_one_turn {
                    self.tally.turn_was_enough();
                }
                self.ledger.collect(held);
                Claim::Granted
            }
            Place::Refused(limit) => {
                let _ = self.ledger.leave(held);
                Claim::Refused(Box::new(Refusal::TooLarge { limit }))
            }
            Place::Dismissed => unreachable!("dismissed only when the channel is no longer open"),
        }
    }

    fn refused_as_closed(&self) -> Claim {
        Claim::Refused(Box::new(self.refusal_as_closed()))
    }

    /// Why there is no sending any more. A clean end, which has no such reason, needs every producer gone,
    /// and who asks is one that is there.
    pub(super) fn refusal_as_closed(&self) -> Refusal {
        Refusal::Closed(self.life.closed().unwrap_or(Closed::Abandoned))
    }

    /// Joins the line. Without a waker, so the caller either parks then or comes again of its own accord.
    pub(super) fn join(&mut self, need: Credit) -> Ticket {
        self.tally.count_park();
        self.ledger.join(need, None)
    }

    /// Joins the line for one turn of the runtime instead of a park. It counts as one, a brief one.
    pub(super) fn join_for_one_turn(&mut self, need: Credit) -> Ticket {
        self.tally.count_turn();
        self.join(need)
    }

    /// Takes what there is for a task that is out of budget, or joins the line and parks. Only the second is
    /// a wait for credit.
    pub(super) fn keep_turn(&mut self, need: Credit, waker: &mut Option<Waker>, wakes: &mut WakeList) -> Ticket {
        let held = self.ledger.join(need, None);
        // First without the waker: to be served at once is no reason to be woken at once.
        self.settle(wakes);
        if let Place::Waiting(_) = self.ledger.place(held) {
            self.tally.count_park();
            self.park(held, waker, wakes);
        }
        held
    }

    /// Leaves a waker with a ticket, to be woken when it is served: from now on its holder is parked. In the
    /// waker's place is then the one that was there before, to be dropped outside the lock.
    pub(super) fn park(&mut self, ticket: Ticket, waker: &mut Option<Waker>, wakes: &mut WakeList) {
        let Place::Waiting(left) = self.ledger.place(ticket) else { return };
        mem::swap(left, waker);
        if let Some(now) = self.tally.begin_park(self.remote.held_up()) {
            self.story.parked();
            self.look(now);
        }
        self.watch(wakes);
        self.tell_of_park(wakes);
    }

    /// Whether the next park is likely to cost more than it waits.
    pub(super) fn parks_are_brief(&self) -> bool {
        self.tally.parks_are_brief()
    }

    /// Whether a send of the least cost would have to wait, as far as the ledger knows.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.ledger.credit().is_zero()
    }

    /// Books what lies in the tray while nobody waits for it, and says whether there was anything. With
    /// somebody in line it is not ours to take without serving them: that is what `settle` does.
    #[inline]
    pub(super) fn collect_home(&mut self) -> bool {
        let ours = self.ledger.waiting() == 0 && !self.watched && !self.tray.is_empty();
        if ours {
            self.take_home();
        }
        ours
    }

    /// Whether the consumer has something to find, a chunk or that the channel is closed, if that has changed.
    #[inline]
    pub(super) fn news(&mut self) -> Option<bool> {
        let news = !self.queue.is_empty() || !self.life.is_open();
        (mem::replace(&mut self.news, news) != news).then_some(news)
    }

    // ----- the funnel -----

    /// Brings the books up to date: what lies in the tray comes home, the line is served, and whoever waits
    /// for what follows from that is put on the wake list.
    ///
    /// Every path that frees credit, leaves the line or changes the window ends here. Capacity that goes
    /// home by a path of its own, past whoever waits for it, is the oldest bug of such channels.
    #[inline]
    pub(super) fn settle(&mut self, wakes: &mut WakeList) {
        if !self.tray.is_empty() {
            self.take_home();
        }
        while let Some(waker) = self.ledger.serve_next() {
            wakes.extend(waker);
        }
        if !self.on_idle.is_empty() && self.is_idle() {
            self.on_idle.take_all(wakes);
        }
        if !self.on_release.is_empty() && self.ledger.released() != self.release_told {
            self.release_told = self.ledger.released();
            self.on_release.take_all(wakes);
        }
        if self.ledger.waiting() == 0 {
            if let Some((now, park)) = self.tally.end_park() {
                self.story.unparked(park);
                self.look(now);
            }
        }
        self.tell_listener(wakes);
        if self.ledger.waiting() > 0 || self.is_watched_over() || self.listener_sees_all() {
            self.watch(wakes);
        } else if self.watched {
            // Nobody waits any more: guards need not come to the lock.
            self.take_home();
        } else {
            self.arm(wakes);
        }
        if !self.life.is_open() && self.outcome_is_known() {
            wakes.extend(self.consumer.take());
        }
    }

    /// Whether somebody looks at every guard that comes home.
    fn is_watched_over(&self) -> bool {
        !self.on_idle.is_empty() || !self.on_release.is_empty() || self.story_waits()
    }

    /// Takes all that lies in the tray, and stops watching it.
    fn take_home(&mut self) {
        self.watched = false;
        let begin = mem::take(&mut self.armed);
        self.ledger.release(self.tray.take().minus(begin));
    }

    /// Somebody waits: from here on guards take the lock. One that came before this may have put credit
    /// down unseen; then everything is looked at again.
    #[inline]
    fn watch(&mut self, wakes: &mut WakeList) {
        if !self.watched {
            self.watched = true;
            if self.tray.watch() {
                self.settle(wakes);
            }
        }
    }

    /// The channel was closed to producers: everybody in line and every watcher is told.
    pub(super) fn close(&mut self, wakes: &mut WakeList) {
        wakes.extend(self.ledger.dismiss_all().flatten());
        self.on_close.take_all(wakes);
        self.on_idle.take_all(wakes);
        self.on_release.take_all(wakes);
        wakes.extend(self.consumer.take());
        self.call_listener(wakes);
        self.settle(wakes);
    }

    /// Whether all that was sent has been worked off; forgotten credit counts as such.
    pub(super) fn is_idle(&self) -> bool {
        self.outstanding().is_zero()
    }

    /// What is still being worked on, or on its way to it.
    pub(super) fn outstanding(&self) -> Credit {
        self.ledger.in_flight().minus(self.tally.forgotten)
    }

    /// Whether more may come of a channel that accepts no more: from a permit, or from the other end of a transport,
    /// whose driver says when that is all.
    pub(super) fn permits_out(&self) -> bool {
        self.is_listened_to() || !self.ledger.reserved().is_zero()
    }

    fn outcome_is_known(&self) -> bool {
        self.queue.is_empty() && self.life.outcome(self.tally.sent, self.permits_out()).is_some()
    }

    pub(super) fn forget(&mut self, credit: Credit) {
        self.tally.forgotten = self.tally.forgotten.plus(credit);
    }
}
