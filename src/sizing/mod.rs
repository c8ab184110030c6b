//! How large a window should be.

mod formula;

pub(crate) use formula::Need;
