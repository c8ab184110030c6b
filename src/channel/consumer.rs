//! The receiving end.

use super::canceller::Canceller;
use super::chunk::Chunk;
use super::guard::CreditGuard;
use super::lease::{Lease, LeaseRef};
use super::lifecycle::Outcome;
use super::probe::Timing;
use super::shared::{Refill, Shared, TestHooks};
use super::state::Entry;
use super::turns::Turns;
use crate::sync::coop;
use crate::sync::shim::block_on;
use crate::{CancelReason, RecvError, Stats, TryRecvError, Window, WindowError};
use futures_core::Stream;
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

/// The receiving end of a channel: takes chunks, whose credit goes back when they are dropped.
///
/// Chunks come in the order of sending. Each may be worked on wherever and for as long as it takes; the
/// window counts it until its [`Chunk`] (or [`CreditGuard`]) is dropped.
///
/// Dropping the consumer before the end was received cancels the channel: what is queued is dropped, and
/// every producer is told [`CancelReason::Dropped`]. Guards that are still out stay valid.
///
/// It is also a [`Stream`] of `Result<Chunk<T>, RecvError>`: chunks, then either the end, or one error and
/// then the end.
pub struct CreditConsumer<T> {
    shared: Arc<Shared<T>>,
    lease: Arc<Lease>,
    /// Taken out of the queue in one go and handed out one by one.
    batch: VecDeque<Entry<T>>,
    received: u64,
    turns: Turns,
    timing: Timing,
    outcome: Option<Outcome>,
    /// As a stream it says an error once.
    stream_ended: bool,
}

impl<T> CreditConsumer<T> {
    pub(super) fn new(shared: Arc<Shared<T>>, lease: Arc<Lease>, hooks: TestHooks) -> Self {
        Self {
            shared,
            lease,
            batch: VecDeque::new(),
            received: hooks.start_totals_at,
            turns: Turns::new(hooks.recv_gives_one_turn),
            timing: Timing::new(hooks.start_totals_at),
            outcome: None,
            stream_ended: false,
        }
    }

    // ----- receiving -----

