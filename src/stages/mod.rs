//! Stages: what stands between a producer and the work, without the window losing sight of it.
//!
//! A real pipeline is not one hop. Values are converted, dropped, multiplied, joined, worked on by several at once; and
//! in each of these places flow control may quietly end, because something takes in more than it passes on. Here a
//! stage is **pulled**: it asks what is before it for a value when the stage behind it asks for one, and no earlier. And
//! it **carries** the credit: what comes out of it holds the guard of what went in, so that the producer's window counts
//! a value until the work at the far end is done, however many stages lie between.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::stages::Stage;
//! use credit_channel::{Window, channel};
//!
//! let (tx, rx) = channel::<u64>(Window::messages(4))?;
//! let source = tokio::spawn(async move {
//!     for row in 0..100 {
//!         tx.send(row).await?;
//!     }
//!     tx.end_and_wait().await?;
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
//! });
//!
//! let mut rows = rx.filter(|row| row % 10 == 0).map(|row| row * 2);
//! let mut sum = 0;
//! while let Some(row) = rows.recv().await? {
//!     sum += *row; // the producer's credit goes back when `row` is dropped
//! }
//! assert_eq!(sum, 900);
//! source.await?.map_err(|error| error.to_string())?;
//! # Ok(())
//! # }
//! ```
//!
//! # How demand is translated
//!
//! | stage | asked for 10 | asks what is before it | holds at most |
//! |---|---|---|---|
//! | [`map`](Stage::map) | 10 | 10 | nothing |
//! | [`filter`](Stage::filter), [`filter_map`](Stage::filter_map) | 10 | 10, and one more for each value dropped | nothing |
//! | [`expand`](Stage::expand), [`expand_stage`](Stage::expand_stage) | 10 | 1; the next when nothing more comes of it, which may be at once | what is to come of one value |
//! | [`zip`](Stage::zip), [`zip_all`](zip_all()) | 10 | each input for 10 | one value of each input |
//! | [`merge`](merge()) | 10 | 10 altogether, the inputs in turn | nothing |
//! | [`paged`](paged()), 64 and 48 | 10 | a page of 64 at first; then one of 48 each time 48 have left | 64 |
//! | [`map_concurrent`](Stage::map_concurrent), 4 | 10 | 10, and up to 4 at once | 4 |
//! | [`batch`](Stage::batch), 100 | 10 | up to 1,000 | 100, and one that was too heavy |
//! | [`buffer`](Stage::buffer), 8 | 10 | 10, and 8 ahead | 8 |
//! | [`pass_through`](Stage::pass_through), 64 and 48 | 10 | 10, as long as no more than 64 are out | 1, and the credit of up to 47 that are done |
//! | [`windowed`](Stage::windowed) | 10 | 10, as long as no more than its window are out | its window |
//! | [`reorder`](Stage::reorder) | 10 | 10, and one more for each that is early or dropped, until it is full | its limit |
//! | [`detach`](Stage::detach) | 10 | 10 | nothing, and carries nothing |
//! | [`overflow`](crate::overflow) | 10 | nothing: it is offered to, and drops by its policy | its buffer |
//! | [`spawn_workers`](Stage::spawn_workers), [`spawn_batch_workers`](Stage::spawn_batch_workers) | 10 | what fits into its inbox, and one more, also before it is asked | its inbox, and one |
//!
//! Every stage keeps two amounts apart, what it may still pass on and what it has asked for and not got, and sees to it
//! that what it holds and what it is owed never exceed its capacity. [`Demand`] is that arithmetic alone.
//!
//! # Carry and detach
//!
//! A stage carries unless told otherwise. [`detach`](Stage::detach) lets the credit of a value go when the next is asked
//! for: then what is in flight behind it is no longer the producer's concern, and needs a bound of its own
//! ([`windowed`](Stage::windowed), or a channel). What is in flight is then no more than the sum of the windows.
//!
//! # How it ends
//!
//! The end, and an error, pass a stage after what it holds. CANCEL goes the other way, at once: [`Stage::cancel`], or
//! dropping the last stage, reaches every producer at the far end, once. A closure that panics lets its panic through,
//! cancels what is before it with [`CancelReason::HandlerPanic`](crate::CancelReason::HandlerPanic), and the credit of
//! the value in its hand goes back.
//!
//! No stage spawns a task, unless its name says so.

mod batch;
mod boxed;
mod buffer;
mod demand;
mod detach;
mod error;
mod expand;
mod expand_stage;
mod filter;
mod forward;
mod join;
mod map;
mod map_concurrent;
mod merge;
mod paged;
mod pass_through;
mod receiving;
mod reorder;
mod share;
mod source;
mod stage;
mod stream;
pub(crate) mod unwinding;
mod windowed;
mod zip;
mod zip_all;

pub use batch::Batch;
pub use boxed::BoxStage;
pub use buffer::Buffer;
pub use demand::{Demand, DemandError, low_water_mark};
pub use detach::Detach;
pub use error::{ErrorOrder, ForwardError, GapCause, StageError};
pub use expand::Expand;
pub use expand_stage::ExpandStage;
pub use filter::{Filter, FilterMap};
pub use map::Map;
pub use map_concurrent::{MapConcurrent, OnError, Skipped};
pub use merge::{Merge, merge};
pub use paged::{Page, Paged, paged};
pub use pass_through::{Banked, PassThrough};
pub use receiving::Receiving;
pub use reorder::{Reorder, ReorderConfig, ReorderMeter, ReorderStats};
pub use share::Share;
pub use source::{FromStream, from_stream, from_try_stream};
pub use stage::{Received, Stage};
pub use stream::IntoStream;
pub use windowed::Windowed;
pub use zip::Zip;
pub use zip_all::{NoInputs, ZipAll, zip_all};
