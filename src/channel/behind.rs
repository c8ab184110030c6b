//! What waits behind a producer until the consumer's work is done.

use super::producer::CreditProducer;
use super::shared::Shared;
use super::state::State;
use super::watch::{On, Watch};
use crate::{Closed, Credit};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// Holds something for each chunk sent, the guard of another channel say, until as much work is done at the other end.
///
/// It goes by cost and not by chunk: credit is a count, and which of the chunks was done first does not matter to who
/// waits for the count. So the oldest goes first. Others may send on clones of the producer; then it is held for
/// somewhat longer, never shorter.
pub(crate) struct Behind<T, G> {
    held: VecDeque<(G, Credit)>,
    /// What those cost.
    cost: Credit,
    done: Watch<T, Arc<Shared<T>>>,
}

impl<T, G> Behind<T, G> {
    pub(crate) fn new(producer: &CreditProducer<T>) -> Self {
        let done = Watch::new(Arc::clone(producer.shared()), On::Release);
        Self { held: VecDeque::new(), cost: Credit::ZERO, done }
    }

    /// What sending this value costs.
    pub(crate) fn cost_of(&self, value: &T) -> Credit {
        self.done.shared().cost_of(value)
    }

    /// Holds this until the chunk that was just sent at this cost is done.
    pub(crate) fn hold(&mut self, held: G, cost: Credit) {
        self.held.push_back((held, cost));
        self.cost = self.cost.plus(cost);
    }

    /// Lets go of what is done, and is ready once nothing is held; or with the reason, once the channel is closed and
    /// it can no longer be known. Pending, the task is woken when more is done.
    pub(crate) fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let closed = self.poll_closed(cx);
        if self.held.is_empty() { Poll::Ready(Ok(())) } else { closed.map(Err) }
    }

    /// Lets go of what is done, and is ready once the channel is closed. Pending, the task is woken when more is done.
    pub(crate) fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<Closed> {
        loop {
            let left = self.held.front().map(|(_, oldest)| self.cost.minus(*oldest));
            let looked = self.done.poll(cx, &|state: &State<T>| match (state.life.closed(), left) {
                (Some(closed), _) => Some(Err(closed)),
                (None, Some(left)) => Some(state.outstanding()).filter(|depth| depth.fits_in(left)).map(Ok),
                (None, None) => None,
            });
            match ready!(looked) {
                Ok(depth) => self.let_go(depth),
                Err(closed) => return Poll::Ready(closed),
            }
        }
    }

    /// Lets go of the oldest, as long as what stays held covers what is not done.
    fn let_go(&mut self, depth: Credit) {
        while let Some((_, cost)) = self.held.front() {
            let left = self.cost.minus(*cost);
            if !depth.fits_in(left) {
                break;
            }
            self.cost = left;
            self.held.pop_front();
        }
    }
}
