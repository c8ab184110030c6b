//! What is published is what the docs list, in name, kind and label.

use crate::recorder::Book;
use bytes::Bytes;
use credit_channel::metrics::{Reporter, describe};
use credit_channel::workers::Workers;
use credit_channel::{Window, weighted};
use std::collections::BTreeSet;

/// Name, kind, label, unit and text of each row.
fn documented() -> Vec<[String; 5]> {
    let docs = include_str!("../../src/metrics/mod.rs").lines().filter_map(|line| line.strip_prefix("//! | `credit_"));
    docs.map(|row| {
        let row = format!("`credit_{}", row.trim_end_matches(" |"));
        let cells = row.split(" | ").map(|cell| cell.trim().trim_matches('`').to_owned());
        cells.collect::<Vec<_>>().try_into().expect("five cells")
    })
    .collect()
}

#[test]
fn every_metric_is_in_the_docs_and_no_other() {
    let book = Book::default();
    book.keep(async || {
        let (tx, _rx) = weighted::<Bytes>(Window::messages(4).and_bytes(1000)).unwrap();
        let (_inbox, pool) = Workers::new(1..=2).spawn(async |n: u64| Ok::<_, std::io::Error>(n)).unwrap();
        let reporter = Reporter::new();
        reporter.watch("channel", tx.meter());
        reporter.watch_workers("pool", pool.meter());
        #[cfg(feature = "transport")]
        {
            let (tx, rx) = crate::connections::pair().await;
            reporter.watch_connection("connection", tx.0.meter(), tx.1.meter());
            reporter.report();
            drop(rx);
        }
        reporter.report();
    });
    let mut expected: BTreeSet<_> = documented()
        .into_iter()
        .map(|[name, kind, label, ..]| {
            let kind = if kind == "gauge" { "gauge" } else { "counter" };
            (name, kind, Some(label).filter(|label| !label.is_empty()))
        })
        .collect();
    #[cfg(not(feature = "transport"))]
    expected.retain(|(name, ..)| !name.contains("_connection_"));
    // Only over a connection, where it was measured.
    assert!(expected.remove(&("credit_channel_round_trip_seconds".to_owned(), "gauge", None)));
    assert_eq!(book.published(), expected);
}

#[test]
fn every_metric_is_described_once() {
    let book = Book::default();
    let expected: Vec<_> = documented().into_iter().map(|[name, _, _, unit, text]| (name, unit, text)).collect();
    let described = || {
        let described = book.described().into_iter();
        let described = described
            .map(|(name, unit, text)| (name, unit.map_or(String::new(), |unit| unit.as_str().to_owned()), text));
        described.collect::<Vec<_>>()
    };
    book.keep(async || {
        let reporter = Reporter::new();
        reporter.report();
        assert_eq!(described(), expected);
        reporter.report();
        assert_eq!(described(), expected, "at the first report alone");
        // A recorder that came later.
        book.clear();
        describe();
        assert_eq!(described(), expected);
    });
}
