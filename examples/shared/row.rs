//! What is exported.

/// A row: the bytes of one line, its line end included.
pub(crate) type Row = Vec<u8>;
