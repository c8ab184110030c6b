//! What goes through a stage under test, and where it comes from.

use crate::support::{Census, Counted};
use credit_channel::stages::{BoxStage, Received, Stage};
use credit_channel::{CancelReason, Chunk, CreditConsumer, CreditGuard};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

// ----- what goes through -----

/// A number, and the payloads that it was made of: those stay the same, whatever a stage makes of the number.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) n: u64,
    pub(crate) of: Vec<Arc<Payload>>,
}

/// What the window has to bound: counted from its making to its drop.
#[derive(Debug)]
pub(crate) struct Payload {
    _counted: Counted,
    luggage: Mutex<Option<Held>>,
}

impl Item {
    pub(crate) fn new(n: u64, census: &Census) -> Self {
        Self { n, of: vec![Arc::new(Payload { _counted: census.one(), luggage: Mutex::default() })] }
    }

    /// Nothing but the number, where a million of them go through.
    pub(crate) fn bare(n: u64) -> Self {
        Self { n, of: Vec::new() }
    }

    /// The same payloads under another number.
    pub(crate) fn with(self, n: u64) -> Self {
        Self { n, ..self }
    }

    /// Several in one: their numbers added up, all their payloads.
    pub(crate) fn sum(items: impl IntoIterator<Item = Self>) -> Self {
        items.into_iter().fold(Self::bare(0), |mut sum, item| {
            sum.n += item.n;
            sum.of.extend(item.of);
            sum
        })
    }

    /// Its payload drops this in its own `Drop`.
    pub(crate) fn pack(&self, luggage: impl Any + Send) {
        *self.of[0].luggage.lock().unwrap() = Some(Box::new(luggage));
    }
}

// ----- the stage under test -----

/// What a stage carries, whatever it is.
pub(crate) type Held = Box<dyn Any + Send>;
/// A chunk that came out of the stage under test.
pub(crate) type Out = Chunk<Item, Held>;
/// A stage under test.
pub(crate) type Tested = BoxStage<'static, Item, Held>;

/// Makes any stage of items one that can be tested.
pub(crate) fn tested<S>(stage: S) -> Tested
where
    S: Stage<Value = Item> + Send + 'static,
    S::Guard: Send + 'static,
{
    tested_by(stage, |chunk| chunk)
}

/// The same for a stage whose chunks are of another kind.
pub(crate) fn tested_by<S, F, G>(stage: S, turn: F) -> Tested
where
    S: Stage + Send + 'static,
    F: FnMut(Chunk<S::Value, S::Guard>) -> Chunk<Item, G> + Send + 'static,
    G: Send + 'static,
{
    Box::new(Erased { stage, turn })
}

struct Erased<S, F> {
    stage: S,
    turn: F,
}

impl<S, F, G> Stage for Erased<S, F>
where
    S: Stage,
    F: FnMut(Chunk<S::Value, S::Guard>) -> Chunk<Item, G>,
    G: Send + 'static,
{
    type Value = Item;
    type Guard = Held;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Item, Held>> {
        let Self { stage, turn } = self;
        stage.poll_next(cx).map_ok(|received| {
            received.map(|chunk| {
                turn(chunk).map_guard(|guard| {
                    let guard: Held = Box::new(guard);
                    guard
                })
            })
        })
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.stage.cancel(reason);
    }
}

// ----- what is before it -----

/// A channel's consumer that tells what is asked of it.
#[derive(Debug)]
pub(crate) struct Source {
    rx: CreditConsumer<Item>,
    log: Arc<Log>,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Chunks that the stage under test has taken.
    brought: AtomicU64,
    /// Dropped at the next poll, while the stages are being polled.
    dropped_when_polled: Mutex<Vec<Held>>,
}

impl Log {
    pub(crate) fn brought(&self) -> u64 {
        self.brought.load(Ordering::SeqCst)
    }

    pub(crate) fn drop_all(&self) {
        let held = std::mem::take(&mut *self.dropped_when_polled.lock().unwrap());
        drop(held);
    }

    pub(crate) fn drop_when_polled(&self, held: impl Any + Send) {
        self.dropped_when_polled.lock().unwrap().push(Box::new(held));
    }
}

impl Source {
    pub(crate) fn new(rx: CreditConsumer<Item>) -> (Self, Arc<Log>) {
        let log = Arc::<Log>::default();
        (Self { rx, log: Arc::clone(&log) }, log)
    }
}

impl Stage for Source {
    type Value = Item;
    type Guard = CreditGuard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Item, CreditGuard>> {
        self.log.drop_all();
        let received = Stage::poll_next(&mut self.rx, cx);
        if let Poll::Ready(Ok(Some(_))) = &received {
            self.log.brought.fetch_add(1, Ordering::SeqCst);
        }
        received
    }

    fn cancel(&mut self, reason: CancelReason) {
        Stage::cancel(&mut self.rx, reason);
    }
}

/// What is before a stage under test: one source for each of its inputs.
pub(crate) struct Sources(pub(crate) Vec<Source>);

impl Sources {
    /// That of a stage with one input.
    pub(crate) fn one(self) -> Source {
        let [source] = self.many();
        source
    }

    pub(crate) fn many<const N: usize>(self) -> [Source; N] {
        self.0.try_into().expect("as many as the subject says that it has inputs")
    }
}
