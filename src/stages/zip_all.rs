//! As many values as there are inputs, as one.

use super::join::{Asked, Join, Side, Sides};
use super::{Received, Stage};
use crate::CancelReason;
use std::task::{Context, Poll};
use std::{error, fmt};

/// [`Stage::zip`] for any number of inputs of one type: takes one value of each and puts them together, in the order of
/// the inputs. One input is a `map`. Inputs of different kinds get one type by [`boxed`](Stage::boxed).
///
/// How it ends, what it holds and what it carries is as there.
///
/// # Errors
///
/// [`NoInputs`] for none: it would bring nothing, for ever, at once.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::stages::{Stage, from_stream, zip_all};
/// use futures_util::stream;
///
/// let columns = [3, 5, 4].map(|rows| from_stream(stream::iter(0..rows)));
/// let mut table = zip_all(columns.into())?;
/// let mut rows = 0;
/// while let Some(row) = table.recv().await? {
///     assert_eq!(*row, [rows; 3]);
///     rows += 1;
/// }
/// assert_eq!(rows, 3);
/// # Ok(())
/// # }
/// ```
pub fn zip_all<S: Stage>(inputs: Vec<S>) -> Result<ZipAll<S>, NoInputs> {
    if inputs.is_empty() {
        return Err(NoInputs);
    }
    Ok(ZipAll { join: Join::new(inputs.into_iter().map(Side::new).collect()) })
}

/// The stage of [`zip_all`].
#[must_use = "stages do nothing unless polled"]
pub struct ZipAll<S: Stage> {
    join: Join<Vec<Side<S>>>,
}

impl<S: Stage> Stage for ZipAll<S> {
    type Value = Vec<S::Value>;
    type Guard = Vec<S::Guard>;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Received<Self::Value, Self::Guard>> {
        self.join.poll_next(cx)
    }

    fn cancel(&mut self, reason: CancelReason) {
        self.join.cancel(reason);
    }
}

impl<S: Stage> Sides for Vec<Side<S>> {
    type Value = Vec<S::Value>;
    type Guard = Vec<S::Guard>;

    fn ask(&mut self, asked: &mut Asked, cx: &mut Context<'_>) {
        for (number, side) in self.iter_mut().enumerate() {
            asked.ask(number, side, cx);
        }
    }

    fn take(&mut self) -> Option<(Self::Value, Self::Guard)> {
        self.iter().all(Side::holds).then(|| self.iter_mut().filter_map(Side::take).unzip())
    }

    fn cancel(self, reason: &CancelReason) {
        for side in self {
            side.cancel(reason);
        }
    }
}

impl<S: Stage + fmt::Debug> fmt::Debug for ZipAll<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZipAll").field("join", &self.join).finish()
    }
}

/// Nothing was given to be put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoInputs;

impl fmt::Display for NoInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a zip of no inputs would never wait and never end")
    }
}

impl error::Error for NoInputs {}
