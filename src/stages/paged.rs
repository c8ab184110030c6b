//! A source that is asked for pages.

use super::unwinding::telling;
use super::{Demand, DemandError, ErrorOrder, Received, Stage, StageError};
use crate::channel::{Basin, Meter};
use crate::sync::coop;
use crate::{CancelReason, CreditGuard, Failure, Window};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A source that is asked for a page of values at a time, and never for more than it may hold.
///
/// `fetch` is asked for up to so many values: the whole `capacity` at first, and whatever has become free since each
/// time at least `low_water` could be asked for. A value counts until the work on it is done (its chunk is dropped),
/// so the source is never more than `capacity` ahead of what is really finished, whoever works on it. With 64 and 48 it
/// is asked for 64, then for 48 each time 48 have left: [`Demand`] has the arithmetic.
///
/// A page may be shorter than what was asked for, or empty: that is no end, and it is asked again once there is room
/// for a page (at once, if there is; a source that has nothing for now should wait, not answer with nothing). A longer
/// one is an error. The last page says so ([`Page::last`], [`Page::end`]): a consumer that holds all that came, and
/// waits for the end, would else wait for room that is never free.
///
/// While a page is on its way, what is held can be taken. One page is asked for at a time. Once the source is over, or
/// cancelled, `fetch` is dropped, and what it holds of the source with it.
///
/// # Errors
///
/// [`DemandError`] if the two do not suit each other: see [`low_water_mark`](super::low_water_mark) for one that does.
///
/// # Panics
///
/// When it is polled, if `fetch` or its future does. The source is over then, with
/// [`CancelReason::HandlerPanic`]; what it holds is dropped.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Page, Stage, paged};
///
/// let mut next = 0..100_u64;
/// let mut asked = Vec::new();
/// let mut rows = paged(64, 48, |n: u64| {
///     asked.push(n);
///     let rows: Vec<u64> = next.by_ref().take(n as usize).collect();
///     let page = if next.is_empty() { Page::last(rows) } else { Page::more(rows) };
///     async move { Ok::<_, std::io::Error>(page) }
/// })?;
/// let mut count = 0;
/// while let Some(row) = rows.recv().await? {
///     assert_eq!(*row, count);
///     count += 1;
/// }
/// drop(rows);
/// assert_eq!((count, asked), (100, vec![64, 48]));
/// # Ok(())
/// # }
/// ```
pub fn paged<F, Fut, T, E>(capacity: u64, low_water: u64, fetch: F) -> Result<Paged<F, Fut, T>, DemandError>
where
    F: FnMut(u64) -> Fut,
    Fut: Future<Output = Result<Page<T>, E>>,
    E: Into<Failure>,
    T: Send + 'static,
{
    // As a window is capped.
    let capacity = capacity.min(Window::MAX);
    let demand = Demand::new(capacity, low_water)?;
    Ok(Paged {
        fetch: Some(fetch),
        fetching: None,
        demand,
        low_water,
        basin: Basin::new(Window::messages(capacity)),
        over: None,
        error_order: ErrorOrder::InOrder,
    })
}

/// What a source answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    values: Vec<T>,
    is_last: bool,
}

impl<T> Page<T> {
    /// These, and there may be more.
    pub fn more(values: Vec<T>) -> Self {
        Self { values, is_last: false }
    }

    /// These are the last.
    pub fn last(values: Vec<T>) -> Self {
        Self { values, is_last: true }
    }

    /// There are no more.
    #[must_use]
    pub fn end() -> Self {
        Self::last(Vec::new())
    }
}

/// The stage of [`paged`](paged()).
#[must_use = "stages do nothing unless polled"]
pub struct Paged<F, Fut, T> {
    /// None once it is over: what it holds of the source goes then, not with the stage.
    fetch: Option<F>,
    fetching: Option<Pin<Box<Fut>>>,
    demand: Demand,
    low_water: u64,
    basin: Basin<T>,
    over: Option<Result<(), StageError>>,
    error_order: ErrorOrder,
}

impl<F, Fut, T> Paged<F, Fut, T> {
    /// Whether a failure of the source waits for what it holds. By default it does.
    pub fn error_order(self, error_order: ErrorOrder) -> Self {
        Self { error_order, ..self }
    }

    /// Reads its numbers: `depth` is what it holds or what is being worked on, `reserved` what it is owed, `park_time`
    /// how long it has waited until it could ask for a page.
    #[must_use]
    pub fn meter(&self) -> Meter {
        self.basin.meter()
    }

