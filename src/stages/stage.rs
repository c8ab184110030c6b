//! What a stage is.

use super::{Batch, Buffer, DemandError, Detach, Expand, ExpandStage, Filter, FilterMap, ForwardError, IntoStream};
use super::{Map, MapConcurrent, PassThrough, Receiving, Reorder, ReorderConfig, StageError, Windowed, Zip, forward};
use crate::workers::{Batches, Each, Pool, Workers, WorkersError};
use crate::{CancelReason, Chunk, CreditProducer, WindowError};
use std::task::{Context, Poll};
use std::time::Duration;

/// What a stage brings: a chunk, the clean end, or why there is none.
pub type Received<T, G> = Result<Option<Chunk<T, G>>, StageError>;

/// Something that chunks come out of: a [`CreditConsumer`](crate::CreditConsumer), a source, or a stage on either.
///
/// The methods that make a stage of a stage read like those of `StreamExt`. Where futures' `StreamExt` is in scope too,
/// `rx.map(f)` on a `CreditConsumer` is ambiguous: say `Stage::map(rx, f)`. Further stages are no `Stream`s, unless made
/// one with [`into_stream`](Self::into_stream).
///
/// # For those who write one
///
/// `poll_next` is asked for one chunk at a time. It carries on what came with the values; it passes on the end and the
/// error of what is before it after what it holds, and says the same ever after; a loop of its own that needs no pending
/// poll uses tokio's cooperative budget. `cancel` lets go of what it holds, and is idempotent.
pub trait Stage {
    /// What comes out.
    type Value;
    /// What it carries: what goes back when the work on a value is done.
    type Guard;

    /// Polls for the next chunk. Pending, the task is woken when it is worth another look.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Self::Value, Self::Guard>>;

    /// Stops everything before this: every producer is told the reason, once. What the stage holds is dropped, and its
    /// credit goes back; chunks that came out of it may be finished. After that it brings
    /// [`RecvError::Cancelled`](crate::RecvError::Cancelled), unless it had ended before.
    fn cancel(&mut self, reason: CancelReason);

    /// Receives the next chunk, waiting for it if there is none. `Ok(None)` is the clean end.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped nothing is lost.
    ///
    /// # Errors
    ///
    /// [`StageError`], after what came before it, and again at every later call.
    fn recv(&mut self) -> Receiving<'_, Self>
    where
        Self: Sized,
    {
        Receiving::new(self)
    }

    // ----- one value for one -----

    /// Turns every value into another. Asks for what it is asked for, holds nothing, and keeps the numbers of the
    /// chunks.
    ///
    /// # Panics
    ///
    /// If `f` does: see the [module](super).
    fn map<U, F>(self, f: F) -> Map<Self, F>
    where
        Self: Sized,
        F: FnMut(Self::Value) -> U,
    {
        Map::new(self, f)
    }

    /// [`map`](Self::map) by futures, up to `n` of them under way at once. Nothing is spawned: they run inside this
    /// stage, while it is polled. Values come out in the order they came, and a slow one holds up those behind it,
    /// unless it is [`unordered`](MapConcurrent::unordered).
    ///
    /// Under way or finished and not yet out it holds `n`, and is never further ahead than that; each carries its own
    /// credit, so a window smaller than `n` means fewer at once. What becomes of a failure is to be said by
    /// [`on_error`](MapConcurrent::on_error); by default it ends the stage. Dropped, it drops the futures, and their
    /// credit goes back.
    ///
    /// # Errors
    ///
    /// [`DemandError::NoCapacity`] for an `n` of 0.
    ///
    /// # Panics
    ///
    /// If `f` does, or one of its futures: see the [module](super). What is finished still comes out.
    fn map_concurrent<F, Fut, U, E>(self, n: u64, f: F) -> Result<MapConcurrent<Self, F, Fut, U>, DemandError>
    where
        Self: Sized,
        F: FnMut(Self::Value) -> Fut,
        Fut: Future<Output = Result<U, E>>,
        E: Into<crate::Failure>,
    {
        MapConcurrent::new(self, n, f)
    }

