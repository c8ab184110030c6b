//! What a value weighs in a byte window.

/// The bytes a value costs in a window that counts them.
///
/// Asked once per value, by the producer, outside every lock; the answer travels with the value, so the
/// amount that comes back is exactly the amount that was spent. A weight of 0 counts as 1, so that a
/// stream of empty values is bounded too.
///
/// Count the payload, not the bookkeeping around it: what `len()` says, not what the allocator rounds
/// it up to. For a type of another crate, or another measure, give
/// [`Builder::weigh_with`](crate::Builder::weigh_with) a closure.
///
/// # Examples
///
/// ```
/// use credit_channel::{Weigh, Window, weighted};
///
/// struct Page { rows: Vec<u8>, number: u32 }
/// impl Weigh for Page {
///     fn weight_bytes(&self) -> usize { self.rows.len() }
/// }
///
/// let (tx, _rx) = weighted::<Page>(Window::bytes(1000))?;
/// tx.try_send(Page { rows: vec![0; 600], number: 1 }).ok().expect("600 of 1,000 bytes");
/// assert_eq!(tx.credit().bytes(), 400);
/// # Ok::<(), credit_channel::WindowError>(())
/// ```
pub trait Weigh {
    /// The weight in bytes.
    fn weight_bytes(&self) -> usize;
}

/// Types whose weight is the length of their content.
macro_rules! weigh_by_len {
    ($($(#[$cfg:meta])* $type:ty),+ $(,)?) => {$(
        $(#[$cfg])*
        impl Weigh for $type {
            fn weight_bytes(&self) -> usize {
                self.len()
            }
        }
    )+};
}

weigh_by_len!(
    Vec<u8>,
    Box<[u8]>,
    &'static [u8],
    String,
    &'static str,
    #[cfg(feature = "bytes")]
    bytes::Bytes,
    #[cfg(feature = "bytes")]
    bytes::BytesMut,
);
