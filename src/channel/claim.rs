//! Claiming credit: at once, in line, or not at all.

use super::shared::Shared;
use super::state::{Claim, Refusal, State};
use crate::Credit;
use crate::ledger::Ticket;
use crate::sync::{WakeList, coop};
use std::task::{Context, Poll, Waker};

impl<T> Shared<T> {
    /// Sends the value in `slot` if there is credit for it now and nobody in line: the way of nearly every
    /// send, one lock and one wake at most.
    #[inline]
    pub(super) fn send_now(&self, slot: &mut Option<T>, cost: Credit) -> bool {
        if self.looks_short() {
            return false;
        }
        let mut state = self.lock();
        let (sent, consumer) = state.send_now(slot, cost);
        if sent {
            self.hints().set_short(state.is_short());
            self.show_news(&mut state);
        }
        drop(state);
        if let Some(consumer) = consumer {
            consumer.wake();
        }
        sent
    }

    /// Claims credit without waiting, so that a driver is told of it if it is short; `then` runs under the lock once
    /// it is reserved.
    pub(super) fn try_claim(&self, need: Credit, then: impl FnOnce(&mut State<T>, &mut WakeList)) -> Claim {
        self.claim_or(need, then, State::tell_of_want)
    }

    /// A first claim: `then` runs under the lock if the credit is reserved, `short` if it is short.
    fn claim_or(
        &self,
        need: Credit,
        then: impl FnOnce(&mut State<T>, &mut WakeList),
        short: impl FnOnce(&mut State<T>, &mut WakeList),
    ) -> Claim {
        self.with(|state, wakes| {
            let claim = state.claim(need);
            match claim {
                Claim::Granted => then(state, wakes),
                Claim::Short => short(state, wakes),
                Claim::Refused(_) => {}
            }
            self.take_hints(state);
            claim
        })
    }

    /// Claims credit, in line if need be; `then` runs under the lock once it is reserved. The ticket is the
    /// caller's to give to [`leave_line`](Self::leave_line) if it gives up.
    ///
    /// Who finds no credit takes a place in line and parks. Where parks have been so brief that each cost more
    /// than it waited, because the consumer hardly works, the runtime is given one turn first: credit is mostly
    /// back by then, and a park and a wake-up are saved.
    #[inline(never)]
    pub(super) fn poll_claim(
        &self,
        need: Credit,
        ticket: &mut Option<Ticket>,
        cx: &Context<'_>,
        then: impl FnMut(&mut State<T>, &mut WakeList),
    ) -> Poll<Result<(), Box<Refusal>>> {
        let claim = match *ticket {
            None if self.hints().one_turn_will_do() => self.wait_one_turn(need, ticket, cx.waker(), then),
            None => self.join_line(need, ticket, cx.waker(), then),
            Some(held) => self.come_back(held, ticket, cx.waker(), then),
        };
        match claim {
            Claim::Granted => Poll::Ready(Ok(())),
            Claim::Refused(refusal) => Poll::Ready(Err(refusal)),
            Claim::Short => Poll::Pending,
        }
    }

    /// A first claim, which waits parked.
    fn join_line(
        &self,
        need: Credit,
        ticket: &mut Option<Ticket>,
        waker: &Waker,
        mut then: impl FnMut(&mut State<T>, &mut WakeList),
    ) -> Claim {
        if !self.looks_short() {
            let claim = self.try_claim(need, &mut then);
            if !matches!(claim, Claim::Short) {
                return claim;
            }
        }
        // Cloned before the lock and dropped after it: a waker is user code.
        let mut waker = Some(waker.clone());
        self.claim_or(need, then, |state, wakes| {
            let held = *ticket.insert(state.join(need));
            state.park(held, &mut waker, wakes);
        })
    }

    /// A first claim, which gives the runtime one turn.
    fn wait_one_turn(
        &self,
        need: Credit,
        ticket: &mut Option<Ticket>,
        waker: &Waker,
        then: impl FnMut(&mut State<T>, &mut WakeList),
    ) -> Claim {
        let claim = self.claim_or(need, then, |state, _| *ticket = Some(state.join_for_one_turn(need)));
        if let Claim::Short = claim {
            waker.wake_by_ref();
        }
        claim
    }

    /// A claim that comes back with its ticket, and parks if it was not served.
    fn come_back(
        &self,
        held: Ticket,
        ticket: &mut Option<Ticket>,
        waker: &Waker,
        mut then: impl FnMut(&mut State<T>, &mut WakeList),
    ) -> Claim {
        let mut collect = |state: &mut State<T>, wakes: &mut WakeList| {
            let claim = state.collect(held, wakes);
            // Under the lock: a waker that panics after it must not leave a ticket that was handed in.
            match claim {
                Claim::Granted => {
                    *ticket = None;
                    then(state, wakes);
                }
                Claim::Refused(_) => *ticket = None,
                Claim::Short => {}
            }
            self.take_hints(state);
            claim
        };
        let mut claim = self.with(&mut collect);
        if let Claim::Short = claim {
            let mut waker = Some(waker.clone());
            claim = self.with(|state, wakes| {
                let claim = collect(state, wakes);
                if let Claim::Short = claim {
                    state.park(held, &mut waker, wakes);
                }
                claim
            });
        }
        claim
    }

    #[inline]
    pub(super) fn take_hints(&self, state: &State<T>) {
        self.hints().set_short(state.is_short());
        self.hints().set_brief(state.parks_are_brief());
    }

    /// Takes a unit of the task's cooperative budget. A task that is out of it keeps its turn all the same: it
    /// takes what credit there is, or stands in line, until it is polled again, which the runtime sees to once
    /// others had their turn.
    #[inline]
    pub(super) fn poll_budget(
        &self,
        need: Credit,
        ticket: &mut Option<Ticket>,
        cx: &mut Context<'_>,
    ) -> Poll<coop::Spent> {
        let budget = coop::poll_proceed(cx);
        if budget.is_pending() && ticket.is_none() {
            self.keep_turn(need, ticket, cx.waker());
        }
        budget
    }

    #[cold]
    fn keep_turn(&self, need: Credit, ticket: &mut Option<Ticket>, waker: &Waker) {
        let mut waker = Some(waker.clone());
        self.with(|state, wakes| {
            if state.life.is_open() {
                *ticket = Some(state.keep_turn(need, &mut waker, wakes));
            }
        });
    }

    /// Gives up a place in line, and the credit it was served.
    pub(super) fn leave_line(&self, ticket: Ticket) {
        let place = self.with(|state, wakes| {
            let place = state.ledger.leave(ticket);
            state.settle(wakes);
            place
        });
        drop(place);
    }

    /// Gives back reserved credit that was not used.
    pub(super) fn refund(&self, reserved: Credit) {
        self.with(|state, wakes| {
            state.ledger.refund(reserved);
            state.settle(wakes);
        });
    }

    /// Whether a claim would have to wait, at a glance: saves a lock that would only find that out.
    #[inline]
    fn looks_short(&self) -> bool {
        self.hints().is_short() && self.tray().is_empty()
    }
}
