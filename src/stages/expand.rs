//! Many values for one, from an iterator.

use super::unwinding::telling;
use super::{Received, Share, Stage};
use crate::sync::coop;
use crate::{CancelReason, Chunk};
use std::fmt;
use std::task::{Context, Poll, ready};

/// The stage of [`Stage::expand`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::Stage;
/// use credit_channel::{Window, channel};
///
/// let (tx, rx) = channel(Window::messages(1))?;
/// tx.send("to be or").await?;
/// let mut words = rx.expand(|line: &str| line.split(' '));
/// let (to, be) = (words.recv().await?.unwrap(), words.recv().await?.unwrap());
/// assert_eq!((*to, be.seq()), ("to", 1));
///
/// drop((to, be)); // "or" is still to come
/// assert_eq!(tx.credit().messages(), 0);
/// # Ok(())
/// # }
/// ```
#[must_use = "stages do nothing unless polled"]
pub struct Expand<S: Stage, I: IntoIterator, F> {
    upstream: S,
    f: F,
    rest: Option<Rest<I::IntoIter, S::Guard>>,
    count: u64,
}

impl<S: Stage, I: IntoIterator, F> Expand<S, I, F> {
    pub(super) fn new(upstream: S, f: F) -> Self {
        Self { upstream, f, rest: None, count: 0 }
    }
}

impl<S, I, F> Stage for Expand<S, I, F>
where
    S: Stage,
    I: IntoIterator,
    F: FnMut(S::Value) -> I,
{
    type Value = I::Item;
    /// A share in what the value before carried.
    type Guard = Share<S::Guard>;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<I::Item, Self::Guard>> {
        let Self { upstream, f, rest, count } = self;
        loop {
            // Neither an endless expansion nor an endless row of empty ones may keep the thread for itself.
            let budget = ready!(coop::poll_proceed(cx));
            // The rest is taken out: if its iterator panics, it goes.
            let made = match rest.take() {
                Some(rest) => telling(upstream, || rest.next()),
                None => match ready!(upstream.poll_next(cx))? {
                    Some(chunk) => telling(upstream, || Rest::first(chunk, &mut *f)),
                    None => return Poll::Ready(Ok(None)),
                },
            };
            budget.made_progress();
            if let Some((value, share, left)) = made {
                *rest = left;
                let seq = *count;
                *count += 1;
                return Poll::Ready(Ok(Some(Chunk::from_parts(value, seq, share))));
            }
        }
    }

    fn cancel(&mut self, reason: CancelReason) {
        // First, so that nobody replaces what is dropped.
        self.upstream.cancel(reason);
        self.rest = None;
    }
}

impl<S: Stage + fmt::Debug, I: IntoIterator, F> fmt::Debug for Expand<S, I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expand").field("upstream", &self.upstream).field("count", &self.count).finish_non_exhaustive()
    }
}

/// What is still to come of one value.
struct Rest<V, G> {
    // Dropped in this order: the credit after what it stands for.
    values: V,
    share: Share<G>,
}

/// A value, its share, and what is still to come.
type Made<V, G> = Option<(<V as Iterator>::Item, Share<G>, Option<Rest<V, G>>)>;

impl<V: Iterator, G> Rest<V, G> {
    /// The first value of a chunk's expansion; an empty one lets go of the chunk.
    fn first<T, I>(chunk: Chunk<T, G>, f: impl FnOnce(T) -> I) -> Made<V, G>
    where
        I: IntoIterator<IntoIter = V, Item = V::Item>,
    {
        let (value, guard) = chunk.into_parts();
        let mut values = f(value).into_iter();
        let first = values.next()?;
        Self { values, share: Share::new(guard) }.after(first)
    }

    fn next(mut self) -> Made<V, G> {
        let value = self.values.next()?;
        self.after(value)
    }

    /// Where the iterator says that there is no more, the last value takes the share along: the credit goes home with
    /// it, though nobody asks again.
    fn after(self, value: V::Item) -> Made<V, G> {
        if self.values.size_hint().1 == Some(0) {
            return Some((value, self.share, None));
        }
        Some((value, self.share.clone(), Some(self)))
    }
}
