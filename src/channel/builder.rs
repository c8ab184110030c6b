//! Opening a channel.

use super::consumer::CreditConsumer;
use super::producer::CreditProducer;
use super::shared::{Shared, TestHooks};
use super::weigher::Weigher;
use crate::{Oversize, Weigh, Window, WindowError};
use std::fmt;

/// Opens a channel for any `T` under a window of messages.
///
/// # Errors
///
/// [`WindowError::Zero`] for a limit of 0; [`WindowError::Unweighed`] if the window counts bytes: then use
/// [`weighted`] or [`Builder::weigh_with`].
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::{Window, channel};
///
/// let (tx, mut rx) = channel(Window::messages(4))?;
/// tokio::spawn(async move {
///     for row in 0..100 {
///         tx.send(row).await.expect("the consumer takes them all");
///     }
///     tx.end();
/// });
///
/// let mut sum = 0;
/// while let Some(row) = rx.recv().await? {
///     sum += *row; // the work; its credit goes back when `row` is dropped
/// }
/// assert_eq!(sum, 4950);
/// # Ok(())
/// # }
/// ```
pub fn channel<T: Send + 'static>(window: Window) -> Result<(CreditProducer<T>, CreditConsumer<T>), WindowError> {
    Builder::new(window).open()
}

/// Opens a channel whose values say what they weigh, under a window of bytes, of messages, or of both.
///
/// # Errors
///
/// [`WindowError::Zero`] for a limit of 0.
///
/// # Examples
///
/// ```
/// use credit_channel::{SendError, TrySendError, Window, weighted};
///
/// let (tx, _rx) = weighted::<Vec<u8>>(Window::bytes(1000).and_messages(8))?;
/// tx.try_send(vec![0; 900])?;
/// assert!(tx.try_send(vec![0; 200]).unwrap_err().is_full());
/// let never = tx.try_send(vec![0; 2000]).unwrap_err();
/// assert!(matches!(never, TrySendError::Refused(SendError::TooLarge { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn weighted<T: Weigh + Send + 'static>(
    window: Window,
) -> Result<(CreditProducer<T>, CreditConsumer<T>), WindowError> {
    Builder::new(window).weigh_with(T::weight_bytes).open()
}

/// Opens a channel with more to say than its window.
///
/// # Examples
///
/// ```
/// use credit_channel::{Builder, Oversize, Window};
///
/// let (tx, _rx) = Builder::new(Window::bytes(1 << 20))
///     .weigh_with(|rows: &Vec<u64>| rows.len() * 8)
///     .oversize(Oversize::Alone)
///     .open()?;
/// tx.try_send(vec![0; 1 << 20]).expect("8 MiB pass alone, since nothing else is in flight");
/// # Ok::<(), credit_channel::WindowError>(())
/// ```
#[must_use]
pub struct Builder<T> {
    window: Window,
    oversize: Oversize,
    weigher: Option<Weigher<T>>,
    hooks: TestHooks,
}

impl<T: Send + 'static> Builder<T> {
    /// A channel under this window.
    pub fn new(window: Window) -> Self {
        Self { window, oversize: Oversize::default(), weigher: None, hooks: TestHooks::default() }
    }

    /// Weighs values in bytes with a closure. It runs on the producer's side, once per value, outside
    /// every lock.
    pub fn weigh_with(self, weigh: impl Fn(&T) -> usize + Send + Sync + 'static) -> Self {
        Self { weigher: Some(Box::new(move |value| Ok(weigh(value)))), ..self }
    }

    /// What becomes of a value that costs more than the whole window. Default: [`Oversize::Refuse`].
    pub fn oversize(self, oversize: Oversize) -> Self {
        Self { oversize, ..self }
    }

    /// Starts the running totals here instead of at 0, so that a test can cross 2³², 2⁶³ or the end of
    /// u64 in a few sends.
    #[doc(hidden)]
    pub fn start_totals_at(self, total: u64) -> Self {
        Self { hooks: TestHooks { start_totals_at: total, ..self.hooks }, ..self }
    }

    /// Has every sender give the runtime one turn before it parks, so that a test and a model can drive that
    /// path, which is else taken where parks happen to be brief.
    #[doc(hidden)]
    pub fn always_one_turn(self) -> Self {
        Self { hooks: TestHooks { always_one_turn: true, ..self.hooks }, ..self }
    }

    /// Has the consumer give the runtime one turn before every park, which it else does where that is likely to
    /// bring something.
    #[doc(hidden)]
    pub fn recv_gives_one_turn(self) -> Self {
        Self { hooks: TestHooks { recv_gives_one_turn: true, ..self.hooks }, ..self }
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// [`WindowError::Zero`] for a limit of 0; [`WindowError::Unweighed`] if the window counts bytes and
    /// there is no weigher.
    pub fn open(self) -> Result<(CreditProducer<T>, CreditConsumer<T>), WindowError> {
        let window = self.window.check()?;
        if window.byte_limit().is_some() && self.weigher.is_none() {
            return Err(WindowError::Unweighed);
        }
        // A window that does not count bytes never asks for them.
        let weigher = self.weigher.filter(|_| window.byte_limit().is_some());
        let (shared, lease) = Shared::new(window, self.oversize, weigher, self.hooks);
        Ok((CreditProducer::new(std::sync::Arc::clone(&shared)), CreditConsumer::new(shared, lease, self.hooks)))
    }
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("window", &self.window)
            .field("oversize", &self.oversize)
            .field("weighs", &self.weigher.is_some())
            .finish()
    }
}
