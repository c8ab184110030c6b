//! Peers that go on after their last word, and peers that talk and do not listen.

use crate::raw::{Raw, chunk, credit, hello, raw};
use crate::support::carrier::Carrier;
use crate::support::{on_both_runtimes, on_both_runtimes_within};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, Frame, Role};
use credit_channel::{CancelReason, Closed, CreditConsumer, Disconnect, RecvError, Window};
use std::time::Duration;
use tokio::task::JoinHandle;

type Driving = JoinHandle<Result<(), Disconnect>>;

/// A raw producer that says this after its hello, and the consumer that hears it.
async fn consumer_of(said: Vec<Frame<Bytes>>) -> (Raw, CreditConsumer<Bytes>, Driving) {
    let (mut peer, io) = raw().await;
    peer.say([Frame::Hello(hello(Role::Producer))]).await.unwrap();
    let (rx, driver) = Transport::new().consumer::<Bytes>(io, Window::messages(4)).await.unwrap();
    peer.say(said).await.unwrap();
    (peer, rx, tokio::spawn(driver))
}

/// The GOAWAY that the peer gets in the end, if it gets one.
async fn goaway(peer: &mut Raw) -> Option<Code> {
    loop {
        match peer.hear().await? {
            Frame::GoAway { code, .. } => return Some(code),
            _ => continue,
        }
    }
}

/// akka/akka-core#28852: a second terminal in a state that did not expect it blew up.
#[test]
fn report_47_what_follows_the_last_word_breaks_that_connection_and_no_other() {
    on_both_runtimes(|| async {
        let (other_tx, mut other_rx) = Carrier::Tcp.open::<Bytes>(Window::messages(4)).await;
        let end = |count| Frame::End { count, bytes: 0 };
        let error = Frame::Error { code: Code::FAILED, detail: 9, count: 1, discard: false, text: "disk gone".into() };
        let after = [chunk(1, "more"), end(1), error.clone()];
        for first in [end(1), error] {
            for second in after.clone() {
                let (mut peer, mut rx, driving) = consumer_of(vec![chunk(0, "all"), first.clone(), second]).await;
                assert_eq!(goaway(&mut peer).await, Some(Code::STATE));
                drop(peer);
                let chunk = rx.recv().await.unwrap().unwrap();
                assert_eq!(**chunk, *b"all");
                // One outcome: the first.
                for _ in 0..2 {
                    match (&first, rx.recv().await) {
                        (Frame::End { .. }, outcome) => assert!(outcome.unwrap().is_none()),
                        (_, outcome) => {
                            assert!(matches!(outcome, Err(RecvError::Failed(failure)) if failure.code() == 9))
                        }
                    }
                }
                assert!(!rx.cancel(CancelReason::Requested), "too late");
                // The driver says that not all of it went well; after a failure the peer was owed nothing.
                match (&first, driving.await.unwrap()) {
                    (Frame::End { .. }, Err(Disconnect::Violation(rule))) => assert_eq!(rule.code(), Code::STATE.0),
                    (Frame::Error { .. }, Ok(())) => {}
                    (_, driven) => panic!("{driven:?}"),
                }
                other_tx.send(Bytes::from("fine")).await.unwrap();
                assert_eq!(**other_rx.recv().await.unwrap().unwrap(), *b"fine");
            }
        }
    });
}

/// The same at the other end: CANCEL twice, CREDIT and CANCEL after it, CANCEL across END.
#[test]
fn report_47_second_cancel_and_what_follows_it_change_nothing() {
    on_both_runtimes(|| async {
        for ended in [false, true] {
            let (mut peer, io) = raw().await;
            peer.say([Frame::Hello(hello(Role::Consumer)), credit(4, 0)]).await.unwrap();
            let (tx, driver) = Transport::new().producer::<Bytes>(io).await.unwrap();
            let driving = tokio::spawn(driver);
            tx.send(Bytes::from("one")).await.unwrap();
            let watch = tx.clone();
            let ending = if ended { Some(tokio::spawn(tx.end_and_wait())) } else { None };
            let cancel = |code| Frame::Cancel { code, detail: 0, text: String::new() };
            let say = [cancel(Code::TIMEOUT), cancel(Code::CANCELLED), credit(4, 0), cancel(Code::SHUTDOWN)];
            peer.say(say).await.unwrap();
            let first = Closed::Cancelled(CancelReason::Timeout);
            assert_eq!(watch.closed().await, first);
            watch.end();
            if let Some(ending) = ending {
                assert_eq!(ending.await.unwrap(), Err(first));
            }
            while let Some(frame) = peer.hear().await {
                assert!(!matches!(frame, Frame::GoAway { .. }), "nothing of it is an error: {frame:?}");
            }
            drop(peer);
            assert_eq!(driving.await.unwrap(), Ok(()));
        }
    });
}

/// CVE-2019-9512 and its like: what has to be answered comes in a flood, and nothing is read. (That memory stays where it
/// is, is measured with the hostile peers.)
#[test]
fn report_58_flood_ends_its_connection_and_no_other() {
    on_both_runtimes_within(Duration::from_secs(30), || async {
        let (other_tx, mut other_rx) = Carrier::Tcp.open::<Bytes>(Window::messages(4)).await;
        let floods: [fn(u64) -> Frame<Bytes>; 3] =
            [|token| Frame::Ping { token }, |_| credit(4, 0), |_| Frame::Ignored { kind: 0x4A, length: 0 }];
        for flood in floods {
            let (mut peer, io) = raw().await;
            peer.say([Frame::Hello(hello(Role::Consumer)), credit(4, 0)]).await.unwrap();
            let (tx, driver) = Transport::new().linger(Duration::ZERO).producer::<Bytes>(io).await.unwrap();
            let driving = tokio::spawn(driver);
            let flooding = tokio::spawn(async move {
                for n in 0..10_000_u64 {
                    if peer.say((0..100).map(|k| flood(100 * n + k))).await.is_err() {
                        return true;
                    }
                }
                false
            });
            let lost = driving.await.unwrap().unwrap_err();
            let Disconnect::Violation(rule) = &lost else { panic!("{lost:?}") };
            assert_eq!(rule.code(), Code::ENHANCE_CALM.0);
            assert_eq!(tx.closed().await, Closed::Disconnected(lost));
            assert!(flooding.await.unwrap(), "nobody takes a million of them");
            other_tx.send(Bytes::from("fine")).await.unwrap();
            assert_eq!(**other_rx.recv().await.unwrap().unwrap(), *b"fine");
        }
    });
}
