//! A send on its way.

use super::shared::Shared;
use super::state::Claim;
use crate::ledger::Ticket;
use crate::sync::coop;
use crate::{Credit, SendError, TrySendError};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The future of [`CreditProducer::send`](crate::CreditProducer::send).
///
/// Dropped before it is ready, the value goes with it and was not sent; its place in line and any credit
/// it was served go to the next.
#[must_use = "futures do nothing unless awaited"]
pub struct Sending<'a, T> {
    value: Option<T>,
    claim: Claiming<'a, T>,
}

impl<'a, T> Sending<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, value: T) -> Self {
        let cost = shared.cost_of(&value);
        Self::at(shared, value, cost)
    }

    /// A send of a value that was weighed before.
    pub(super) fn at(shared: &'a Shared<T>, value: T, cost: Credit) -> Self {
        Self { value: Some(value), claim: Claiming::new(shared, cost) }
    }

    /// The value, if it has not been sent.
    pub(super) fn into_value(mut self) -> Option<T> {
        self.value.take()
    }
}

impl<T> Unpin for Sending<'_, T> {}

impl<T> Future for Sending<'_, T> {
    type Output = Result<(), SendError<T>>;

    // Always inlined, as far as the way with credit goes: see `CreditConsumer::take_from_hand`.
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let sending = self.get_mut();
        let Self { value, claim } = sending;
        // To claim credit again would hold it for a value that is not there, for good.
        assert!(value.is_some(), "`Sending` polled after completion");
        let budget = claim.shared.poll_budget(claim.need, &mut claim.ticket, cx);
        if claim.ticket.is_none() && budget.is_ready() && claim.shared.send_now(value, claim.need) {
            ready!(budget).made_progress();
            return Poll::Ready(Ok(()));
        }
        sending.poll_in_line(budget, cx)
    }
}

impl<T> Sending<'_, T> {
    #[inline(never)]
    fn poll_in_line(&mut self, budget: Poll<coop::Spent>, cx: &Context<'_>) -> Poll<Result<(), SendError<T>>> {
        let Self { value, claim } = self;
        let budget = ready!(budget);
        let cost = claim.need;
        let polled = claim.shared.poll_claim(cost, &mut claim.ticket, cx, |state, wakes| {
            state.send_reserved(value, cost, wakes);
        });
        let claimed = ready!(polled);
        budget.made_progress();
        match (claimed, value.take()) {
            (Err(refusal), Some(value)) => Poll::Ready(Err(claim.shared.refuse(*refusal, value, cost))),
            _ => Poll::Ready(Ok(())),
        }
    }
}

impl<T> fmt::Debug for Sending<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sending").field("cost", &self.claim.need).finish_non_exhaustive()
    }
}

/// Waiting for credit, which is the caller's once this is ready.
pub(super) struct Claiming<'a, T> {
    shared: &'a Shared<T>,
    need: Credit,
    ticket: Option<Ticket>,
}

impl<'a, T> Claiming<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, need: Credit) -> Self {
        Self { shared, need, ticket: None }
    }
}

impl<T> Future for Claiming<'_, T> {
    type Output = Result<(), SendError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let claim = self.get_mut();
        let budget = ready!(claim.shared.poll_budget(claim.need, &mut claim.ticket, cx));
        let polled = claim.shared.poll_claim(claim.need, &mut claim.ticket, cx, |_, _| {});
        let claimed = ready!(polled);
        budget.made_progress();
        Poll::Ready(claimed.map_err(|refusal| refusal.into_error((), claim.need)))
    }
}

impl<T> Drop for Claiming<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.leave_line(ticket);
        }
    }
}

impl<T> Shared<T> {
    /// Sends a value that costs this, at once or not at all.
    #[inline]
    pub(super) fn try_send_at(&self, value: T, cost: Credit) -> Result<(), TrySendError<T>> {
        let mut value = Some(value);
        if self.send_now(&mut value, cost) {
            return Ok(());
        }
        let claim = self.try_claim(cost, |state, wakes| state.send_reserved(&mut value, cost, wakes));
        match (claim, value) {
            (Claim::Granted, _) | (_, None) => Ok(()),
            (Claim::Short, Some(value)) => Err(TrySendError::Full(value)),
            (Claim::Refused(refusal), Some(value)) => Err(self.refuse(*refusal, value, cost).into()),
        }
    }

    /// Reserves at once or not at all.
    pub(super) fn try_reserve(&self, need: Credit) -> Result<(), TrySendError> {
        match self.try_claim(need, |_, _| {}) {
            Claim::Granted => Ok(()),
            Claim::Short => Err(TrySendError::Full(())),
            Claim::Refused(refusal) => Err(refusal.into_error((), need).into()),
        }
    }
}
