//! Every way in which a channel ends, from either side: what is said at one end is what the other is told.

use crate::meeting::{Link, consumer, producer};
use crate::payloads::{SIZES, payloads};
use crate::peer::{Report, interop};
use credit_channel::transport::Transport;
use credit_channel::{CancelReason, Closed, CreditConsumer, CreditProducer, Disconnect, Failure, RecvError, Window};
use std::time::{Duration, Instant};

type Bytes = bytes::Bytes;

/// Sends until that is no longer possible, and says why.
async fn send_until_closed(tx: &CreditProducer<Bytes>) -> Closed {
    for payload in payloads(10_000, SIZES) {
        if let Err(error) = tx.send(payload).await {
            return error.closed().expect("closed, not refused").clone();
        }
    }
    panic!("all was sent, and nobody stopped it");
}

async fn send(tx: &CreditProducer<Bytes>, count: u64) {
    for payload in payloads(count, SIZES) {
        tx.send(payload).await.expect("the peer takes it");
    }
}

/// Receives until there is an end, and says how many and which.
async fn receive_until_over(rx: &mut CreditConsumer<Bytes>) -> (u64, Result<(), RecvError>) {
    let mut received = 0;
    loop {
        match rx.recv().await {
            Ok(Some(_)) => received += 1,
            Ok(None) => return (received, Ok(())),
            Err(error) => return (received, Err(error)),
        }
    }
}

/// A Python consumer with a window of 8 messages.
async fn to_python(arguments: &[&str]) -> (CreditProducer<Bytes>, crate::meeting::Driving, crate::peer::Peer) {
    producer(Link::Tcp, Transport::new(), &[&["--window-messages", "8"], arguments].concat()).await
}

/// A Python producer under a window of 8 messages: what it is told to do, we receive.
async fn from_python(arguments: &[&str]) -> (u64, Result<(), RecvError>, Result<(), Disconnect>, Report) {
    let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), arguments).await;
    let (received, end) = receive_until_over(&mut rx).await;
    (received, end, driving.await.expect("no panic"), peer.report().await)
}

// ----- cancel -----

#[test]
fn python_cancels() {
    interop(async {
        let arguments = ["--cancel-after", "20", "--code", "APPLICATION", "--detail", "77", "--text", "seen enough"];
        let (tx, driving, peer) = to_python(&arguments).await;
        let reason = send_until_closed(&tx).await;
        assert_eq!(reason, Closed::Cancelled(CancelReason::other(77, "seen enough")));
        driving.await.expect("no panic").expect("a cancel is an orderly end");
        let report = peer.report().await;
        assert_eq!(report.outcome(), "CANCELLED APPLICATION");
        assert!((20..=28).contains(&report.number("chunks")), "what was on its way, and no more: {report:?}");
        assert_eq!(report.number("lingered"), 0, "our side closes at once");
    });
}

#[test]
fn python_cancels_a_send_that_waits() {
    interop(async {
        // The window is full with the chunk behind which it cancels, so that the next send waits or will.
        let arguments = ["--cancel-after", "8", "--stalls", "1", "--code", "HANDLER_ERROR", "--text", "row 8 is bad"];
        let (tx, driving, peer) = to_python(&arguments).await;
        let reason = send_until_closed(&tx).await;
        assert_eq!(reason, Closed::Cancelled(CancelReason::HandlerError("row 8 is bad".into())));
        driving.await.expect("no panic").expect("a cancel is an orderly end");
        assert_eq!(peer.report().await.number("chunks"), 8);
    });
}

#[test]
fn we_cancel() {
    interop(async {
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), &[]).await;
        for _ in 0..20 {
            drop(rx.recv().await.expect("no error").expect("there are more"));
        }
        let reason = CancelReason::other(77, "genug, é \u{1F980}");
        assert!(rx.cancel(reason.clone()));
        assert_eq!(receive_until_over(&mut rx).await.1, Err(RecvError::Cancelled(reason)));
        driving.await.expect("no panic").expect("a cancel is an orderly end");
        assert_eq!(peer.report().await.outcome(), "CANCEL APPLICATION 77 genug, é \u{1F980}");
    });
}

