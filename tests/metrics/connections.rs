//! A channel over a connection: both ends, and what goes over it.

use crate::recorder::Book;
use bytes::Bytes;
use credit_channel::metrics::Reporter;
use credit_channel::transport::{Driver, Transport};
use credit_channel::{CreditConsumer, CreditProducer, Window};
use std::time::Duration;
use tokio::time::sleep;

/// The two ends of one in memory, with their drivers.
pub(crate) async fn pair() -> ((CreditProducer<Bytes>, Driver), (CreditConsumer<Bytes>, Driver)) {
    let (here, there) = tokio::io::duplex(64 << 10);
    let (transport, window) = (Transport::new(), Window::messages(4));
    let (tx, rx) = tokio::join!(transport.producer::<Bytes>(here), transport.consumer::<Bytes>(there, window));
    (tx.unwrap(), rx.unwrap())
}

#[test]
fn both_ends_of_a_connection() {
    let book = Book::default();
    book.keep(async || {
        let ((tx, here), (mut rx, there)) = pair().await;
        let (sending, receiving) = (here.meter(), there.meter());
        let reporter = Reporter::new();
        reporter.watch_connection("here", tx.meter(), sending.clone());
        reporter.watch_connection("there", rx.meter(), receiving.clone());
        reporter.report();
        let used = |name: &str| book.gauge(&format!("credit_channel_connection_budget_used{{channel=\"{name}\"}}"));
        assert_eq!((used("here"), used("there")), (1.0, 1.0), "a hello has come");

        let drivers = [tokio::spawn(here), tokio::spawn(there)];
        let producer = tokio::spawn(async move {
            for _ in 0..50 {
                tx.send(Bytes::from_static(b"0123456789")).await.unwrap();
            }
            sleep(Duration::from_secs(1)).await;
            tx.end_and_wait().await.unwrap();
        });
        for _ in 0..50 {
            let chunk = rx.recv().await.unwrap();
            sleep(Duration::from_millis(10)).await;
            drop(chunk);
        }
        sleep(Duration::from_millis(100)).await;
        reporter.report();
        for (name, meter) in [("here", &sending), ("there", &receiving)] {
            let stats = meter.stats();
            let counter = |metric: &str, label: &str| {
                book.counter(&format!("credit_channel_connection_{metric}{{channel=\"{name}\"{label}}}"))
            };
            let frames = [("sent", stats.sent), ("received", stats.received)];
            for (way, counts) in frames {
                let of = |frame: &str| counter(&format!("frames_{way}_total"), &format!(",frame=\"{frame}\""));
                assert_eq!((of("hello"), of("chunk"), of("credit")), (counts.hello, counts.chunk, counts.credit));
                assert_eq!((of("blocked"), of("pong"), of("end")), (counts.blocked, counts.pong, counts.end));
            }
            assert_eq!(counter("read_bytes_total", ""), stats.bytes_read, "{name}");
            assert_eq!(counter("written_bytes_total", ""), stats.bytes_written, "{name}");
            assert_eq!(used(name), Duration::from_secs(1000 - stats.budget_left).as_secs_f64(), "{name}");
            let sent = format!("credit_channel_chunks_sent_total{{channel=\"{name}\"}}");
            assert_eq!(book.counter(&sent), 50, "{name}");
        }
        assert_eq!(sending.stats().sent.chunk, 50);

        assert!(rx.recv().await.unwrap().is_none());
        producer.await.unwrap();
        reporter.report();
        assert_eq!(reporter.watched(), 0, "both ends know that it is over");
        for driver in drivers {
            driver.await.unwrap().unwrap();
        }
    });
}

/// One that is lost leaves the report as well.
#[test]
fn a_connection_that_is_lost() {
    let book = Book::default();
    book.keep(async || {
        let ((tx, here), (mut rx, there)) = pair().await;
        let reporter = Reporter::new();
        reporter.watch_connection("here", tx.meter(), here.meter());
        reporter.watch_connection("there", rx.meter(), there.meter());
        let drivers = [tokio::spawn(here), tokio::spawn(there)];
        tx.send(Bytes::from_static(b"lost")).await.unwrap();
        let chunk = rx.recv().await.unwrap().unwrap();
        drivers[0].abort();
        assert!(rx.recv().await.is_err() && tx.closed().await.to_string() != "");
        reporter.report();
        assert_eq!(reporter.watched(), 1, "its work is not done at the one end");
        drop(chunk);
        reporter.report();
        assert_eq!(reporter.watched(), 0);
    });
}
