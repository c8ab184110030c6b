//! What each stage holds, is owed, and has waited for: a few lines that are drawn anew all the time.

use crate::args::Args;
use crate::chain::{CAPACITY, Numbered};
use crate::ledger::Ledger;
use crate::numbers::{count, grouped};
use credit_channel::workers::PoolMeter;
use credit_channel::{Meter, Stats, WeakProducer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_millis(200);

/// Where the stages leave what their numbers are read from, as they are made.
#[derive(Debug)]
pub(crate) struct Board {
    ledger: Arc<Ledger>,
    started: Instant,
    lines: ProgressBar,
    source: OnceLock<Meter>,
    hop: OnceLock<WeakProducer<Numbered>>,
    workers: OnceLock<PoolMeter>,
}

impl Board {
    pub(crate) fn new(args: &Args, ledger: Arc<Ledger>) -> Result<Self, String> {
        let style = ProgressStyle::with_template("{msg}").map_err(|error| error.to_string())?;
        let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let lines = ProgressBar::with_draw_target(None, target).with_style(style);
        let (source, hop, workers) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self { ledger, started: Instant::now(), lines, source, hop, workers })
    }

    // Each is set once, by the one who makes the stage.

    pub(crate) fn source(&self, meter: Meter) {
        let _ = self.source.set(meter);
    }

    pub(crate) fn hop(&self, producer: WeakProducer<Numbered>) {
        let _ = self.hop.set(producer);
    }

    pub(crate) fn workers(&self, meter: PoolMeter) {
        let _ = self.workers.set(meter);
    }

    /// Draws the table a few times a second, for as long as it is polled.
    pub(crate) async fn draw(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(PERIOD);
        loop {
            ticks.tick().await;
            self.lines.set_message(self.table());
        }
    }

    pub(crate) fn clear(&self) {
        self.lines.finish_and_clear();
    }

    /// The last table, and what it proves.
    pub(crate) fn summary(&self) -> String {
        let (ledger, seconds) = (&self.ledger, self.started.elapsed().as_secs_f64());
        let mut text = self.table();
        let _ = writeln!(
            text,
            "\n\n{} read, {} kept, {} written in {seconds:.2} s",
            count(ledger.read(), "row"),
            grouped(ledger.kept()),
            count(ledger.written(), "line")
        );
        let _ = writeln!(
            text,
            "rows read and not written: at most {}, the source's capacity is {CAPACITY}",
            ledger.most_ahead()
        );
        text
    }

    fn table(&self) -> String {
        let mut text = format!("{:<10} {:>13} {:>6} {:>10}   {}", "stage", "held", "owed", "parked", "passed on");
        if let Some(meter) = self.source.get() {
            let stats = meter.stats();
            line(
                &mut text,
                "source",
                &stats,
                &format!("{} of {} rows", grouped(stats.sent), grouped(self.ledger.rows())),
            );
        }
        holds_nothing(&mut text, "filter", &count(self.ledger.kept(), "row"));
        holds_nothing(&mut text, "expand", &count(self.ledger.made(), "line"));
        holds_nothing(&mut text, "zip", "each with its number");
        if let Some(producer) = self.hop.get() {
            let stats = producer.stats();
            line(&mut text, "hop", &stats, &format!("{} lines", grouped(stats.sent)));
        }
        if let Some(meter) = self.workers.get() {
            let stats = meter.stats();
            let passed = format!("{} lines; {} of {} busy", grouped(stats.served), stats.busy, stats.workers);
            line(&mut text, "workers", &stats.inbox, &passed);
        }
        holds_nothing(&mut text, "writer", &count(self.ledger.written(), "line"));
        text
    }
}

/// One that passes on what it is asked for, and holds no more than what is in its hand.
fn holds_nothing(text: &mut String, name: &str, passed: &str) {
    let _ = write!(text, "\n{name:<10} {:>13} {:>6} {:>10}   {passed}", "-", "-", "-");
}

/// One with a window of its own.
fn line(text: &mut String, name: &str, stats: &Stats, passed: &str) {
    let held = format!("{}/{}", stats.depth.messages(), stats.window.message_limit().unwrap_or_default());
    let (owed, parked) = (stats.reserved.messages(), stats.park_time);
    let _ = write!(text, "\n{name:<10} {held:>13} {owed:>6} {:>8.2} s   {passed}", parked.as_secs_f64());
}
