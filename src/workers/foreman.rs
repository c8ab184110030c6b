//! The task that runs a pool: takes in, hands out, collects, and adjusts.

use super::admission::Admission;
use super::board::{Board, Tally};
use super::builder::Limits;
use super::job::{Done, Submitted, Work, count, panicked, reason_for};
use super::lineup::Lineup;
use super::sampler::Sampler;
use crate::channel::Closing;
use crate::stages::unwinding::telling;
use crate::stages::{ErrorOrder, Stage, StageError};
use crate::{CancelReason, Chunk, Closed, CreditProducer};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use tokio::task::{JoinError, JoinSet};

/// What it sends: results, with what came in with their values.
type Results<U, G> = CreditProducer<Chunk<U, G>>;

/// The foreman of a pool, one task. Everything in its hands is in the window round the pool: what waits, what is in
/// work, and what waits to come out.
pub(super) struct Foreman<S: Stage, T, U, W> {
    upstream: S,
    /// How the upstream ended, or what the workers failed with: nothing more is taken in.
    over: Option<Result<(), StageError>>,
    queue: VecDeque<Chunk<Submitted<T>, S::Guard>>,
    /// A worker is one of these, for as long as it has something in hand. Dropping them aborts them.
    tasks: JoinSet<Done<U, S::Guard>>,
    lineup: Lineup<U, S::Guard>,
    work: Arc<W>,
    /// None once it has said how it ends.
    out: Option<Results<U, S::Guard>>,
    closing: Closing<Chunk<U, S::Guard>>,
    verdict: Arc<OnceLock<StageError>>,
    sampler: Option<Sampler>,
    admission: Option<Box<dyn Admission>>,
    limits: Limits,
    error_order: ErrorOrder,
    tally: Tally,
    board: Arc<Board>,
    values: PhantomData<fn(T) -> U>,
}

/// What a foreman is given.
pub(super) struct Tools<S: Stage, U, W> {
    pub(super) upstream: S,
    pub(super) work: W,
    pub(super) out: Results<U, S::Guard>,
    pub(super) verdict: Arc<OnceLock<StageError>>,
    pub(super) sampler: Option<Sampler>,
    pub(super) admission: Option<Box<dyn Admission>>,
    pub(super) limits: Limits,
    pub(super) ordered: bool,
    pub(super) error_order: ErrorOrder,
    pub(super) tally: Tally,
    pub(super) board: Arc<Board>,
}