    /// Receives the next chunk, waiting for it if there is none.
    ///
    /// `Ok(None)` is the clean end: every producer said [`end`](crate::CreditProducer::end), and as many
    /// chunks were received as were sent. Every other way in which chunks stop is an error.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing: a chunk leaves the channel only when it is returned.
    ///
    /// # Errors
    ///
    /// [`RecvError`], after what was sent before it, and again at every later call.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{RecvError, Window, channel};
    ///
    /// let (tx, mut rx) = channel(Window::messages(2))?;
    /// tx.send(1).await?;
    /// tx.fail("ledger locked");
    /// assert_eq!(*rx.recv().await?.unwrap(), 1);
    /// assert_eq!(rx.recv().await.unwrap_err(), RecvError::Failed("ledger locked".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    #[inline]
    pub fn recv(&mut self) -> Receiving<'_, T> {
        Receiving { consumer: self }
    }

    /// Receives the next chunk if there is one now. `Ok(None)` is the clean end.
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is none, else as [`recv`](Self::recv).
    pub fn try_recv(&mut self) -> Result<Option<Chunk<T>>, TryRecvError> {
        if !self.has_in_hand() {
            match self.refill(&mut None) {
                Some(Refill::More) => {}
                Some(Refill::Over(outcome)) => return Ok(outcome.map(|()| None)?),
                None => return Err(TryRecvError::Empty),
            }
        }
        Ok(Some(self.take_from_hand()))
    }

    /// Receives up to `limit` chunks into `buffer`, waiting only for the first. Returns how many; 0 is the
    /// clean end, or a limit of 0.
    ///
    /// # Cancel safety
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv); never while there are chunks to return.
    pub async fn recv_many(&mut self, buffer: &mut Vec<Chunk<T>>, limit: usize) -> Result<usize, RecvError> {
        if limit == 0 {
            return Ok(0);
        }
        let Some(first) = self.recv().await? else { return Ok(0) };
        buffer.push(first);
        let mut received = 1;
        while received < limit {
            let Ok(Some(chunk)) = self.try_recv() else { break };
            buffer.push(chunk);
            received += 1;
        }
        Ok(received)
    }

    /// Polls for the next chunk. If it is pending, the task is woken when there is one, or the end.
    #[inline]
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Chunk<T>>, RecvError>> {
        self.poll_recv_as(cx)
    }

    /// As [`poll_recv`](Self::poll_recv), with the error that the caller wants: to turn one result into another would
    /// move the chunk once more.
    #[inline(always)]
    pub(crate) fn poll_recv_as<E: From<RecvError>>(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Chunk<T>>, E>> {
        let budget = ready!(coop::poll_proceed(cx));
        if !self.has_in_hand() {
            match ready!(self.poll_refill(cx)) {
                Refill::More => {}
                Refill::Over(outcome) => {
                    budget.made_progress();
                    return Poll::Ready(outcome.map(|()| None).map_err(E::from));
                }
            }
        }
        budget.made_progress();
        Poll::Ready(Ok(Some(self.take_from_hand())))
    }

    /// Receives the next chunk from outside async code, blocking this thread while it waits.
    ///
    /// For plain threads and `spawn_blocking`: on a thread that runs tasks it would stop them all.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    pub fn blocking_recv(&mut self) -> Result<Option<Chunk<T>>, RecvError> {
        block_on(self.recv())
    }

    // ----- stopping -----

    /// Stops the channel: every producer is told `reason`, parked sends return with their values, and what
    /// is queued is dropped, that part of it which the consumer has taken out already with its next call or
    /// its drop. Chunks in hand may be finished. Never waits; the first reason counts.
    ///
    /// Returns whether this call is what stopped it.
    pub fn cancel(&self, reason: CancelReason) -> bool {
        self.shared.cancel(reason)
    }

    /// A handle that cancels from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller::new(Arc::clone(&self.lease))
    }

    /// Stops the channel gracefully: asks for no more, and takes what was sent.
    ///
    /// Sends fail from now on with [`CancelReason::Drained`], also those that wait; permits that are out
    /// may still be used. `recv` returns what there is, and then the end if the producers ended meanwhile,
    /// else [`RecvError::Cancelled`] with [`CancelReason::Drained`].
    pub fn drain(&self) {
        self.shared.drain();
    }

    // ----- numbers -----

    /// Changes the window, in the same units. A larger one gives credit at once; a smaller one takes it out
    /// of circulation as it comes back, so that nothing new is sent until less is in flight.
    ///
    /// A sender in line for more than the new window gets [`TooLarge`](crate::SendError::TooLarge) when it
    /// is its turn.
    ///
    /// # Errors
    ///
    /// [`WindowError::Zero`]; [`WindowError::OtherUnits`] if it counts other units than before.
    pub fn set_window(&self, window: Window) -> Result<(), WindowError> {
        self.shared.set_window(window)
    }

    /// The channel's numbers, the same as the producer's.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }

    // ----- inside -----

    /// Drops what is in hand and not handed out, if it is to be thrown away.
    pub(crate) fn discard_in_hand(&mut self) {
        if self.shared.discards() {
            drop(self.shared.unreceived(std::mem::take(&mut self.batch)));
        }
    }

    pub(super) fn lease(&self) -> &Arc<Lease> {
        &self.lease
    }

    /// Whether there is a chunk in hand, and it was not cancelled meanwhile, nor does the producer want it discarded.
    #[inline]
    fn has_in_hand(&self) -> bool {
        !self.batch.is_empty() && !self.shared.discards()
    }

    /// The next chunk in hand. After a refill it is handed out even if it was cancelled since: an empty hand would
    /// look like the clean end.
    ///
    /// Always inlined, and the one place where a chunk is put together: what is handed on through memory right after
    /// it was written there waits for itself. For the same reason nothing is called once the value is out.
    #[inline(always)]
    fn take_from_hand(&mut self) -> Chunk<T> {
        let seq = self.received;
        let lease = LeaseRef::new(self.timing.lease_for(seq, self.shared.probes(), &self.lease));
        self.received = seq.wrapping_add(1);
        let Some(Entry { value, cost_bytes }) = self.batch.pop_front() else {
            unreachable!("there is one in hand");
        };
        Chunk::from_parts(value, seq, CreditGuard::new(lease, self.shared.cost_at(cost_bytes)))
    }

    /// Goes for more; `None` if there is nothing yet. The waker, if there is one, is then left to be told.
    fn refill(&mut self, waker: &mut Option<Waker>) -> Option<Refill> {
        // After a cancel or a failure that discards, this is what it left in our hand.
        if !self.batch.is_empty() {
            drop(self.shared.unreceived(std::mem::take(&mut self.batch)));
        }
        if let Some(outcome) = &self.outcome {
            return Some(Refill::Over(outcome.clone()));
        }
        let refill = self.shared.refill(&mut self.batch, self.received, waker);
        match &refill {
            Some(Refill::More) => self.timing.on_refill(self.received, self.shared.probes()),
            Some(Refill::Over(outcome)) => self.outcome = Some(outcome.clone()),
            None => {}
        }
        refill
    }

    #[inline(never)]
    fn poll_refill(&mut self, cx: &Context<'_>) -> Poll<Refill> {
        if !self.shared.looks_empty() {
            if let Some(refill) = self.refill(&mut None) {
                self.turns.found(self.batch.len());
                return Poll::Ready(refill);
            }
        }
        if self.turns.nothing_found() {
            // To come back of its own accord.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        // Cloned before the lock and dropped after it: a waker is user code.
        let mut spare = Some(cx.waker().clone());
        self.refill(&mut spare).map_or(Poll::Pending, Poll::Ready)
    }
}

/// The future of [`CreditConsumer::recv`].
#[must_use = "futures do nothing unless awaited"]
#[derive(Debug)]
pub struct Receiving<'a, T> {
    consumer: &'a mut CreditConsumer<T>,
}

impl<T> Future for Receiving<'_, T> {
    type Output = Result<Option<Chunk<T>>, RecvError>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().consumer.poll_recv_as(cx)
    }
}

impl<T> Stream for CreditConsumer<T> {
    type Item = Result<Chunk<T>, RecvError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.stream_ended {
            return Poll::Ready(None);
        }
        let received = ready!(self.poll_recv(cx)).transpose();
        self.stream_ended = !matches!(received, Some(Ok(_)));
        Poll::Ready(received)
    }
}

impl<T> Unpin for CreditConsumer<T> {}

impl<T> Drop for CreditConsumer<T> {
    fn drop(&mut self) {
        LeaseRef::clear_spare(&self.lease);
        // What is in hand and not handed out was not received.
        let batch = self.shared.unreceived(std::mem::take(&mut self.batch));
        if batch.is_empty() {
            self.shared.remove_consumer(self.received);
        } else {
            self.shared.cancel(CancelReason::Dropped);
        }
    }
}

impl<T> fmt::Debug for CreditConsumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreditConsumer").field("received", &self.received).finish_non_exhaustive()
    }
}