#[test]
fn we_drop_the_consumer() {
    interop(async {
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), &[]).await;
        drop(rx.recv().await.expect("no error").expect("there are more"));
        drop(rx);
        driving.await.expect("no panic").expect("a cancel is an orderly end");
        let report = peer.report().await;
        assert!(report.outcome().starts_with("CANCEL DROPPED 0"), "{report:?}");
    });
}

// ----- error -----

#[test]
fn python_fails() {
    interop(async {
        let arguments = ["--fail-after", "100", "--detail", "74", "--text", "disk gone: ü"];
        let (received, end, driven, report) = from_python(&arguments).await;
        assert_eq!(received, 100, "all that it had sent comes before");
        assert_eq!(end, Err(RecvError::Failed(Failure::new("disk gone: ü").with_code(74))));
        assert_eq!((driven, report.outcome()), (Ok(()), "ERROR FAILED"));
    });
}

#[test]
fn python_fails_and_has_the_rest_thrown_away() {
    interop(async {
        let arguments = ["--fail-after", "6", "--discard", "--text", "all of it is wrong"];
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), &arguments).await;
        // Until the connection is over nothing is taken out: then nothing may be handed out any more.
        driving.await.expect("no panic").expect("an orderly end");
        let failed = Err(RecvError::Failed("all of it is wrong".into()));
        assert_eq!(receive_until_over(&mut rx).await, (0, failed));
        assert_eq!(peer.report().await.number("chunks"), 6);
    });
}

#[test]
fn we_fail() {
    interop(async {
        let (tx, driving, peer) = to_python(&[]).await;
        send(&tx, 100).await;
        tx.fail(Failure::new("disk gone: ü").with_code(74));
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert_eq!(report.outcome(), "ERROR FAILED 74 disk gone: ü");
        assert_eq!(report.number("chunks"), 100);
        assert_eq!(report.number("lingered"), 0, "our side closes at once");
    });
}

#[test]
fn python_abandons() {
    interop(async {
        let (received, end, driven, _) = from_python(&["--abandon-after", "100"]).await;
        assert_eq!((received, end), (100, Err(RecvError::Abandoned { received: 100 })));
        assert_eq!(driven, Ok(()));
    });
}

#[test]
fn we_abandon() {
    interop(async {
        let (tx, driving, peer) = to_python(&[]).await;
        send(&tx, 100).await;
        drop(tx);
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert!(report.outcome().starts_with("ERROR ABANDONED 0"), "{report:?}");
        assert_eq!(report.number("chunks"), 100);
    });
}

// ----- drain -----

#[test]
fn python_drains() {
    interop(async {
        let (tx, driving, peer) = to_python(&["--drain-after", "20"]).await;
        assert_eq!(send_until_closed(&tx).await, Closed::Cancelled(CancelReason::Drained));
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert!(report.outcome().starts_with("ERROR DRAINED 0"), "{report:?}");
        assert_eq!(report.number("chunks"), tx.stats().sent, "what was accepted before is sent");
    });
}

#[test]
fn we_drain() {
    interop(async {
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), &[]).await;
        for _ in 0..20 {
            drop(rx.recv().await.expect("no error").expect("there are more"));
        }
        rx.drain();
        let (rest, end) = receive_until_over(&mut rx).await;
        assert_eq!(end, Err(RecvError::Cancelled(CancelReason::Drained)));
        driving.await.expect("no panic").expect("an orderly end");
        let report = peer.report().await;
        assert_eq!((report.outcome(), report.number("chunks")), ("ERROR DRAINED", 20 + rest));
    });
}

// ----- the connection goes -----

