//! What the live line shows.

use crate::numbers::count;
use crate::progress::{Moment, of_window};
use crate::rates::Share;
use crate::report::Report;
use crate::row::Row;
use crate::source::Size;
use credit_channel::WeakProducer;
use std::time::Duration;

/// How long the bar is, in the units in which the run is followed.
pub(crate) fn length(size: Size) -> Option<u64> {
    match size {
        Size::Rows(length) | Size::Bytes(length) => Some(length),
        Size::Unknown => None,
    }
}

/// The run at this moment.
pub(crate) fn look(size: Size, sender: &WeakProducer<Row>, report: &Report, since_start: Duration) -> Moment {
    let (done, stats) = (report.tally(), sender.stats());
    let parked = Share::of(stats.park_time, since_start);
    let in_flight = of_window(stats.depth, stats.window);
    Moment {
        rows: done.rows,
        position: if let Size::Bytes(_) = size { done.bytes } else { done.rows },
        texts: [count(done.rows, "row"), format!("{in_flight} in flight  parked {parked}")],
    }
}
