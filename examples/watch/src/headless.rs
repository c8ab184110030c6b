//! Without a terminal, and the table at the end.

use crate::Ended;
use crate::look::Look;
use crate::session::{EVERY, Session};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Looks at the jobs for so long. The error is a line for people.
pub(crate) fn run(session: &mut Session, time: Duration, interrupted: &AtomicBool) -> Result<Ended, String> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        thread::sleep(EVERY);
        session.look()?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Ended::Interrupted);
        }
    }
    Ok(Ended::AsAsked)
}

/// The last look at each job.
pub(crate) fn table(session: &Session) -> String {
    let width = session.histories().iter().map(|history| history.name.chars().count()).max().unwrap_or(0).max(3);
    let mut text = format!("{:<width$}  {:>9}  parked  idle  chunks/s  diagnosis\n", "job", "in flight");
    for (_, history) in session.jobs() {
        if let Some(look) = history.looks.back() {
            let Look { depth, window, rate, diagnosis, .. } = look;
            let (held, park, idle) = (format!("{depth}/{window}"), look.park_share * 100.0, look.idle_share * 100.0);
            let name = &history.name;
            let _ = writeln!(text, "{name:<width$}  {held:>9}  {park:>4.0} %  {idle:>2.0} %  {rate:>8.0}  {diagnosis}");
        }
    }
    text
}
