//! The peer is held against the same vectors as our codec (`tests/vectors.rs`), and against the conversations: what
//! the other tests find is worth something only if it speaks the protocol itself.

use crate::peer::{Peer, interop};

pub(crate) const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors");

#[test]
fn python_reads_and_writes_every_vector() {
    interop(async {
        let report = Peer::script("vectors.py", &[VECTORS]).report().await;
        for file in ["valid.txt", "invalid.txt", "streams.txt", "messages.txt"] {
            assert!(report.number(file) >= 10, "{file} was read: {report:?}");
        }
    });
}

#[test]
fn python_holds_every_conversation() {
    interop(async {
        let report = Peer::script("conversations.py", &[VECTORS]).report().await;
        assert!(report.number("conversations.txt") >= 50, "{report:?}");
    });
}
