//! The pure numbers: how much may be sent, how much has come home, and who waits for how much.
//!
//! No clock, no waker, no lock, no IO: a [`Ledger`] is told what happened and says what follows. What
//! stands for a waiting caller is a type parameter `W`, which the ledger keeps and hands back.
//!
//! ```text
//!   ├──────────────────────────── granted (ever) ───────────────────────────────────┤
//!   │  released  │      in flight      │ reserved │     credit     │    withheld    │
//!   └────────────┴─────────────────────┴──────────┴────────────────┴────────────────┘
//!                │◀──────────────────── window ───────────────────▶│
//!                                      ▲ spent (ever)
//! ```
//!
//! * **spent** and **released** are totals that only grow: cost ever sent, and cost whose work is done.
//!   Between them is what is in flight.
//! * **granted** is the total that may ever have been sent by now. It only grows too: a grant is never taken
//!   back.
//! * **reserved** is credit held for a sender that has not sent yet: a permit, or a place in line that
//!   was served and not polled since.
//! * **withheld** is what a smaller window still has to take out of circulation: granted once, and not
//!   given as credit again until as much came home. An oversized chunk that passes alone withholds its
//!   excess in the same way.
//!
//! # Invariants
//!
//! Checked after every change in debug builds, per unit:
//!
//! 1. No more comes home than was sent.
//! 2. No more is sent than was granted.
//! 3. No more is reserved than is granted and not spent.
//! 4. Cost in flight and reserved stays within the window, unless something is withheld.
//! 5. Nobody waits at the head of the line whose need could be served.

mod account;
mod line;
#[cfg(all(test, not(credit_channel_loom)))]
mod oracle;
#[cfg_attr(not(feature = "transport"), allow(dead_code, reason = "only transports hold credit back"))]
mod returns;

pub(crate) use line::{Place, Ticket};
pub(crate) use returns::most_held;
#[cfg(feature = "transport")]
pub(crate) use returns::{Tell, when_to_tell};

use crate::{Credit, Oversize, Window};
use account::Account;
use line::Line;

/// The credit account of one channel and the line of those who wait for it.
#[derive(Debug)]
pub(crate) struct Ledger<W> {
    window: Window,
    oversize: Oversize,
    messages: Account,
    bytes: Account,
    line: Line<W>,
}

/// What the producer at the other end of a transport has to know.
#[cfg(feature = "transport")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Books {
    /// The cost that may ever have been sent by now.
    pub(crate) limit: Credit,
    /// The cost whose work is done.
    pub(crate) released: Credit,
    /// What a single chunk may cost.
    pub(crate) window: Credit,
}

impl<W> Ledger<W> {
    pub(crate) fn new(window: Window, oversize: Oversize) -> Self {
        let limit = window.as_credit();
        Self {
            window,
            oversize,
            messages: Account::new(limit.messages()),
            bytes: Account::new(limit.bytes()),
            line: Line::new(),
        }
    }

    /// Starts all totals at `total`: how a test crosses 2³², 2⁶³ or the end of u64 in a few sends.
    pub(crate) fn start_totals_at(&mut self, total: u64) {
        self.messages.start_at(total);
        self.bytes.start_at(total);
        self.debug_assert_accounts();
    }

    // ----- sending -----

    /// Takes `need` out of the credit and reserves it, unless somebody was in line before or it is short.
    pub(crate) fn try_reserve(&mut self, need: Credit) -> bool {
        let served = self.line.is_empty() && self.can_serve(need);
        if served {
            self.reserve(need);
            self.debug_assert_accounts();
        }
        served
    }

    /// Takes `need` out of the credit for a chunk that is sent now, unless somebody was in line before or it
    /// is short.
    #[inline]
    pub(crate) fn try_spend(&mut self, need: Credit) -> bool {
        let served = self.line.is_empty() && self.covers(need);
        if served {
            self.messages.spend(need.messages());
            self.bytes.spend(need.bytes());
            self.debug_assert_accounts();
        }
        served
    }

    /// Reserved credit becomes cost in flight: the chunk was sent.
    pub(crate) fn spend_reserved(&mut self, reserved: Credit) {
        self.messages.refund(reserved.messages());
        self.bytes.refund(reserved.bytes());
        self.messages.spend(reserved.messages());
        self.bytes.spend(reserved.bytes());
        self.debug_assert_accounts();
    }

    /// Reserved credit goes back unused. Serve the line afterwards.
    pub(crate) fn refund(&mut self, reserved: Credit) {
        self.messages.refund(reserved.messages());
        self.bytes.refund(reserved.bytes());
        self.debug_assert_accounts();
    }

    /// Whether a chunk that costs `need` can ever be sent; if not, the limit it exceeds.
    pub(crate) fn admits(&self, need: Credit) -> Result<(), Credit> {
        let limit = self.window.as_credit();
        if need.fits_in(limit) || self.oversize == Oversize::Alone { Ok(()) } else { Err(limit) }
    }

    // ----- the line -----

    /// Joins the end of the line.
    pub(crate) fn join(&mut self, need: Credit, who: W) -> Ticket {
        self.line.join(need, who)
    }

    /// Where a ticket stands: what it needs, and who waits on it or that it was served.
    pub(crate) fn place(&mut self, ticket: Ticket) -> &mut Place<W> {
        self.line.place(ticket)
    }

    /// Leaves the line, wherever the ticket stands. Credit that it was served goes back. Serve the line
    /// afterwards: the one behind may have been waiting only for this one to go.
    pub(crate) fn leave(&mut self, ticket: Ticket) -> Place<W> {
        let (need, place) = self.line.leave(ticket);
        if let Place::Served = place {
            self.refund(need);
        }
        place
    }

