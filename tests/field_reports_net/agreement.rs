//! Both ends count the same, in the same units, after every batch.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::{LONG_WATCHDOG, assert_balanced, until};
use bytes::Bytes;
use credit_channel::{Credit, Window};

/// In all runs together.
const FRAMES: usize = 10_000;
const BATCHES: [usize; 3] = [1, 5, 10];
const SIZE: usize = 100;

/// streamnative/pulsar-rs#114, apache/pulsar#6173: one end counted batches, the other messages; one with the header, the
/// other without.
#[test]
fn report_23_both_ends_agree_after_every_batch() {
    // Ten of a hundred bytes fill the window to the byte: the header is not counted at either end.
    for window in [Window::messages(10), Window::bytes(1000), Window::messages(10).and_bytes(1000)] {
        let sockets = |carrier| !matches!(carrier, Carrier::InProcess | Carrier::Mpsc | Carrier::Duplex(24));
        over(sockets, LONG_WATCHDOG, move |carrier| agree(carrier, window));
    }
}

async fn agree(carrier: Carrier, window: Window) {
    let Open { tx, mut rx, line } = carrier.open_line::<Bytes>(window).await;
    let mut sent = 0;
    let mut total = Credit::ZERO;
    // Four carriers on two runtimes with three windows.
    for batch in BATCHES.into_iter().cycle() {
        if sent >= FRAMES / 24 {
            break;
        }
        for _ in 0..batch {
            tx.send(vec![7; SIZE].into()).await.unwrap();
        }
        let (messages, bytes) = (u64::try_from(batch).unwrap(), u64::try_from(batch * SIZE).unwrap());
        let full = tx.stats();
        assert!(full.depth.messages() <= messages && full.depth.bytes() <= bytes, "{full:?}");
        if batch == 10 {
            let mut one_more = Box::pin(tx.send(vec![7; 1].into()));
            assert!(crate::support::poll_once(&mut one_more).await.is_pending(), "{full:?}");
        }
        let mut held = Vec::new();
        while held.len() < batch {
            let left = batch - held.len();
            rx.recv_many(&mut held, left).await.unwrap();
        }
        let far = rx.stats();
        assert_eq!(far.depth, full.depth, "at both ends");
        for chunk in held {
            drop(chunk);
            let (near, far) = (tx.stats(), rx.stats());
            assert!(near.released.messages() <= far.released.messages(), "the work is done here first");
            assert_balanced(near, false);
            assert_balanced(far, false);
        }
        total = Credit::new(total.messages() + full.depth.messages(), total.bytes() + full.depth.bytes());
        until(|| tx.stats().depth.is_zero()).await;
        let (near, far) = (tx.stats(), rx.stats());
        assert_eq!((near.released, near.credit, near.sent), (far.released, far.credit, far.sent));
        assert_eq!(near.released, total);
        assert_balanced(near, true);
        sent += batch;
    }
    tx.end_and_wait().await.unwrap();
    assert!(rx.recv().await.unwrap().is_none());
    line.over().await;
}
