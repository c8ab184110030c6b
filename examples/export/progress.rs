//! The live line on the terminal.

use crate::numbers::{Share, count, grouped, per_second};
use crate::report::Report;
use crate::source::Size;
use credit_channel::{Canceller, Credit, Window};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval};

const PERIOD: Duration = Duration::from_millis(200);

/// A line that knows how much there will be. On a stderr that is no terminal it stays hidden.
pub(crate) fn line(size: Size) -> ProgressBar {
    let (length, template) = match size {
        Size::Rows(length) | Size::Bytes(length) => (Some(length), "[{bar:10}] {percent:>3}%  {wide_msg}"),
        Size::Unknown => (None, "{wide_msg}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()).with_style(style.progress_chars("=> "))
}

/// Redraws the line a few times a second, for as long as it is polled. The rows know nothing of it: it asks.
pub(crate) async fn watch(line: ProgressBar, size: Size, channel: Canceller, report: Arc<Report>) {
    let started = Instant::now();
    let mut ticks = interval(PERIOD);
    // Frames that were missed are of no use to anybody.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut last_rows, mut last_time) = (0, started);
    loop {
        ticks.tick().await;
        let (now, done) = (Instant::now(), report.tally());
        let rate = per_second(done.rows - last_rows, now - last_time);
        (last_rows, last_time) = (done.rows, now);
        let stats = channel.stats();
        let parked = Share::of(stats.park_time, now - started);
        let in_flight = of_window(stats.depth, stats.window);
        line.set_position(if let Size::Bytes(_) = size { done.bytes } else { done.rows });
        let rows = count(done.rows, "row");
        line.set_message(format!("{rows}  {}/s  {in_flight} in flight  parked {parked}", grouped(rate)));
    }
}

/// `61/64` or `61/64, 3,904/4,096 B`: what is in flight, of what may be.
pub(crate) fn of_window(amount: Credit, window: Window) -> String {
    let messages = window.message_limit().map(|limit| format!("{}/{}", grouped(amount.messages()), grouped(limit)));
    let bytes = window.byte_limit().map(|limit| format!("{}/{} B", grouped(amount.bytes()), grouped(limit)));
    [messages, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
