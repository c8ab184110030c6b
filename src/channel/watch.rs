//! Waiting for something to become true of a channel.

use super::producer::CreditProducer;
use super::shared::Shared;
use super::state::State;
use crate::Closed;
use crate::sync::{Watchers, coop};
use std::future::poll_fn;
use std::ops::Deref;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// Which event.
#[derive(Clone, Copy, Debug)]
pub(super) enum On {
    Close,
    Idle,
    /// Work is done, or the channel is closed.
    Release,
}

/// One who waits; off the list when dropped.
#[derive(Debug)]
pub(super) struct Watch<T, S: Deref<Target = Shared<T>>> {
    shared: S,
    on: On,
    key: Option<usize>,
}

impl<T, S: Deref<Target = Shared<T>>> Watch<T, S> {
    pub(super) fn new(shared: S, on: On) -> Self {
        Self { shared, on, key: None }
    }

    pub(super) fn shared(&self) -> &Shared<T> {
        &self.shared
    }

    /// Waits until `look` finds what it looks for.
    pub(super) async fn until<R>(mut self, look: impl Fn(&State<T>) -> Option<R>) -> R {
        poll_fn(|cx| self.poll(cx, &look)).await
    }

    pub(super) fn poll<R>(&mut self, cx: &mut Context<'_>, look: &impl Fn(&State<T>) -> Option<R>) -> Poll<R> {
        let budget = ready!(coop::poll_proceed(cx));
        // Cloned before the lock: a waker is user code.
        let waker = cx.waker().clone();
        let (found, spare) = self.shared.with(|state, wakes| {
            state.settle(wakes);
            if let Some(found) = look(state) {
                return (Some(found), Some(waker));
            }
            let old = self.on.list(state).put(&mut self.key, waker);
            // Now that somebody watches, guards have to say so when they come home.
            state.settle(wakes);
            (None, old)
        });
        drop(spare);
        match found {
            Some(found) => {
                budget.made_progress();
                Poll::Ready(found)
            }
            None => Poll::Pending,
        }
    }
}

impl<T, S: Deref<Target = Shared<T>>> Drop for Watch<T, S> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.shared.with(|state, wakes| {
                let waker = self.on.list(state).remove(key);
                state.settle(wakes);
                waker
            });
            drop(waker);
        }
    }
}

/// Polls for the close of a channel.
#[derive(Debug)]
pub(crate) struct Closing<T>(Watch<T, Arc<Shared<T>>>);

impl<T> Closing<T> {
    pub(crate) fn new(producer: &CreditProducer<T>) -> Self {
        Self(Watch::new(Arc::clone(producer.shared()), On::Close))
    }

    /// Says why no more can be sent. Pending, the task is woken when that is so.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Closed> {
        self.0.poll(cx, &|state| state.life.closed())
    }
}

impl<T> Shared<T> {
    /// Waits until nothing is in flight, or the channel did not end cleanly.
    pub(super) async fn until_idle(&self) -> Result<(), Closed> {
        let idle = Watch::new(self, On::Idle);
        idle.until(|state| match state.life.closed() {
            Some(closed) => Some(Err(closed)),
            None => state.is_idle().then_some(Ok(())),
        })
        .await
    }
}

impl On {
    fn list<T>(self, state: &mut State<T>) -> &mut Watchers {
        match self {
            Self::Close => &mut state.on_close,
            Self::Idle => &mut state.on_idle,
            Self::Release => &mut state.on_release,
        }
    }
}