    /// Gathers up to `max` values into one, in the order they came, with all that they carry. Asked for one batch it
    /// asks for `max` values, and holds no more than those. The number of a batch is that of its first value.
    ///
    /// A batch that is not full is passed on when it has lingered for so long since its first value, and at the end, and
    /// before an error. The credit of what was gathered is out meanwhile. If that is the whole window there will be no
    /// more, which no stage can know: so lingering has to end, and a batch is never larger than the window.
    /// `Duration::ZERO` lingers not at all: a batch is what is there when it is asked for. By
    /// [`up_to`](Batch::up_to) it is also full at a weight.
    ///
    /// # Errors
    ///
    /// [`DemandError::NoCapacity`] for a `max` of 0.
    ///
    /// # Panics
    ///
    /// When it is polled outside a tokio runtime with a timer, unless `linger` is zero.
    fn batch(self, max: u64, linger: Duration) -> Result<Batch<Self>, DemandError>
    where
        Self: Sized,
    {
        Batch::new(self, max, linger)
    }

    /// Asks for up to `n` values ahead, and holds them with their credit until they are asked for: so that what is
    /// before it goes on while the consumer works. It asks when it is polled and at no other time; nothing is spawned.
    ///
    /// What was asked for is never more than what came out and `n`; while it is asked for one itself, that one more. With
    /// 0 it passes through. The `n` count in the window of the producer, which has to be larger for it to be of use.
    fn buffer(self, n: u64) -> Buffer<Self>
    where
        Self: Sized,
    {
        Buffer::new(self, n)
    }

    /// Lets the credit of a value go when the next is asked for: its work no longer concerns what is before this stage.
    fn detach(self) -> Detach<Self>
    where
        Self: Sized,
    {
        Detach::new(self)
    }

    // ----- fewer -----

    /// Passes on the values that `keep` wants. The credit of one that is dropped goes back at once, so that the producer
    /// replaces it: whoever waits behind this stage waits for what passes, not for a share of the window. The numbers of
    /// the chunks stay, and show the gaps.
    ///
    /// # Panics
    ///
    /// If `keep` does: see the [module](super).
    fn filter<F>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
        F: FnMut(&Self::Value) -> bool,
    {
        Filter::new(self, keep)
    }

    /// [`filter`](Self::filter) and [`map`](Self::map) in one: drops the values for which `f` gives nothing.
    ///
    /// # Panics
    ///
    /// If `f` does: see the [module](super).
    fn filter_map<U, F>(self, f: F) -> FilterMap<Self, F>
    where
        Self: Sized,
        F: FnMut(Self::Value) -> Option<U>,
    {
        FilterMap::new(self, f)
    }

    // ----- more -----

    /// Turns every value into as many as `f` gives, one after the other, each when it is asked for. The next value is
    /// asked for when nothing more comes of the last one; an empty expansion asks again, an endless one is asked for as
    /// much as is wanted.
    ///
    /// What comes of one value shares in what it carried: that goes back when all of it is done, and nothing more
    /// comes. (Where the iterator's `size_hint` says so, with the last one; else when one more is asked for.) The chunks
    /// are numbered anew, from 0.
    ///
    /// An error from before is heard after the expansion under way.
    ///
    /// # Panics
    ///
    /// If `f` or the iterator does: see the [module](super).
    fn expand<I, F>(self, f: F) -> Expand<Self, I, F>
    where
        Self: Sized,
        I: IntoIterator,
        F: FnMut(Self::Value) -> I,
    {
        Expand::new(self, f)
    }

    /// As [`expand`](Self::expand), where what comes of a value takes its time: `f` gives a stage, say a
    /// [`from_stream`](super::from_stream), or the consumer of a channel, whose credit is carried along. One is drained
    /// after the other.
    ///
    /// # Errors
    ///
    /// If an expansion fails this stage does, with the same error, and cancels what is before it with its text.
    ///
    /// # Panics
    ///
    /// If `f` or the expansion does: see the [module](super).
    #[doc(alias = "flat_map")]
    fn expand_stage<I, F>(self, f: F) -> ExpandStage<Self, I, F>
    where
        Self: Sized,
        I: Stage,
        F: FnMut(Self::Value) -> I,
    {
        ExpandStage::new(self, f)
    }