    /// Takes a served ticket out: its credit stays reserved and is now the caller's.
    pub(crate) fn collect(&mut self, ticket: Ticket) {
        let (_, place) = self.line.leave(ticket);
        debug_assert!(matches!(place, Place::Served), "only a served ticket has credit to collect");
    }

    /// Serves the head of the line if its need can be met. Call until `None` after anything that frees credit.
    #[inline]
    pub(crate) fn serve_next(&mut self) -> Option<W> {
        let need = self.line.head_need()?;
        if self.covers(need) {
            self.reserve(need);
            return self.line.serve_head();
        }
        self.serve_oversized(need)
    }

    /// Serves or refuses a head that does not fit, if it never will or may pass alone.
    fn serve_oversized(&mut self, need: Credit) -> Option<W> {
        if need.fits_in(self.window.as_credit()) {
            return None;
        }
        if self.can_serve(need) {
            self.reserve(need);
            return self.line.serve_head();
        }
        match self.admits(need) {
            Ok(()) => None,
            Err(limit) => self.line.refuse_head(limit),
        }
    }

    /// Takes who waits out of every place in line, to be told that the channel closed.
    pub(crate) fn dismiss_all(&mut self) -> impl Iterator<Item = W> + '_ {
        self.line.dismiss_all()
    }

    /// How many wait in line and are not served yet.
    pub(crate) fn waiting(&self) -> usize {
        self.line.waiting()
    }

    // ----- coming home -----

    /// Work of this cost is done. Serve the line afterwards.
    #[inline]
    pub(crate) fn release(&mut self, cost: Credit) {
        self.messages.release(cost.messages());
        self.bytes.release(cost.bytes());
        self.debug_assert_accounts();
    }

    /// Changes the window: larger at once, smaller by withholding what comes home. Serve the line afterwards.
    pub(crate) fn set_window(&mut self, window: Window) {
        debug_assert!(window.counts_like(self.window), "a ledger never changes the units it counts");
        let limit = window.as_credit();
        self.window = window;
        self.messages.set_window(limit.messages());
        self.bytes.set_window(limit.bytes());
        self.debug_assert_accounts();
    }

    /// Follows the books of a consumer at the other end of a transport: `home` more of what was sent is done,
    /// `spendable` may be in flight now, and `window` is what a single chunk may cost. Serve the line afterwards.
    ///
    /// What may be in flight is the window, or less while the consumer grants less.
    #[cfg(feature = "transport")]
    pub(crate) fn follow(&mut self, home: Credit, spendable: Credit, window: Window) {
        debug_assert!(window.counts_like(self.window), "a ledger never changes the units it counts");
        self.release(home);
        self.window = window;
        let limit = window.as_credit();
        self.messages.set_window(spendable.messages().min(limit.messages()));
        self.bytes.set_window(spendable.bytes().min(limit.bytes()));
        self.debug_assert_accounts();
    }

    /// What arrives over a transport was admitted by the producer's ledger at the other end, and checked
    /// against what this side granted: it is in flight, whoever waits here.
    #[cfg(feature = "transport")]
    pub(crate) fn arrive(&mut self, cost: Credit) {
        self.messages.spend(cost.messages());
        self.bytes.spend(cost.bytes());
        self.debug_assert_accounts();
    }

    // ----- reading -----

    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// Credit that a send could take now.
    #[inline]
    pub(crate) fn credit(&self) -> Credit {
        Credit::new(self.messages.credit(), self.bytes.credit())
    }

    /// Cost sent and not yet released.
    #[inline]
    pub(crate) fn in_flight(&self) -> Credit {
        Credit::new(self.messages.in_flight(), self.bytes.in_flight())
    }

    /// Credit held by permits and by served places in line.
    pub(crate) fn reserved(&self) -> Credit {
        Credit::new(self.messages.reserved(), self.bytes.reserved())
    }

    /// What the producer at the other end of a transport has to know.
    #[cfg(feature = "transport")]
    pub(crate) fn books(&self) -> Books {
        Books {
            limit: Credit::new(self.messages.granted(), self.bytes.granted()),
            released: self.released(),
            window: self.window.as_credit(),
        }
    }

    /// Cost released since the channel opened.
    pub(crate) fn released(&self) -> Credit {
        Credit::new(self.messages.released(), self.bytes.released())
    }

    // ----- inside -----

    #[inline]
    fn covers(&self, need: Credit) -> bool {
        self.messages.covers(need.messages()) && self.bytes.covers(need.bytes())
    }

    fn can_serve(&self, need: Credit) -> bool {
        if self.covers(need) {
            return true;
        }
        // What is larger than the window passes alone, where that was chosen.
        self.oversize == Oversize::Alone
            && !need.fits_in(self.window.as_credit())
            && self.in_flight().is_zero()
            && self.reserved().is_zero()
    }

    fn reserve(&mut self, need: Credit) {
        self.messages.reserve(need.messages());
        self.bytes.reserve(need.bytes());
    }

    fn debug_assert_accounts(&self) {
        if cfg!(debug_assertions) {
            self.messages.assert_invariants();
            self.bytes.assert_invariants();
        }
    }

    /// Asserts all of them, in debug builds; the fifth only holds once the line has been served.
    pub(crate) fn assert_invariants(&self) {
        self.debug_assert_accounts();
        if cfg!(debug_assertions) {
            let head = self.line.head_need();
            assert!(
                !head.is_some_and(|need| self.can_serve(need)),
                "5: nobody waits at the head of the line whose need could be served"
            );
        }
    }
}
