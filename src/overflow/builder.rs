//! Opening one.

use super::shared::{OnDrop, Shared};
use super::{DropReason, Offering, Overflowed, Policy};
use crate::channel::Basin;
use crate::{Window, WindowError};
use std::sync::Arc;
use std::time::Duration;
use std::{error, fmt};

/// Opens an overflow channel: offers go into a buffer under `policy`, and come out under `window`, of messages.
///
/// [`Builder`] has more to say. The [module](super) has an example.
///
/// # Errors
///
/// [`OverflowError`] for a buffer or a window without a place, and for a window that counts bytes.
pub fn channel<T: Send + 'static>(
    policy: Policy<T>,
    window: Window,
) -> Result<(Offering<T>, Overflowed<T>), OverflowError> {
    Builder::new(policy, window).open()
}

/// Opens an overflow channel with more to say than its policy and its window.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use credit_channel::Window;
/// use credit_channel::overflow::{Builder, DropReason, Policy};
/// use std::sync::mpsc;
/// use std::time::Duration;
///
/// let (log, lost) = mpsc::channel();
/// let (tx, _rx) = Builder::new(Policy::drop_newest(1), Window::messages(1))
///     .time_to_live(Duration::from_secs(5))
///     .on_drop(move |sample: u32, reason| _ = log.send((sample, reason)))
///     .open()?;
/// tx.offer(1)?;
/// tx.offer(2)?;
/// assert_eq!(lost.try_recv()?, (2, DropReason::Newest));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Builder<T> {
    policy: Policy<T>,
    window: Window,
    time_to_live: Option<Duration>,
    on_drop: Option<OnDrop<T>>,
}

impl<T: Send + 'static> Builder<T> {
    /// A channel with this buffer and this window. Memory is bounded by both: the buffer holds what its policy says,
    /// and as many again as the window counts may be worked on.
    pub fn new(policy: Policy<T>, window: Window) -> Self {
        Self { policy, window, time_to_live: None, on_drop: None }
    }

    /// Drops values that have been in the buffer for this long, whatever the policy says of a full one. It is looked
    /// for them whenever one is offered or asked for, and before it is judged whether the buffer is full; nothing is
    /// spawned for it. By default values live for ever, and no clock is read.
    ///
    /// The clock is tokio's, so that a test can pause it. A value that waits in line does not age; one that others were
    /// folded into is as old as the last of them.
    pub fn time_to_live(self, time_to_live: Duration) -> Self {
        Self { time_to_live: Some(time_to_live), ..self }
    }

    /// Is told of every value that will not reach the consumer, and why. By default they are just dropped, and counted.
    ///
    /// It runs where the value was lost, in the offer or in the consumer's poll, cancel or drop, and under no lock: it
    /// may use the channel. If it panics, that is for whoever offered or polled; the others are reported all the same.
    pub fn on_drop(self, on_drop: impl Fn(T, DropReason) + Send + Sync + 'static) -> Self {
        Self { on_drop: Some(Box::new(on_drop)), ..self }
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// [`OverflowError`] for a buffer, a window or a time to live of 0, and for a window that counts bytes.
    pub fn open(self) -> Result<(Offering<T>, Overflowed<T>), OverflowError> {
        let Self { policy, window, time_to_live, on_drop } = self;
        if policy.capacity == 0 {
            return Err(OverflowError::NoCapacity);
        }
        if time_to_live.is_some_and(|time| time.is_zero()) {
            return Err(OverflowError::NoTime);
        }
        let window = window.check().map_err(OverflowError::Window)?;
        if window.byte_limit().is_some() {
            return Err(OverflowError::Window(WindowError::Unweighed));
        }
        let shared = Arc::new(Shared::new(policy, time_to_live, on_drop));
        Ok((Offering::new(Arc::clone(&shared)), Overflowed::new(shared, Basin::new(window))))
    }
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("policy", &self.policy)
            .field("window", &self.window)
            .field("time_to_live", &self.time_to_live)
            .field("reports", &self.on_drop.is_some())
            .finish()
    }
}

/// Why an overflow channel was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverflowError {
    /// A buffer without a place: everything would overflow.
    NoCapacity,
    /// A time to live of 0: nothing could ever be taken in time.
    NoTime,
    /// The window was refused.
    Window(WindowError),
}

impl fmt::Display for OverflowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCapacity => f.write_str("a buffer of 0 holds nothing"),
            Self::NoTime => f.write_str("a time to live of 0 lets nothing live"),
            Self::Window(error) => error.fmt(f),
        }
    }
}

impl error::Error for OverflowError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Window(error) => Some(error),
            Self::NoCapacity | Self::NoTime => None,
        }
    }
}