    // ----- several inputs -----

    /// Puts a value of this and one of `other` together. Asks both for what it is asked for, and holds at most one
    /// value of one of them, until its partner comes. What comes out carries what both carried, and is numbered anew,
    /// from 0. See [`zip_all`](super::zip_all()) for more inputs.
    ///
    /// It ends when one of them has, and cancels the other with a text that says so; a value that has no partner is
    /// dropped, and its credit goes back.
    ///
    /// # Errors
    ///
    /// The first error of either, which cancels the other. If one is found to have ended and the other to have failed, it
    /// is the error; one that stands behind a value without a partner is not found.
    fn zip<B: Stage>(self, other: B) -> Zip<Self, B>
    where
        Self: Sized,
    {
        Zip::new(self, other)
    }

    // ----- back in order -----

    /// Passes the values on in the order of the number that `seq_of` finds in them: several producers, or several
    /// workers, may have mixed them up. What is ahead of its turn is held, credit and all, within the limits that
    /// `config` sets; when those are reached no more is asked for. A duplicate, or one whose number has been passed on
    /// already, is dropped, and its credit goes back at once.
    ///
    /// See [`ReorderConfig`] for what becomes of a gap, and why no more may be held than the window lets through. The
    /// chunks keep the numbers that they had in the channel.
    ///
    /// # Errors
    ///
    /// [`WindowError::Zero`] for a limit of 0.
    ///
    /// # Panics
    ///
    /// If `seq_of` does: see the [module](super).
    fn reorder<F>(self, config: ReorderConfig<Self::Value>, seq_of: F) -> Result<Reorder<Self, F>, WindowError>
    where
        Self: Sized,
        F: FnMut(&Self::Value) -> u64,
    {
        Reorder::new(self, config, seq_of)
    }

    // ----- a window of its own -----

    /// Lets no more than `capacity` chunks be out at once: asked for one more, it waits until one of them is done. The
    /// next is asked for ahead of that and kept, since the end needs no room.
    ///
    /// What it brings carries the credit from before along with its own. Behind a stage that multiplies values, or one
    /// that detaches, this is what bounds them.
    ///
    /// # Errors
    ///
    /// [`WindowError::Zero`] for a capacity of 0.
    fn windowed(self, capacity: u64) -> Result<Windowed<Self>, WindowError>
    where
        Self: Sized,
        Self::Value: Send + 'static,
        Self::Guard: Send + 'static,
    {
        Windowed::new(self, capacity)
    }

    /// Lets no more than `capacity` chunks be out at once, and what they carry back in batches of `low_water`: with 64
    /// and 48 nothing goes back until 48 are done, then all of it at once. A mark of 1 relays one for one;
    /// [`low_water_mark`](super::low_water_mark) has one that suits.
    ///
    /// What is done waits, up to `low_water - 1` of it, for the rest of a batch: by so much the window of the producer is
    /// smaller meanwhile. Nothing waits when no chunk is out, while this stage keeps its consumer waiting, or once it has
    /// ended or is gone; and going back needs no poll. One more than `capacity` is asked for, since the end needs no room.
    ///
    /// # Errors
    ///
    /// [`DemandError`] for a capacity of 0, or a mark of 0 or beyond the capacity: neither would ever let anything go.
    fn pass_through(self, capacity: u64, low_water: u64) -> Result<PassThrough<Self>, DemandError>
    where
        Self: Sized,
    {
        PassThrough::new(self, capacity, low_water)
    }

    // ----- by several workers -----

