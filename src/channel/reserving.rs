//! Credit first, the value later.

use super::permit::{OwnedPermit, Permit, Permits};
use super::producer::CreditProducer;
use super::sending::Claiming;
use crate::{Credit, SendError, TrySendError};

/// Reserving: waiting for credit without a value in hand.
///
/// A permit holds what it was given: nobody else can use it until it is sent with or dropped. What an idle
/// forwarder does not need it should not reserve.
impl<T> CreditProducer<T> {
    /// Waits for credit for one value, and holds it.
    ///
    /// The permit is for a value of the least cost: 1 message, and 1 byte where bytes are counted. For more
    /// bytes use [`reserve_bytes`](Self::reserve_bytes).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the place in line and nothing else.
    ///
    /// # Errors
    ///
    /// [`SendError::Closed`] if the channel is closed, also while this waits.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use credit_channel::{Window, channel};
    ///
    /// let (tx, mut rx) = channel(Window::messages(2))?;
    /// let permit = tx.reserve().await?; // nothing is produced until there is room for it
    /// permit.send("expensive to make")?;
    /// assert_eq!(*rx.recv().await?.unwrap(), "expensive to make");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn reserve(&self) -> Result<Permit<'_, T>, SendError> {
        self.reserve_bytes(0).await
    }

    /// Waits for credit for one value of at most `bytes` bytes, and holds it.
    ///
    /// # Cancel safety
    ///
    /// As [`reserve`](Self::reserve).
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve), and [`SendError::TooLarge`] if it exceeds the window.
    pub async fn reserve_bytes(&self, bytes: u64) -> Result<Permit<'_, T>, SendError> {
        let credit = self.shared().cost_of_bytes(bytes);
        Claiming::new(self.shared(), credit).await?;
        Ok(Permit::new(self.shared(), credit))
    }

    /// Waits for credit for `n` values of the least cost, all at once, and holds it.
    ///
    /// # Cancel safety
    ///
    /// As [`reserve`](Self::reserve). Nothing is held before all of it can be.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve), and [`SendError::TooLarge`] if `n` exceeds the window.
    pub async fn reserve_many(&self, n: usize) -> Result<Permits<'_, T>, SendError> {
        let (each, all) = self.cost_of_many(n)?;
        if n > 0 {
            Claiming::new(self.shared(), all).await?;
        }
        Ok(Permits::new(self.shared(), all, each, n))
    }

    /// Waits for credit as [`reserve`](Self::reserve) does, in a permit that owns this producer.
    ///
    /// # Cancel safety
    ///
    /// As [`reserve`](Self::reserve); but this producer is dropped with the future, without `end`. Clone
    /// it first if that matters.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Self::reserve).
    pub async fn reserve_owned(self) -> Result<OwnedPermit<T>, SendError> {
        self.reserve_bytes_owned(0).await
    }

    /// Waits for credit as [`reserve_bytes`](Self::reserve_bytes) does, in a permit that owns this producer.
    ///
    /// # Cancel safety
    ///
    /// As [`reserve_owned`](Self::reserve_owned).
    ///
    /// # Errors
    ///
    /// As [`reserve_bytes`](Self::reserve_bytes).
    pub async fn reserve_bytes_owned(self, bytes: u64) -> Result<OwnedPermit<T>, SendError> {
        let credit = self.shared().cost_of_bytes(bytes);
        Claiming::new(self.shared(), credit).await?;
        Ok(OwnedPermit::new(self, credit))
    }

    /// Reserves as [`reserve`](Self::reserve) does, if that needs no waiting.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] if it would have to wait, else as [`reserve`](Self::reserve).
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError> {
        self.try_reserve_bytes(0)
    }

    /// Reserves as [`reserve_bytes`](Self::reserve_bytes) does, if that needs no waiting.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] if it would have to wait, else as [`reserve_bytes`](Self::reserve_bytes).
    pub fn try_reserve_bytes(&self, bytes: u64) -> Result<Permit<'_, T>, TrySendError> {
        let credit = self.shared().cost_of_bytes(bytes);
        self.shared().try_reserve(credit)?;
        Ok(Permit::new(self.shared(), credit))
    }

    /// Reserves as [`reserve_many`](Self::reserve_many) does, if that needs no waiting.
    ///
    /// # Errors
    ///
    /// [`TrySendError::Full`] if it would have to wait, else as [`reserve_many`](Self::reserve_many).
    pub fn try_reserve_many(&self, n: usize) -> Result<Permits<'_, T>, TrySendError> {
        let (each, all) = self.cost_of_many(n)?;
        if n > 0 {
            self.shared().try_reserve(all)?;
        }
        Ok(Permits::new(self.shared(), all, each, n))
    }

    /// Reserves as [`reserve_owned`](Self::reserve_owned) does, if that needs no waiting.
    ///
    /// # Errors
    ///
    /// As [`try_reserve`](Self::try_reserve); the producer comes back beside the error.
    pub fn try_reserve_owned(self) -> Result<OwnedPermit<T>, (Self, TrySendError)> {
        let credit = self.shared().cost_of_bytes(0);
        match self.shared().try_reserve(credit) {
            Ok(()) => Ok(OwnedPermit::new(self, credit)),
            Err(error) => Err((self, error)),
        }
    }

    /// The cost of one value of the least cost, and of `n`, which has to fit in the window even where one
    /// oversized chunk may pass alone.
    fn cost_of_many(&self, n: usize) -> Result<(Credit, Credit), SendError> {
        let each = self.shared().cost_of_bytes(0);
        let cost = each.times(u64::try_from(n).unwrap_or(u64::MAX));
        let limit = self.window().as_credit();
        if cost.fits_in(limit) || self.is_closed() {
            Ok((each, cost))
        } else {
            Err(SendError::TooLarge { value: (), cost, limit })
        }
    }
}
