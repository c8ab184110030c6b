//! The last small thing that is said goes out, though nothing follows.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::until;
use credit_channel::{CancelReason, Closed, Window};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The report says 20 ms. What is held back until more comes takes for ever, and what waits for a timer of the system
/// takes 40; what goes at once does so in one of a few attempts, whatever else this machine does.
const AT_ONCE: Duration = Duration::from_millis(20);
const ATTEMPTS: usize = 10;

/// vectordotdev/vector#2950, PantsForBirds/adsbee#131, composewell/streamly#833.
#[test]
fn report_56_single_small_frames_arrive_without_further_calls() {
    let sockets = |carrier| !matches!(carrier, Carrier::InProcess | Carrier::Mpsc | Carrier::Messages);
    over(sockets, Duration::from_secs(30), |carrier| async move {
        // A window that holds credit back, and one that does not.
        for window in [Window::messages(100), Window::messages(1)] {
            let mut quickest = [Duration::MAX; 4];
            for attempt in 0..ATTEMPTS {
                let idle = Duration::from_millis(if attempt == 0 { 80 } else { 20 });
                for (best, took) in quickest.iter_mut().zip(one_of_each(carrier, window, idle).await) {
                    *best = took.min(*best);
                }
                if quickest.iter().all(|best| *best < AT_ONCE) {
                    break;
                }
            }
            assert!(quickest.iter().all(|best| *best < AT_ONCE), "CHUNK, CREDIT, END, CANCEL: {quickest:?}");
        }
    });
}

/// How long a CHUNK, a CREDIT, an END and a CANCEL take, each after so much silence.
async fn one_of_each(carrier: Carrier, window: Window, idle: Duration) -> [Duration; 4] {
    let Open { tx, mut rx, line } = carrier.open_line::<u64>(window).await;

    sleep(idle).await;
    let start = Instant::now();
    tx.send(1).await.unwrap();
    let in_hand = rx.recv().await.unwrap();
    let chunk = start.elapsed();

    sleep(idle).await;
    let start = Instant::now();
    drop(in_hand);
    until(|| tx.depth().is_zero()).await;
    let credit = start.elapsed();

    sleep(idle).await;
    let start = Instant::now();
    tx.end();
    assert!(rx.recv().await.unwrap().is_none());
    let end = start.elapsed();
    line.over().await;

    let Open { tx, rx, line } = carrier.open_line::<u64>(window).await;
    sleep(idle).await;
    let start = Instant::now();
    assert!(rx.cancel(CancelReason::Requested));
    assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Requested));
    let cancel = start.elapsed();
    line.over().await;
    [chunk, credit, end, cancel]
}
