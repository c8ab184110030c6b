//! A peer that vanishes without a word: the connection is there, and nothing comes any more.

use crate::support::link::{Cut, Fate, Way, link};
use crate::support::{assert_balanced, on_a_paused_clock};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{Closed, Disconnect, RecvError, Timeout, Window};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const KEEPALIVE: Duration = Duration::from_secs(1);
const IDLE: Duration = Duration::from_secs(3);
const SLACK: Duration = Duration::from_secs(1);

/// bearcove/vox#92, hashicorp/yamux#12, grpc/grpc-go#154: both ends waited for ever.
#[test]
fn report_49_both_ends_of_a_silent_connection_are_told_in_time() {
    // From where on nothing is carried: in either direction something was under way or not.
    for busy in [false, true] {
        on_a_paused_clock(move || async move {
            let (near, far, wire) = link(49, Fate::fair(), Fate::fair());
            let transport = Transport::new().keepalive(KEEPALIVE).idle_timeout(IDLE);
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(2)));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let (near, far) = (tokio::spawn(near), tokio::spawn(far));
            // Both live on through silence that is none of the connection.
            sleep(100 * IDLE).await;
            tx.send(Bytes::from("1")).await.unwrap();
            tx.send(Bytes::from("2")).await.unwrap();
            let guards = (rx.recv().await.unwrap().unwrap(), rx.recv().await.unwrap().unwrap());
            let parked = tx.clone();
            let parked = tokio::spawn(async move { (parked.send(Bytes::from("3")).await, Instant::now()) });
            let receives = tokio::spawn(async move { (rx.recv().await.map(drop), Instant::now(), rx) });
            sleep(KEEPALIVE / 2).await;
            let guards = if busy {
                // A CREDIT is on its way into the silence, and nobody knows that it does not arrive.
                wire.cut_now(Way::Back, Cut::Silence);
                drop(guards.0);
                (None, guards.1)
            } else {
                wire.cut_now(Way::There, Cut::Silence);
                (Some(guards.0), guards.1)
            };
            let since = Instant::now();

            let gone = Disconnect::Timeout(Timeout::Idle);
            let (sent, at) = parked.await.unwrap();
            assert_eq!(sent.unwrap_err().closed(), Some(&Closed::Disconnected(gone.clone())));
            assert!(at - since <= IDLE + KEEPALIVE + SLACK, "{:?}", at - since);
            let (received, at, rx) = receives.await.unwrap();
            assert_eq!(received, Err(RecvError::Truncated { received: 2, reason: gone.clone() }));
            assert!(at - since <= IDLE + KEEPALIVE + SLACK, "{:?}", at - since);
            assert_eq!(tx.closed().await, Closed::Disconnected(gone.clone()));

            assert_eq!((near.await.unwrap(), far.await.unwrap()), (Err(gone.clone()), Err(gone)));
            drop(guards);
            assert_balanced(rx.stats(), true);
            assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
        });
    }
}
