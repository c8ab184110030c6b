//! What is said of channels whose trouble is known, on a paused clock.

use crate::support::{Dice, on_a_paused_clock};
use credit_channel::{Condition, CreditConsumer, CreditProducer, Diagnosis, Window, channel};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A producer that takes so long for each of a hundred, within some noise.
fn produce(tx: CreditProducer<u64>, each: Duration, noise: u32) -> JoinHandle<CreditProducer<u64>> {
    tokio::spawn(async move {
        let mut dice = Dice::new(7);
        for n in 0..100 {
            sleep(noisy(each, noise, &mut dice)).await;
            tx.send(n).await.expect("open");
        }
        tx
    })
}

fn noisy(each: Duration, percent: u32, dice: &mut Dice) -> Duration {
    let factor = 100 - u64::from(percent) + dice.below(2 * u64::from(percent) + 1);
    each * u32::try_from(factor).expect("small") / 100
}

async fn consume(rx: &mut CreditConsumer<u64>, each: Duration, noise: u32) -> Diagnosis {
    let mut dice = Dice::new(8);
    for _ in 0..100 {
        let _chunk = rx.recv().await.expect("open").expect("no end");
        sleep(noisy(each, noise, &mut dice)).await;
    }
    rx.stats().diagnose()
}

async fn regime(window: u64, produce_each: Duration, consume_each: Duration, noise: u32) -> Diagnosis {
    let (tx, mut rx) = channel(Window::messages(window)).expect("a window");
    let producer = produce(tx, produce_each, noise);
    let diagnosis = consume(&mut rx, consume_each, noise).await;
    drop(producer.await.expect("no panic"));
    diagnosis
}

#[test]
fn a_slow_consumer() {
    on_a_paused_clock(|| async {
        let diagnosis = regime(4, ms(1), ms(10), 0).await;
        assert_eq!(diagnosis.condition, Condition::ConsumerBound, "{diagnosis:?}");
        assert!(diagnosis.full_share > 0.8 && diagnosis.park_share > 0.8, "{diagnosis:?}");
    });
}

#[test]
fn a_slow_producer() {
    on_a_paused_clock(|| async {
        let diagnosis = regime(4, ms(10), ms(1), 0).await;
        assert_eq!(diagnosis.condition, Condition::ProducerBound, "{diagnosis:?}");
        assert!(
            diagnosis.to_string().starts_with("the producer is the limit: the consumer idled for 90 %"),
            "{diagnosis}"
        );
    });
}

/// Both take about as long, give or take a third: neither waits much for the other.
#[test]
fn healthy_within_noise() {
    on_a_paused_clock(|| async {
        let diagnosis = regime(16, ms(10), ms(9), 33).await;
        assert_eq!(diagnosis.condition, Condition::Healthy, "{diagnosis:?}");
        assert!(diagnosis.park_share < 0.2, "{diagnosis:?}");
    });
}

/// A guard that is never dropped, and a window of one.
#[test]
fn a_stalled_consumer() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(1)).expect("a window");
        let producer = produce(tx, ms(1), 0);
        for _ in 0..10 {
            let _chunk = rx.recv().await;
            sleep(ms(1)).await;
        }
        let stuck = rx.recv().await.expect("open");
        sleep(ms(900)).await;
        assert_ne!(rx.stats().diagnose().condition, Condition::ConsumerStalled { oldest: ms(900) });
        sleep(ms(4100)).await;
        assert_eq!(rx.stats().diagnose().condition, Condition::ConsumerStalled { oldest: ms(5000) });
        drop(stuck);
        drop(rx.recv().await);
        assert!(!matches!(rx.stats().diagnose().condition, Condition::ConsumerStalled { .. }), "it goes on");
        producer.abort();
    });
}

/// Work that takes seconds is no stall.
#[test]
fn slow_work_is_no_stall() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(2)).expect("a window");
        let producer = produce(tx, ms(1), 0);
        for n in 0..20 {
            let _chunk = rx.recv().await;
            sleep(ms(2500)).await;
            let diagnosis = rx.stats().diagnose();
            assert!(n < 2 || diagnosis.condition == Condition::ConsumerBound, "{n}: {diagnosis:?}");
        }
        producer.abort();
    });
}

#[test]
fn forgotten_guards() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(8)).expect("a window");
        let producer = produce(tx, ms(1), 0);
        for n in 0..3 {
            rx.recv().await.expect("open").expect("no end").into_parts().1.forget();
            let leaked = matches!(rx.stats().diagnose().condition, Condition::LeakedCredit { .. });
            assert_eq!(leaked, n > 0, "two of eight are a quarter");
        }
        assert_eq!(rx.stats().diagnose().condition, Condition::LeakedCredit { n: 3 });
        producer.abort();
    });
}

/// What was wrong an hour ago is not what is wrong now.
#[test]
fn a_look_at_the_last_while() {
    on_a_paused_clock(|| async {
        let (tx, mut rx) = channel(Window::messages(4)).expect("a window");
        let first = produce(tx, ms(1), 0);
        consume(&mut rx, ms(10), 0).await;
        let then = rx.stats();
        let second = produce(first.await.expect("no panic"), ms(10), 0);
        consume(&mut rx, ms(1), 0).await;
        let lately = rx.stats().since(&then);
        assert_eq!((lately.sent, lately.released.messages()), (100, 100));
        assert_eq!(lately.depth_times.total(), lately.elapsed);
        assert_eq!(lately.diagnose().condition, Condition::ProducerBound);
        assert_ne!(rx.stats().diagnose().condition, Condition::ProducerBound);
        second.await.expect("no panic");
    });
}

#[test]
fn nothing_happened() {
    on_a_paused_clock(|| async {
        let (_tx, rx) = channel::<u64>(Window::messages(4)).expect("a window");
        assert_eq!(rx.stats().diagnose().condition, Condition::Healthy);
        sleep(ms(1000)).await;
        assert_eq!(rx.stats().diagnose().condition, Condition::Healthy);
    });
}
