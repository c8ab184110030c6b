//! What has to be said at once passes the data that waits to be sent.

use crate::raw::{credit, hello, raw};
use crate::support::link::{Fate, Way, link};
use crate::support::{on_a_paused_clock, on_both_runtimes, turns};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Frame, Role};
use credit_channel::{CancelReason, Closed, RecvError, Window};

const SIZE: usize = 1 << 10;
/// What a link holds, what a driver has queued, and a chunk: all that may pass before news of an end does.
const BOUND: u64 = (64 << 10) + (64 << 10) + 2 * 1024;

/// What is said into the saturated flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Cancel,
    Drop,
    FailNow,
}

/// stratum-mining/sv2-apps#801, paxsonsa/murmer-rs#6: data that is always ready starved control.
#[test]
fn report_40_news_of_an_end_passes_a_saturated_flow() {
    for news in [News::Cancel, News::Drop, News::FailNow] {
        for chunks_before in [1, 100, 777] {
            on_a_paused_clock(move || saturate(news, chunks_before));
        }
    }
}

async fn saturate(news: News, chunks_before: u64) {
    let (near, far, wire) = link(40, Fate::fair(), Fate::fair());
    let transport = Transport::new();
    // There is always credit, and always something to send.
    let window = Window::messages(100_000);
    let (producer, consumer) = (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, window));
    let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
    let drivers = [tokio::spawn(near), tokio::spawn(far)];
    let floods = tx.clone();
    let flood = tokio::spawn(async move {
        loop {
            if let Err(error) = floods.send(vec![7; SIZE].into()).await {
                return error.closed().cloned().unwrap();
            }
        }
    });
    for _ in 0..chunks_before {
        drop(rx.recv().await.unwrap().expect("there are more"));
    }
    let said_at = wire.carried(Way::There);
    let ends_as = match news {
        News::Cancel => {
            assert!(rx.cancel(CancelReason::Requested));
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(CancelReason::Requested));
            Closed::Cancelled(CancelReason::Requested)
        }
        News::Drop => {
            drop(rx);
            Closed::Cancelled(CancelReason::Dropped)
        }
        News::FailNow => {
            tx.clone().fail_now("now");
            // What was there already is not handed out any more once the news has come.
            let error = loop {
                if let Err(error) = rx.recv().await {
                    break error;
                }
            };
            assert_eq!(error, RecvError::Failed("now".into()));
            Closed::Failed("now".into())
        }
    };
    assert_eq!(tx.closed().await, ends_as);
    assert_eq!(flood.await.unwrap(), ends_as);
    for driver in drivers {
        assert_eq!(driver.await.unwrap(), Ok(()));
    }
    let passed = wire.carried(Way::There) - said_at;
    assert!(passed <= BOUND, "{news:?}: {passed} bytes went before it");
}

/// The other way round: data goes on although control comes as fast as the peer may say it.
#[test]
fn report_40_data_goes_on_under_a_flood_of_control() {
    on_both_runtimes(|| async {
        let (mut peer, io) = raw().await;
        peer.say([Frame::Hello(hello(Role::Consumer)), credit(4, 0)]).await.unwrap();
        let (tx, driver) = Transport::new().producer::<Bytes>(io).await.unwrap();
        let driving = tokio::spawn(driver);
        let sending = tokio::spawn(async move {
            for _ in 0..900 {
                tx.send(vec![7; SIZE].into()).await.unwrap();
            }
            tx.end_and_wait().await.unwrap();
        });
        let mut received = 0;
        loop {
            match peer.hear().await.unwrap() {
                Frame::Chunk { seq, .. } => {
                    assert_eq!(seq, received);
                    received += 1;
                    // Half of it for nothing, and as much as the chunks pay for.
                    peer.say((0..2).map(|_| credit(received + 4, received))).await.unwrap();
                    turns(1).await;
                }
                Frame::End { count, .. } => break assert_eq!(count, received),
                Frame::Blocked { .. } | Frame::Ping { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        sending.await.unwrap();
        drop(peer);
        assert_eq!(driving.await.unwrap(), Ok(()));
    });
}