    fn end(&mut self, over: Result<(), StageError>) {
        let drops_all = over.is_err() && self.error_order == ErrorOrder::AtOnce;
        // First of all: what is dropped below may panic, and then it is over all the same.
        self.over = Some(over);
        self.basin.owe_nothing();
        self.fetching = None;
        self.fetch = None;
        if drops_all {
            self.basin.clear();
        }
    }
}

impl<F, Fut, T, E> Paged<F, Fut, T>
where
    F: FnMut(u64) -> Fut,
    Fut: Future<Output = Result<Page<T>, E>>,
    E: Into<Failure>,
{
    /// Asks for pages as there is room, and takes in what comes. Ready once the source is over.
    fn poll_pages(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StageError>> {
        loop {
            if let Some(over) = &self.over {
                return Poll::Ready(over.clone());
            }
            let mut fetching = match self.fetching.take() {
                Some(fetching) => fetching,
                None => ready!(self.poll_fetch(cx)),
            };
            // A source that answers with nothing, again and again and at once, must not keep the thread for itself.
            let polled = coop::poll_proceed(cx).map(|budget| {
                let polled = telling(self, || fetching.as_mut().poll(cx));
                if polled.is_ready() {
                    budget.made_progress();
                }
                polled
            });
            let Poll::Ready(Poll::Ready(page)) = polled else {
                self.fetching = Some(fetching);
                return Poll::Pending;
            };
            match page {
                Ok(page) => self.take_in(page),
                Err(error) => self.end(Err(StageError::Source(error.into()))),
            }
            if !self.basin.is_empty() {
                return Poll::Pending;
            }
        }
    }

    /// Asks for a page, once there is room for one.
    fn poll_fetch(&mut self, cx: &Context<'_>) -> Poll<Pin<Box<Fut>>> {
        let asked = ready!(self.poll_room(cx));
        // In our hand meanwhile: a panic makes an end of the source, and leaves nothing to be asked again.
        let Some(mut fetch) = self.fetch.take() else { return Poll::Pending };
        let fetching = Box::pin(telling(self, || fetch(asked)));
        self.fetch = Some(fetch);
        Poll::Ready(fetching)
    }

    /// How much may be asked for, once that is enough.
    fn poll_room(&mut self, cx: &Context<'_>) -> Poll<u64> {
        if self.basin.owed() == 0 {
            ready!(self.basin.poll_reserve(self.low_water, cx));
            self.basin.reserve_rest();
            // What the guards brought home has left; what the source did not send was never held.
            self.demand.left(self.basin.owed() - self.demand.free());
            let asked = self.demand.ask();
            debug_assert_eq!(asked, Some(self.basin.owed()), "the arithmetic and the ledger agree");
        }
        Poll::Ready(self.basin.owed())
    }

    fn take_in(&mut self, page: Page<T>) {
        let (asked, came) = (self.basin.owed(), u64::try_from(page.values.len()).unwrap_or(u64::MAX));
        if self.demand.arrived(came).is_err() {
            return self.end(Err(StageError::PageTooLong { asked, came }));
        }
        self.demand.settled();
        for value in page.values {
            self.basin.put(value);
        }
        self.basin.owe_nothing();
        if page.is_last {
            self.end(Ok(()));
        }
    }
}

impl<F, Fut, T, E> Stage for Paged<F, Fut, T>
where
    F: FnMut(u64) -> Fut,
    Fut: Future<Output = Result<Page<T>, E>>,
    E: Into<Failure>,
{
    type Value = T;
    type Guard = CreditGuard;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<T, CreditGuard>> {
        let budget = ready!(coop::poll_proceed(cx));
        // The next page is asked for also while something is at hand.
        let pages = self.poll_pages(cx);
        let received = match (self.basin.take(), pages) {
            (Some(chunk), _) => Ok(Some(chunk)),
            (None, pages) => ready!(pages).map(|()| None),
        };
        budget.made_progress();
        Poll::Ready(received)
    }

    fn cancel(&mut self, reason: CancelReason) {
        if self.over.is_none() {
            self.end(Err(StageError::cancelled(reason)));
            self.basin.clear();
        }
    }
}

impl<F, Fut, T> fmt::Debug for Paged<F, Fut, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paged").field("demand", &self.demand).field("over", &self.over).finish_non_exhaustive()
    }
}
