//! A send that waits for credit over a connection, and what ends its wait.

use crate::support::carrier::{Carrier, Open, over};
use crate::support::{WATCHDOG, turns, until};
use credit_channel::{CancelReason, Closed, CreditProducer, Disconnect, SendError, SendTimeoutError, Window};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What ends the wait.
#[derive(Clone, Copy, Debug)]
enum Ender {
    Token,
    Timeout,
    Cancel,
    ConsumerDropped,
    OwnDriver,
    OtherDriver,
    CloneFails,
    CloneFailsNow,
}

use Ender::{Cancel, CloneFails, CloneFailsNow, ConsumerDropped, OtherDriver, OwnDriver, Timeout, Token};
const ENDERS: [Ender; 8] = [Token, Timeout, Cancel, ConsumerDropped, OwnDriver, OtherDriver, CloneFails, CloneFailsNow];

/// The report says 100 ms. What takes that long takes for ever; what is quick is so in one of a few attempts, whatever
/// else this machine does.
const PROMPT: Duration = Duration::from_millis(100);
const ATTEMPTS: u32 = 10;

fn over_sockets<F, Fut>(test: F)
where
    F: Fn(Carrier) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    over(|carrier| !matches!(carrier, Carrier::InProcess | Carrier::Mpsc | Carrier::Duplex(_)), 2 * WATCHDOG, test);
}

/// grpc/grpc-go#8528: a stream that was blocked on flow control could be neither cancelled nor timed out.
#[test]
fn report_08_everything_that_should_end_a_wait_for_credit_does() {
    over_sockets(|carrier| async move {
        let other = carrier.open_line::<u64>(Window::messages(1)).await;
        for ender in ENDERS {
            let mut attempts = 0;
            while wait_ended_by(ender, carrier).await > PROMPT {
                attempts += 1;
                assert!(attempts < ATTEMPTS, "{ender:?} takes longer than {PROMPT:?} each time");
            }
        }
        // All the while another channel was open, and nothing of it concerns that one.
        let Open { tx, mut rx, line } = other;
        tx.send(1).await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
        tx.end_and_wait().await.unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        line.over().await;
    });
}

/// How long the wait went on, from when it was to end.
async fn wait_ended_by(ender: Ender, carrier: Carrier) -> Duration {
    let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(1)).await;
    tx.send(1).await.unwrap();
    let in_hand = rx.recv().await.unwrap().unwrap();
    let drivers = line.drivers();
    let token = CancellationToken::new();
    let timeout = Duration::from_millis(30);
    let parked = tokio::spawn(park(ender, tx.clone(), token.clone(), timeout));
    // One that ends is no reason to give up for the others.
    tx.clone().end();
    until(|| tx.stats().waiting == 1 || parked.is_finished()).await;
    turns(5).await;

    let start = Instant::now();
    let (mut rx, mut tx) = (Some(rx), Some(tx));
    match ender {
        Token => token.cancel(),
        Timeout => {}
        Cancel => assert!(rx.as_ref().unwrap().cancel(CancelReason::Shutdown)),
        ConsumerDropped => drop(rx.take()),
        OwnDriver => drivers.producer.abort(),
        OtherDriver => drivers.consumer.abort(),
        CloneFails => tx.take().unwrap().fail("a clone"),
        CloneFailsNow => tx.take().unwrap().fail_now("a clone"),
    }
    parked.await.unwrap();
    let took = start.elapsed();
    if let (Token | Timeout, Some(tx)) = (ender, tx) {
        // Nothing was sent, nothing is held, and the channel goes on.
        assert_eq!((tx.stats().sent, tx.stats().waiting), (1, 0));
        drop(in_hand);
        tx.send(3).await.unwrap();
        assert_eq!(*rx.unwrap().recv().await.unwrap().unwrap(), 3);
    }
    took.saturating_sub(if let Timeout = ender { timeout } else { Duration::ZERO })
}

/// Waits for credit, and is told what ends that.
async fn park(ender: Ender, tx: CreditProducer<u64>, token: CancellationToken, timeout: Duration) {
    if let Timeout = ender {
        let sent = tx.send_timeout(2, timeout).await;
        assert!(matches!(sent, Err(SendTimeoutError::Timeout(2))), "{sent:?}");
        return tx.end();
    }
    let error = tokio::select! {
        sent = tx.send(2) => sent.unwrap_err(),
        () = token.cancelled() => return tx.end(),
    };
    let SendError::Closed { value: 2, reason } = error else { panic!("{error:?}") };
    match ender {
        Cancel => assert_eq!(reason, Closed::Cancelled(CancelReason::Shutdown)),
        ConsumerDropped => assert_eq!(reason, Closed::Cancelled(CancelReason::Dropped)),
        OwnDriver => assert_eq!(reason, Closed::Disconnected(Disconnect::DriverDropped)),
        OtherDriver => {
            assert!(matches!(reason, Closed::Disconnected(Disconnect::Eof | Disconnect::Io(_))), "{reason:?}");
        }
        _ => assert_eq!(reason, Closed::Failed("a clone".into())),
    }
}

/// rsocket/rsocket-rust#48, #49, rsocket/rsocket-dart#7: told with the next item, or never. (`everywhere` has it for every
/// carrier; here it has to be at once.)
#[test]
fn report_59_idle_producer_is_told_promptly_that_its_consumer_is_gone() {
    over_sockets(|carrier| async move {
        for attempt in 0.. {
            let Open { tx, rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
            let told = tokio::spawn(async move { tx.cancelled().await });
            turns(10).await;
            let start = Instant::now();
            drop(rx);
            assert_eq!(told.await.unwrap(), Some(CancelReason::Dropped));
            let took = start.elapsed();
            line.over().await;
            if took < PROMPT {
                return;
            }
            assert!(attempt < ATTEMPTS, "{took:?}, and so each time");
        }
    });
}
