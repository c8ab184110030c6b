//! A channel that is over leaves the report, and what it came to stays.

use crate::recorder::Book;
use credit_channel::metrics::Reporter;
use credit_channel::{CancelReason, Window, channel};
use std::time::Duration;
use tokio::time::sleep;

const SENT: &str = "credit_channel_chunks_sent_total{channel=\"job\"}";
const CHANNELS: &str = "credit_channel_channels{channel=\"job\"}";

#[test]
fn a_channel_is_reported_until_its_work_is_done() {
    let book = Book::default();
    book.keep(async || {
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        let reporter = Reporter::new();
        reporter.watch("job", rx.meter());
        tx.send(0).await.unwrap();
        tx.send(1).await.unwrap();
        tx.end();
        // The work on the first chunk is never timed.
        drop(rx.recv().await.unwrap());
        let chunk = rx.recv().await.unwrap().unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        drop(rx);
        sleep(Duration::from_secs(2)).await;
        reporter.report();
        assert_eq!((reporter.watched(), book.gauge(CHANNELS)), (1, 1.0), "somebody is still at work");
        assert_eq!(book.gauge("credit_channel_oldest_work_seconds{channel=\"job\"}"), 2.0);

        drop(chunk);
        reporter.report();
        assert_eq!(reporter.watched(), 0);
        for (series, value) in book.gauges() {
            assert_eq!(value, 0.0, "{series}");
        }
        assert_eq!(book.counter("credit_channel_released_total{channel=\"job\",unit=\"messages\"}"), 2);
        assert_eq!(book.counter("credit_channel_work_microseconds_total{channel=\"job\"}"), 2_000_000);

        book.clear();
        reporter.report();
        assert!(book.gauges().is_empty() && book.counters().is_empty(), "{book:?}");
    });
}

/// However it ends: cancelled, failed, abandoned, and with credit that is gone for good.
#[test]
fn every_ending_is_one() {
    let book = Book::default();
    book.keep(async || {
        let reporter = Reporter::new();
        for ending in 0..5 {
            let (tx, mut rx) = channel(Window::messages(2)).unwrap();
            reporter.watch("job", rx.meter());
            tx.send(0).await.unwrap();
            assert_eq!(reporter.watched(), 1);
            reporter.report();
            match ending {
                0 => drop(rx),
                1 => assert!(rx.cancel(CancelReason::other(1, "enough"))),
                2 => {
                    tx.fail("disk gone");
                    while rx.recv().await.is_ok() {}
                }
                3 => {
                    drop(tx);
                    while rx.recv().await.is_ok() {}
                }
                _ => {
                    rx.recv().await.unwrap().unwrap().into_parts().1.forget();
                    tx.end();
                }
            }
            reporter.report();
            assert_eq!(reporter.watched(), 0, "ending {ending}");
            assert_eq!(book.counter(SENT), ending + 1);
        }
        assert_eq!(book.counter("credit_channel_forgotten_total{channel=\"job\",unit=\"messages\"}"), 1);
    });
}

/// Credit that is reserved has to come home too.
#[test]
fn a_permit_keeps_a_channel_that_is_over() {
    let book = Book::default();
    book.keep(async || {
        let (tx, rx) = channel::<u64>(Window::messages(2)).unwrap();
        let reporter = Reporter::new();
        reporter.watch("job", rx.meter());
        let permit = tx.reserve().await.unwrap();
        drop(rx);
        reporter.report();
        assert_eq!(
            (reporter.watched(), book.gauge("credit_channel_reserved{channel=\"job\",unit=\"messages\"}")),
            (1, 1.0)
        );
        drop(permit);
        reporter.report();
        assert_eq!(reporter.watched(), 0);
    });
}

/// Jobs of one name, one after the other and at once: no counter ever goes down, or loses what came before.
#[test]
fn counters_only_grow() {
    let book = Book::default();
    book.keep(async || {
        let reporter = Reporter::new();
        let mut before = book.counters();
        let mut sent = 0;
        for job in 0..20 {
            let (tx, mut rx) = channel(Window::messages(2)).unwrap();
            reporter.watch("job", rx.meter());
            let producer = tokio::spawn(async move {
                for n in 0..=job {
                    tx.send(n).await.unwrap();
                }
                tx.end();
            });
            while let Some(chunk) = rx.recv().await.unwrap() {
                sleep(Duration::from_millis(chunk.seq())).await;
                if chunk.seq() % 3 == 0 {
                    reporter.report();
                }
                sent += 1;
            }
            producer.await.unwrap();
            if job % 2 == 0 {
                reporter.report();
                assert_eq!(book.counter(SENT), sent);
            }
            let now = book.counters();
            for (series, value) in before {
                assert!(now[&series] >= value, "{series} went from {value} to {}", now[&series]);
            }
            before = now;
        }
        reporter.report();
        assert_eq!((book.counter(SENT), sent), (210, 210));
    });
}
