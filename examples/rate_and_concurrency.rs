//! A window, a rate and a concurrency: three bounds on three different things, together on one channel.
//!
//! ```text
//!   interval ──▶ send ──▶ ▒▒▒▒▒▒ window ▒▒▒▒▒▒ ──▶ for_each_concurrent
//!   what begins           what is in flight:       what is worked on
//!   per second            queued or worked on      at once
//! ```
//!
//! * The **rate** bounds what begins per second, however quick the work is. It knows nothing of what is unfinished: if
//!   the work slows down, a rate alone goes on piling up.
//! * The **concurrency** bounds what is worked on at once: a pool of connections, the cores. What waits for its turn is
//!   not its concern.
//! * The **window** bounds all that is unfinished, waiting or worked on, and so the memory. It sets no pace: with quick
//!   work a window of 4 lets thousands through in a second.
//!
//! So the window is at least the concurrency (else that is never reached), and beyond it as much as is to be at hand
//! when a worker becomes free.
//!
//! ```sh
//! cargo run --example rate_and_concurrency
//! ```
//!
//! The clock is tokio's paused one, which jumps from one timer to the next: so the run takes no time, and the numbers
//! are the same each time.

use credit_channel::{Window, channel};
use std::collections::VecDeque;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

const ITEMS: u64 = 500;

/// What is allowed, or what was measured at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Most {
    in_flight: u64,
    per_second: u64,
    at_once: u64,
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let limits = Most { in_flight: 20, per_second: 50, at_once: 4 };
    let small = Most { in_flight: 2, ..limits };
    println!("{:<36} {:>9} {:>10} {:>7}  {:>7}", "", "in flight", "per second", "at once", "took");

    // 4 workers could do 133 per second: the rate is what holds it back, and nothing piles up.
    let most = run("quick work, 30 ms each", limits, Duration::from_millis(30)).await?;
    assert_eq!(most, Most { in_flight: 2, per_second: 50, at_once: 2 });

    // They do 20 per second of the 50 that may begin: it piles up until the window is full, and then 20 begin.
    let most = run("slow work, 200 ms each", limits, Duration::from_millis(200)).await?;
    assert_eq!((most.in_flight, most.at_once), (limits.in_flight, limits.at_once));
    assert!(most.per_second < limits.per_second);

    // A window below the concurrency: two of the workers never have anything to do.
    let most = run("slow work, and a window of 2", small, Duration::from_millis(200)).await?;
    assert_eq!((most.in_flight, most.at_once), (2, 2));
    Ok(())
}

/// Streams items through all three, and measures the most of each.
async fn run(name: &str, limits: Most, work: Duration) -> Result<Most, Box<dyn Error>> {
    let (tx, mut rx) = channel::<u64>(Window::messages(limits.in_flight))?;
    let (at_once, most_at_once) = (AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();

    let produce = async {
        let mut ticks = interval(Duration::from_secs(1) / u32::try_from(limits.per_second)?);
        // A tick that was missed while the window was full is not made up for: that would be a burst beyond the rate.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut begun = VecDeque::new();
        let (mut in_flight, mut per_second) = (0, 0);
        for item in 0..ITEMS {
            ticks.tick().await;
            tx.send(item).await?;
            in_flight = in_flight.max(tx.depth().messages());
            begun.push_back(Instant::now());
            while begun.front().is_some_and(|first| first.elapsed() >= Duration::from_secs(1)) {
                begun.pop_front();
            }
            per_second = per_second.max(u64::try_from(begun.len())?);
        }
        tx.end_and_wait().await?;
        Ok::<_, Box<dyn Error>>((in_flight, per_second))
    };
    let consume = rx.for_each_concurrent(usize::try_from(limits.at_once)?, |item| {
        let (at_once, most_at_once) = (&at_once, &most_at_once);
        async move {
            most_at_once.fetch_max(at_once.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            sleep(work).await;
            at_once.fetch_sub(1, Ordering::Relaxed);
            drop(item); // the credit goes back when the work is done, not when it begins
            Ok::<_, std::convert::Infallible>(())
        }
    });
    let (produced, consumed) = tokio::join!(produce, consume);
    let ((in_flight, per_second), _) = (produced?, consumed?);

    let most = Most { in_flight, per_second, at_once: most_at_once.into_inner() };
    let took = start.elapsed();
    for (what, Most { in_flight, per_second, at_once }, took) in
        [(name, most, format!("{:.1} s", took.as_secs_f64())), ("   of at most", limits, String::new())]
    {
        println!("{what:<36} {in_flight:>9} {per_second:>10} {at_once:>7}  {took:>7}");
    }
    assert!(most.in_flight <= limits.in_flight, "the window");
    assert!(most.per_second <= limits.per_second, "the rate");
    assert!(most.at_once <= limits.at_once, "the concurrency");
    Ok(most)
}
