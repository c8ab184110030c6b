//! What is told to `tracing`: that a channel opened, that it waits, how it ended; never a payload, and nothing per chunk.

#![cfg(feature = "tracing")]

mod support;

use credit_channel::{CancelReason, Window, channel};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::paused;
use tokio::time::sleep;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps every event as one line: its level, then its fields.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0 += &format!(" {}={value}", field.name());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("credit_channel") && *metadata.level() <= Level::DEBUG
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
}

/// What was told while this ran, on a paused clock; the number of the channel is left out.
fn told(run: impl AsyncFnOnce()) -> Vec<String> {
    let listener = Listener::default();
    with_default(listener.clone(), || paused().block_on(run()));
    let lines = listener.0.lock().unwrap().clone();
    lines.into_iter().map(|line| without_channel(&line)).collect()
}

fn without_channel(line: &str) -> String {
    line.split(' ').filter(|word| !word.starts_with("channel=")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_job_that_ends() {
    let lines = told(async || {
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        tx.send("secret").await.unwrap();
        tx.send("secret").await.unwrap();
        let parked = tokio::spawn(async move {
            tx.send("secret").await.unwrap();
            tx.end();
        });
        sleep(Duration::from_millis(30)).await;
        let first = rx.recv().await.unwrap();
        drop(first);
        parked.await.unwrap();
        for _ in 0..2 {
            drop(rx.recv().await.unwrap());
        }
        assert!(rx.recv().await.unwrap().is_none());
    });
    let [opened, parked, ended] = &lines[..] else { panic!("{lines:#?}") };
    assert_eq!(opened, "DEBUG message=channel opened window=2 messages");
    assert_eq!(parked, "DEBUG message=a sender waits for credit, for the first time");
    let fields = "outcome=end reason= duration=30ms chunks=3 bytes=0 max_depth=2 messages parks=1 park_time=30ms";
    assert!(ended.starts_with("INFO message=job ended") && ended.contains(fields), "{ended}");
    assert!(ended.contains("diagnosis=the consumer is the limit"), "{ended}");
    assert!(lines.iter().all(|line| !line.contains("secret")));
}

/// The line waits for the last work, also of guards that nobody looks at.
#[test]
fn a_job_has_ended_when_its_work_is_done() {
    let lines = told(async || {
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        tx.send(0).await.unwrap();
        tx.end();
        let chunk = rx.recv().await.unwrap().unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        drop(rx);
        sleep(Duration::from_secs(5)).await;
        drop(chunk);
    });
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[1].contains("outcome=end reason= duration=5s chunks=1"), "{}", lines[1]);
}

#[test]
fn every_other_outcome_is_named() {
    let lines = told(async || {
        let (tx, rx) = channel::<u64>(Window::messages(2)).unwrap();
        tx.try_send(0).unwrap();
        rx.cancel(CancelReason::other(7, "enough"));
        drop((tx, rx));
        let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
        tx.fail("disk gone");
        assert!(rx.recv().await.is_err());
        drop(rx);
        let (tx, mut rx) = channel::<u64>(Window::messages(2)).unwrap();
        drop(tx);
        assert!(rx.recv().await.is_err());
    });
    let ends: Vec<_> = lines.iter().filter(|line| line.starts_with("INFO")).collect();
    assert_eq!(ends.len(), 3, "one line per job: {lines:#?}");
    assert!(ends[0].contains("outcome=cancel reason=cancelled by the consumer: enough (code 7)"), "{}", ends[0]);
    assert!(ends[1].contains("outcome=error reason=failed by the producer: disk gone"), "{}", ends[1]);
    assert!(ends[2].contains("outcome=abandoned"), "{}", ends[2]);
}

#[test]
fn a_stall_is_a_warning() {
    let lines = told(async || {
        let (tx, mut rx) = channel(Window::messages(1)).unwrap();
        for _ in 0..2 {
            tx.send(0).await.unwrap();
            let parked = tokio::spawn({
                let tx = tx.clone();
                async move { tx.send(1).await.unwrap() }
            });
            let stuck = rx.recv().await.unwrap();
            sleep(Duration::from_millis(1500)).await;
            drop(stuck);
            parked.await.unwrap();
            drop(rx.recv().await.unwrap());
        }
    });
    let warnings: Vec<_> = lines.iter().filter(|line| line.starts_with("WARN")).collect();
    assert_eq!(warnings.len(), 2, "{lines:#?}");
    assert_eq!(warnings[0], "WARN message=senders waited for credit without a break waited=1.5s");
}

/// Why a connection was lost is one line; nothing of a payload, and none per chunk.
#[cfg(feature = "transport")]
#[test]
fn a_connection_that_is_lost_says_why() {
    use bytes::Bytes;
    use credit_channel::transport::Transport;
    use tokio::io::duplex;
    let transport = Transport::new();
    let lines = told(async || {
        for orderly in [true, false] {
            let (near, far) = duplex(1 << 16);
            let ends =
                tokio::join!(transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(4)));
            let ((tx, sending), (mut rx, receiving)) = (ends.0.unwrap(), ends.1.unwrap());
            let (sending, receiving) = (tokio::spawn(sending), tokio::spawn(receiving));
            for _ in 0..100 {
                tx.send(Bytes::from_static(b"secret")).await.unwrap();
                drop(rx.recv().await.unwrap());
            }
            if orderly {
                tx.end();
                assert!(rx.recv().await.unwrap().is_none());
                sending.await.unwrap().unwrap();
            } else {
                sending.abort();
                assert!(rx.recv().await.is_err());
            }
            assert_eq!(receiving.await.unwrap().is_ok(), orderly);
        }
    });
    let of = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!(
        (of("=connection opened"), of("=connection closed"), of("message=connection lost")),
        (4, 2, 1),
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.starts_with("WARN message=connection lost reason=")), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("secret")) && lines.len() < 30, "{lines:#?}");
}
