//! The live line on the terminal.

use crate::numbers::grouped;
use crate::rates::per_second;
use credit_channel::{Credit, Window};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval};

const PERIOD: Duration = Duration::from_millis(200);

/// What the line shows at a moment.
#[derive(Debug)]
pub(crate) struct Moment {
    /// Rows so far: what the rate is computed from.
    pub(crate) rows: u64,
    /// How far the bar is, in the units of its length.
    pub(crate) position: u64,
    /// What stands before the rate, and behind it.
    pub(crate) texts: [String; 2],
}

/// A line that knows how much there will be, if anybody does. On a stderr that is no terminal it stays hidden.
pub(crate) fn line(length: Option<u64>) -> ProgressBar {
    let template = if length.is_some() { "[{bar:10}] {percent:>3}%  {wide_msg}" } else { "{wide_msg}" };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()).with_style(style.progress_chars("=> "))
}

/// Redraws the line a few times a second, for as long as it is polled. The rows know nothing of it: it asks.
pub(crate) async fn watch(line: ProgressBar, look: impl Fn(Duration) -> Moment) {
    let started = Instant::now();
    let mut ticks = interval(PERIOD);
    // Frames that were missed are of no use to anybody.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut last_rows, mut last_time) = (0, started);
    loop {
        ticks.tick().await;
        let now = Instant::now();
        let Moment { rows, position, texts: [before, behind] } = look(now - started);
        let rate = grouped(per_second(rows - last_rows, now - last_time));
        (last_rows, last_time) = (rows, now);
        line.set_position(position);
        line.set_message(format!("{before}  {rate}/s  {behind}"));
    }
}

/// `61/64` or `61/64, 3,904/4,096 B`: what is in flight, of what may be.
pub(crate) fn of_window(amount: Credit, window: Window) -> String {
    let messages = window.message_limit().map(|limit| format!("{}/{}", grouped(amount.messages()), grouped(limit)));
    let bytes = window.byte_limit().map(|limit| format!("{}/{} B", grouped(amount.bytes()), grouped(limit)));
    [messages, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
