//! Where a unix socket lies.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A path for a socket of one test, gone when the two have met.
pub(crate) struct SocketPath(PathBuf);

impl SocketPath {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("credit-channel-interop-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self(env::temp_dir().join(name))
    }

    pub(crate) fn text(&self) -> &str {
        self.0.to_str().expect("a path of this test is UTF-8")
    }
}

impl Drop for SocketPath {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