    /// Has the values handled by a pool of workers, which are tasks: see [`workers`](crate::workers). The results come
    /// out as they are done, or in order if the workers are [`ordered`](Workers::ordered).
    ///
    /// It asks for as much as fits into its inbox, and one more, and carries the credit from before along with its own.
    ///
    /// # Errors
    ///
    /// [`WorkersError`] if the parts do not fit together, or outside of a tokio runtime.
    ///
    /// # Panics
    ///
    /// If there is a controller (for a range of workers there always is), on a runtime without its time driver, as
    /// tokio's timers do. Not if the handler does: that is [`StageError::HandlerPanic`].
    fn spawn_workers<F, Fut, U, E>(
        self,
        workers: Workers,
        handler: F,
    ) -> Result<Pool<U, (crate::CreditGuard, Self::Guard)>, WorkersError>
    where
        Self: Sized + Send + 'static,
        Self::Value: Send + 'static,
        Self::Guard: Send + 'static,
        F: Fn(Self::Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<U, E>> + Send + 'static,
        U: Send + 'static,
        E: Into<crate::Failure> + 'static,
    {
        workers.spawn_on(self, Each(handler))
    }

    /// As [`spawn_workers`](Self::spawn_workers), for a handler of up to a [`batch`](Workers::batch) of values, which
    /// gives back one result for each, at the same place.
    ///
    /// # Errors
    ///
    /// As [`spawn_workers`](Self::spawn_workers).
    ///
    /// # Panics
    ///
    /// As [`spawn_workers`](Self::spawn_workers).
    fn spawn_batch_workers<F, Fut, U, E>(
        self,
        workers: Workers,
        handler: F,
    ) -> Result<Pool<U, (crate::CreditGuard, Self::Guard)>, WorkersError>
    where
        Self: Sized + Send + 'static,
        Self::Value: Send + 'static,
        Self::Guard: Send + 'static,
        F: Fn(Vec<Self::Value>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<U>, E>> + Send + 'static,
        U: Send + 'static,
        E: Into<crate::Failure> + 'static,
    {
        workers.spawn_on(self, Batches(handler))
    }

    // ----- where it goes -----

    /// Handles every chunk, one after the other, and returns how many there were.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the handler's, and with it the chunk in its hand. The stage goes too: what is before it
    /// is cancelled.
    ///
    /// # Errors
    ///
    /// [`StageError::Handler`] with the handler's first error, which cancels what is before this stage with its text;
    /// else what the stage says if it does not end cleanly.
    ///
    /// # Panics
    ///
    /// If the handler does: see the [module](super).
    fn for_each<F, Fut, E>(self, handle: F) -> impl Future<Output = Result<u64, StageError>>
    where
        Self: Sized,
        F: FnMut(Chunk<Self::Value, Self::Guard>) -> Fut,
        Fut: Future<Output = Result<(), E>>,
        E: Into<crate::Failure>,
    {
        forward::for_each(self, handle)
    }

    /// Sends everything into another channel, in one process or over a transport, and waits until all of it is worked
    /// off there. Returns how many chunks there were.
    ///
    /// The credit from before this stage goes back as work is done at the other end of `tx`: so one window bounds what is
    /// in flight over both hops. ([`detach`](Self::detach) first where each is to have its own.) One chunk is asked for
    /// ahead of the credit to send it, since the end needs none. The end, a failure and the loss of the producer go on
    /// as what they are; the other way a CANCEL does.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons `tx`, and cancels what is before this stage.
    ///
    /// # Errors
    ///
    /// [`ForwardError::Stage`] if the stage does not end cleanly, [`ForwardError::Send`] if the other channel takes no
    /// more, with the value if there was one.
    fn forward(self, tx: CreditProducer<Self::Value>) -> impl Future<Output = Result<u64, ForwardError<Self::Value>>>
    where
        Self: Sized,
    {
        forward::forward(self, tx)
    }

    /// A `Stream` of the chunks: they, and then either the end, or one error and then the end.
    fn into_stream(self) -> IntoStream<Self>
    where
        Self: Sized,
    {
        IntoStream::new(self)
    }

    /// Puts it in a box, so that stages of different kinds have one type.
    fn boxed<'a>(self) -> super::BoxStage<'a, Self::Value, Self::Guard>
    where
        Self: Sized + Send + 'a,
    {
        Box::new(self)
    }
}
