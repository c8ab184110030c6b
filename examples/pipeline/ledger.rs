//! The rows, the lines that become of them, and how far the one end is ahead of the other.

use credit_channel::Failure;
use credit_channel::stages::Page;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A row of the ledger.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    number: u64,
    cents: u64,
}

/// What is written: one side of a booking.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    row: u64,
    debit: bool,
    cents: u64,
}

/// A made-up ledger. Counts by itself what the credit is to keep in bounds.
#[derive(Debug)]
pub(crate) struct Ledger {
    rows: u64,
    keep: u64,
    read: AtomicU64,
    dropped: AtomicU64,
    finished: AtomicU64,
    made: AtomicU64,
    written: AtomicU64,
    cents: AtomicU64,
    most_ahead: AtomicU64,
}

impl Ledger {
    pub(crate) fn new(rows: u64, keep: u64) -> Self {
        let zero = AtomicU64::default;
        let (read, dropped, finished, made) = (zero(), zero(), zero(), zero());
        Self { rows, keep, read, dropped, finished, made, written: zero(), cents: zero(), most_ahead: zero() }
    }

    // ----- what the stages do -----

    /// The next page, of at most so many rows.
    pub(crate) async fn page(&self, at_most: u64) -> Result<Page<Row>, Failure> {
        // As a database would: not at once.
        tokio::task::yield_now().await;
        let from = self.read.load(Relaxed);
        let to = self.rows.min(from + at_most);
        self.read.store(to, Relaxed);
        self.most_ahead.fetch_max(self.ahead(), Relaxed);
        let rows = (from..to).map(|number| Row { number, cents: number % 9973 + 1 }).collect();
        Ok(if to == self.rows { Page::last(rows) } else { Page::more(rows) })
    }

    pub(crate) fn keeps(&self, row: &Row) -> bool {
        let keeps = row.number % self.keep == 0;
        if !keeps {
            self.dropped.fetch_add(1, Relaxed);
        }
        keeps
    }

    /// Both sides of the booking, the credit side last.
    pub(crate) fn lines(&self, row: Row) -> [Line; 2] {
        self.made.fetch_add(2, Relaxed);
        let Row { number, cents } = row;
        [true, false].map(|debit| Line { row: number, debit, cents })
    }

    pub(crate) fn write(&self, line: &Line) {
        self.written.fetch_add(1, Relaxed);
        self.cents.fetch_add(if line.debit { line.cents } else { line.cents.wrapping_neg() }, Relaxed);
        if !line.debit {
            self.finished.fetch_add(1, Relaxed);
        }
    }

    // ----- what is known of it -----

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// Rows that passed the filter.
    pub(crate) fn kept(&self) -> u64 {
        self.read() - self.dropped.load(Relaxed).min(self.read())
    }

    /// Lines that became of those.
    pub(crate) fn made(&self) -> u64 {
        self.made.load(Relaxed)
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Rows that were read, and neither dropped nor written.
    fn ahead(&self) -> u64 {
        // In this order: what is finished meanwhile makes it less, not more.
        let read = self.read.load(Relaxed);
        read.saturating_sub(self.dropped.load(Relaxed)).saturating_sub(self.finished.load(Relaxed))
    }

    /// The most there ever were of those.
    pub(crate) fn most_ahead(&self) -> u64 {
        self.most_ahead.load(Relaxed)
    }

    /// Whether both lines of every row that was to be kept were written, and nothing else.
    pub(crate) fn is_complete(&self) -> bool {
        let kept = self.rows.div_ceil(self.keep);
        self.written() == 2 * kept && self.finished.load(Relaxed) == kept && self.cents.load(Relaxed) == 0
    }
}
