//! One guard for many values.

use std::ops::Deref;
use std::sync::Arc;

/// A share in what came with a value that became several: the guard goes back when the last share is dropped.
///
/// Every value that [`expand`](super::Stage::expand) makes carries one, and the stage keeps one itself until it has made
/// them all. Dereferences to the guard.
#[derive(Debug)]
pub struct Share<G>(Arc<G>);

impl<G> Share<G> {
    pub(super) fn new(guard: G) -> Self {
        Self(Arc::new(guard))
    }
}

/// One more share.
impl<G> Clone for Share<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G> Deref for Share<G> {
    type Target = G;

    fn deref(&self) -> &G {
        &self.0
    }
}
