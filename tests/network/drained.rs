//! I8: what ended the channel does not change when the connection, which is of no more use, goes.

use crate::support::link::{Fate, link};
use crate::support::on_a_paused_clock;
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{CancelReason, Closed, RecvError, SendError, Window};

#[test]
fn producer_of_a_drained_channel_is_told_so_for_ever() {
    on_a_paused_clock(|| async {
        let (near, far, _) = link(1, Fate::fair(), Fate::fair());
        let transport = Transport::new();
        let (opened, accepted) =
            tokio::join!(transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(4)));
        let ((tx, near), (mut rx, far)) = (opened.unwrap(), accepted.unwrap());
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        tx.send(Bytes::from("sent")).await.unwrap();
        assert_eq!(**rx.recv().await.unwrap().unwrap(), *b"sent");
        rx.drain();
        let drained = Closed::Cancelled(CancelReason::Drained);
        assert_eq!(tx.closed().await, drained);
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(CancelReason::Drained));
        // Both ends part, and know all about each other.
        assert_eq!((near.await.unwrap(), far.await.unwrap()), (Ok(()), Ok(())));
        assert_eq!(tx.closed().await, drained);
        let late = Bytes::from("late");
        assert_eq!(
            tx.send(late.clone()).await.unwrap_err(),
            SendError::Closed { value: late, reason: drained.clone() }
        );
        tx.fail("too late");
    });
}
