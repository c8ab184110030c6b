//! I1 at the drop of a chunk: what the credit stood for is gone before the producer may replace it.

use crate::support::on_both_runtimes;
use credit_channel::{WeakProducer, Window, channel};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Notes the depth of its channel at the moment of its drop.
struct Sees {
    channel: WeakProducer<Self>,
    depth: Arc<AtomicU64>,
}

impl Drop for Sees {
    fn drop(&mut self) {
        if let Some(tx) = self.channel.upgrade() {
            self.depth.store(tx.depth().messages(), Ordering::SeqCst);
            tx.end();
        }
    }
}

#[test]
fn value_is_gone_before_its_credit_is_back() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<Sees>(Window::messages(2)).unwrap();
        let depth = Arc::new(AtomicU64::new(0));
        tx.send(Sees { channel: tx.downgrade(), depth: Arc::clone(&depth) }).await.unwrap();
        drop(rx.recv().await.unwrap());
        assert_eq!((depth.load(Ordering::SeqCst), tx.depth().messages()), (1, 0));
    });
}