#[test]
fn python_closes_between_two_frames() {
    interop(async {
        let (received, end, driven, _) = from_python(&["--cut-after", "100"]).await;
        let truncated = RecvError::Truncated { received: 100, reason: Disconnect::Eof };
        assert_eq!((received, end), (100, Err(truncated)));
        assert_eq!(driven, Err(Disconnect::Eof));
    });
}

#[test]
fn python_closes_inside_a_header_and_inside_a_body() {
    for bytes in ["1", "11", "12", "15", "36"] {
        interop(async {
            let (received, end, ..) = from_python(&["--cut-after", "100", "--cut-bytes", bytes]).await;
            let truncated = RecvError::Truncated { received: 100, reason: Disconnect::Eof };
            assert_eq!((received, end), (100, Err(truncated)), "cut after {bytes} bytes");
        });
    }
}

#[test]
fn the_python_producer_crashes() {
    interop(async {
        let arguments = ["--crash-after", "100"];
        let (mut rx, driving, peer) = consumer(Link::Tcp, Transport::new(), Window::messages(8), &arguments).await;
        let (received, end) = receive_until_over(&mut rx).await;
        // Its kernel may have reset the connection, and thrown away what was on the way.
        let Err(RecvError::Truncated { received: told, .. }) = end else { panic!("truncated, not {end:?}") };
        assert!(told == received && received <= 100, "{received} received, {told} by the error");
        assert!(driving.await.expect("no panic").is_err());
        assert_eq!(peer.end().await.0, Some(9));
    });
}

#[test]
fn the_python_consumer_crashes_under_a_send_that_waits() {
    interop(async {
        let (tx, driving, peer) = to_python(&["--crash-after", "8", "--stalls", "1"]).await;
        let reason = send_until_closed(&tx).await;
        assert!(matches!(reason, Closed::Disconnected(_)), "{reason:?}");
        assert!(driving.await.expect("no panic").is_err());
        assert_eq!(peer.end().await.0, Some(9));
    });
}

#[test]
fn python_closes_with_work_outstanding() {
    interop(async {
        let (tx, driving, peer) = to_python(&["--cut-after", "5", "--stalls", "1"]).await;
        send(&tx, 5).await;
        let outcome = tx.end_and_wait().await;
        assert_eq!(outcome, Err(Closed::Disconnected(Disconnect::Eof)), "nobody knows what was worked off");
        assert_eq!(driving.await.expect("no panic"), Err(Disconnect::Eof));
        assert_eq!(peer.report().await.outcome(), "CUT");
    });
}

#[test]
fn our_driver_is_dropped() {
    interop(async {
        let (tx, driving, peer) = to_python(&["--stalls", "1"]).await;
        send(&tx, 8).await;
        driving.abort();
        let report = peer.report().await;
        assert!(report.outcome() == "TRUNCATED" || report.outcome().starts_with("RESET"), "{report:?}");
    });
}

// ----- the end -----

#[test]
fn the_end_waits_for_the_last_work() {
    interop(async {
        let (tx, driving, peer) = to_python(&["--stalls", "1", "--last-work", "0.5"]).await;
        send(&tx, 5).await;
        let ended = Instant::now();
        tx.end_and_wait().await.expect("all is worked off in the end");
        assert!(ended.elapsed() >= Duration::from_millis(400), "not before: {:?}", ended.elapsed());
        driving.await.expect("no panic").expect("an orderly end");
        assert_eq!(peer.report().await.outcome(), "END");
    });
}

#[test]
fn nothing_at_all_and_then_the_end() {
    interop(async {
        let (tx, _, peer) = to_python(&[]).await;
        tx.end_and_wait().await.expect("nothing is worked off at once");
        assert_eq!(peer.report().await.outcome(), "END");
        let (received, end, driven, report) = from_python(&["--chunks", "0"]).await;
        assert_eq!((received, end, driven, report.outcome()), (0, Ok(()), Ok(()), "DONE"));
    });
}