impl<S, T, U, W> Foreman<S, T, U, W>
where
    S: Stage<Value = Submitted<T>>,
    S::Guard: Send + 'static,
    T: Send + 'static,
    U: Send + 'static,
    W: Work<T, U>,
{
    pub(super) fn new(tools: Tools<S, U, W>) -> Self {
        let closing = Closing::new(&tools.out);
        Self {
            upstream: tools.upstream,
            over: None,
            queue: VecDeque::new(),
            tasks: JoinSet::new(),
            lineup: Lineup::new(tools.ordered),
            work: Arc::new(tools.work),
            out: Some(tools.out),
            closing,
            verdict: tools.verdict,
            sampler: tools.sampler,
            admission: tools.admission,
            limits: tools.limits,
            error_order: tools.error_order,
            tally: tools.tally,
            board: tools.board,
            values: PhantomData,
        }
    }

    /// One turn. Ready once the pool is over; what is still in work then is aborted by the drop.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let turn = match self.closing.poll(cx) {
            Poll::Ready(closed) => {
                self.told_to_stop(closed);
                Poll::Ready(())
            }
            // Every pass of the loop takes in, collects or samples something, which uses up the task's budget; what is
            // handed out is no more than what was taken in.
            Poll::Pending => loop {
                let moved = self.collect(cx) | self.take_in(cx) | self.hand_out();
                if self.is_over() {
                    break Poll::Ready(());
                }
                if !moved && !self.adjust(cx) {
                    break Poll::Pending;
                }
            },
        };
        self.count();
        self.board.write(self.tally);
        turn
    }

    // ----- taking in -----

    /// Takes in what has come. The window before this bounds it.
    fn take_in(&mut self, cx: &mut Context<'_>) -> bool {
        let mut moved = false;
        while self.over.is_none() {
            let Poll::Ready(received) = self.upstream.poll_next(cx) else { break };
            moved = true;
            match received {
                Ok(Some(chunk)) => {
                    self.tally.received += 1;
                    self.queue.push_back(chunk);
                }
                Ok(None) => self.over = Some(Ok(())),
                Err(error) => self.over = Some(Err(error)),
            }
        }
        moved
    }

    // ----- handing out -----

    /// Gives every worker that has nothing what waits, up to a batch.
    fn hand_out(&mut self) -> bool {
        let mut moved = false;
        while !self.queue.is_empty() && count(self.tasks.len()) < self.tally.workers {
            let limit = usize::try_from(self.tally.batch).unwrap_or(usize::MAX);
            let batch = self.queue.drain(..limit.min(self.queue.len())).collect();
            let work = Arc::clone(&self.work);
            let abort = self.tasks.spawn(work.run(self.lineup.next_place(), batch));
            self.lineup.began(abort);
            moved = true;
        }
        moved
    }

    // ----- collecting -----

    /// Takes what workers have done, and passes it on.
    fn collect(&mut self, cx: &mut Context<'_>) -> bool {
        let mut moved = false;
        while let Poll::Ready(Some(joined)) = self.tasks.poll_join_next(cx) {
            moved = true;
            match joined {
                Ok(done) => self.collected(done),
                Err(error) => self.broken(error),
            }
        }
        moved
    }

    fn collected(&mut self, done: Done<U, S::Guard>) {
        self.tally.served += count(done.results.len());
        self.tally.work_time += done.took;
        self.observe(&done);
        if let Some(failure) = &done.failure {
            self.give_up(failure);
        }
        self.lineup.finished(done);
        while let Some((chunk, _)) = self.lineup.next() {
            if let Some(out) = &self.out {
                // There is room: the window behind is as large as the one before. If it is closed, the next turn sees it.
                let sent = out.try_send(chunk);
                debug_assert!(!sent.is_err_and(|error| error.is_full()), "what comes out was let in");
            }
        }
    }

    /// Tells the admission how long those took.
    fn observe(&mut self, done: &Done<U, S::Guard>) {
        let Some(admission) = &mut self.admission else { return };
        let now = self.board.now();
        let rate = telling(&mut self.upstream, || {
            for (_, at) in &done.results {
                admission.observe(at.elapsed(), now);
            }
            admission.rate()
        });
        self.board.set_rate(rate);
    }

    /// A task that is no more. Handlers panic into their results; what is left is a destructor that did, and nobody knows
    /// which place will now stay empty. So this one waits for nothing.
    fn broken(&mut self, error: JoinError) {
        // An aborted one was behind a failure.
        if let Ok(payload) = error.try_into_panic() {
            let failure = panicked(&*payload);
            self.give_up(&failure);
            self.end(Err(failure), ErrorOrder::AtOnce);
        }
    }

    // ----- the end -----

    /// Something failed: nothing more is begun, and what is before this is told why.
    fn give_up(&mut self, failure: &StageError) {
        self.queue.clear();
        if !matches!(self.over, Some(Err(_))) {
            if self.over.is_none() {
                self.upstream.cancel(reason_for(failure));
            }
            self.over = Some(Err(failure.clone()));
        }
        if self.error_order == ErrorOrder::AtOnce {
            self.end(Err(failure.clone()), ErrorOrder::AtOnce);
        }
    }

    /// The pool's consumer wants no more, or is gone.
    fn told_to_stop(&mut self, closed: Closed) {
        let reason = match closed {
            Closed::Cancelled(reason) => reason,
            _ => CancelReason::Dropped,
        };
        if self.over.is_none() {
            self.upstream.cancel(reason);
        }
        self.queue.clear();
    }

    /// Says how it ends, if that is known and what comes before it is out.
    fn is_over(&mut self) -> bool {
        if let Some(Err(error)) = self.over.as_ref().filter(|_| self.error_order == ErrorOrder::AtOnce) {
            self.end(Err(error.clone()), ErrorOrder::AtOnce);
        }
        if let Some(failure) = self.lineup.failure() {
            self.end(Err(failure), ErrorOrder::InOrder);
        }
        if let Some(over) = self.over.as_ref().filter(|_| self.queue.is_empty() && self.lineup.is_empty()) {
            self.end(over.clone(), ErrorOrder::InOrder);
        }
        self.out.is_none()
    }

    /// The first one counts.
    fn end(&mut self, over: Result<(), StageError>, order: ErrorOrder) {
        let Some(out) = self.out.take() else { return };
        let Err(error) = over else { return out.end() };
        // A failure on the channel only says that there is a verdict, which is more than a text.
        let _ = self.verdict.set(error.clone());
        match order {
            ErrorOrder::InOrder => out.fail(error.into_failure()),
            ErrorOrder::AtOnce => {
                self.queue.clear();
                out.fail_now(error.into_failure());
            }
        }
    }

    // ----- numbers -----

    /// Asks the controller, if it is time to.
    fn adjust(&mut self, cx: &mut Context<'_>) -> bool {
        self.count();
        let Some(sampler) = &mut self.sampler else { return false };
        if sampler.poll_tick(cx).is_pending() {
            return false;
        }
        let now = self.board.now();
        let sample = sampler.sample(&self.tally, &self.limits, now);
        let plan = telling(&mut self.upstream, || sampler.ask(&sample, now));
        self.tally.workers = plan.workers.clamp(self.limits.min_workers, self.limits.max_workers);
        self.tally.batch = plan.batch.clamp(1, self.limits.max_batch);
        self.tally.last_sample = Some(sample);
        true
    }

    fn count(&mut self) {
        self.tally.queued = count(self.queue.len());
        self.tally.busy = count(self.tasks.len());
    }
}
