//! How often things happen: a round trip is no step of the system's timers, and an idle connection costs nothing.

use crate::support::carrier::Carrier;
use crate::support::link::{Fate, link};
use crate::support::{FLAVOURS, LONG_WATCHDOG, on_a_paused_clock, runtime, within};
use bytes::Bytes;
use credit_channel::transport::{Driver, Transport, tcp};
use credit_channel::{Disconnect, Window};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// With a window of 1 each send waits for the credit of the one before. Where small writes are held back by the system
/// (Nagle's algorithm, and acknowledgements that are delayed) each takes 40 ms.
#[test]
fn window_of_one_moves_in_no_steps_of_40_ms() {
    const ROUND_TRIPS: usize = 200;
    for flavour in FLAVOURS {
        for carrier in [Carrier::Tcp, Carrier::Unix] {
            within(LONG_WATCHDOG, "ping-pong", move || {
                runtime(flavour).block_on(async {
                    let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
                    let receiving = tokio::spawn(async move { while rx.recv().await.unwrap().is_some() {} });
                    let mut times = Vec::new();
                    for n in 0..ROUND_TRIPS {
                        let start = Instant::now();
                        tx.send(u64::try_from(n).unwrap()).await.unwrap();
                        times.push(start.elapsed());
                    }
                    tx.end_and_wait().await.unwrap();
                    receiving.await.unwrap();
                    times.sort_unstable();
                    let (median, late) = (times[ROUND_TRIPS / 2], times[ROUND_TRIPS * 9 / 10]);
                    // A tenth of a millisecond is usual; a busy machine may need more, but not each time.
                    assert!(median < Duration::from_millis(10), "median {median:?}, nine of ten {late:?}");
                });
            });
        }
    }
}

/// A driver that counts how often it is polled.
struct Watched {
    driver: Driver,
    polls: Arc<AtomicU64>,
}

impl Future for Watched {
    type Output = Result<(), Disconnect>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.driver).poll(cx)
    }
}

fn watched(driver: Driver, polls: &Arc<AtomicU64>) -> Watched {
    Watched { driver, polls: Arc::clone(polls) }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Nothing but the keepalive: a PING after 10 s of silence, and its answer.
#[test]
fn idle_connection_is_polled_for_its_keepalive_and_nothing_else() {
    // With nothing sent, with work in hand, with a sender that waits, and after the end.
    for state in 0..4 {
        on_a_paused_clock(move || async move {
            let (near, far, wire) = link(1, Fate::fair(), Fate::fair());
            let transport = Transport::new();
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(1)));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let polls: Arc<AtomicU64> = Arc::default();
            let drivers = [tokio::spawn(watched(near, &polls)), tokio::spawn(watched(far, &polls))];
            let mut held = None;
            if state > 0 {
                tx.send(Bytes::from("work")).await.unwrap();
                held = rx.recv().await.unwrap();
            }
            let mut waits = None;
            match state {
                2 => waits = Some(tokio::spawn(async move { tx.send(Bytes::from("more")).await.map(|()| tx.end()) })),
                3 => tx.end(),
                _ => {
                    waits = Some(tokio::spawn(async move {
                        tx.closed().await;
                        Ok(())
                    }));
                }
            }
            sleep(Duration::from_secs(1)).await;
            let (before, carried) = (polls.load(Ordering::Relaxed), wire.carried_both());
            sleep(Duration::from_secs(8)).await;
            assert_eq!(polls.load(Ordering::Relaxed), before, "before the keepalive nothing happens at all");
            sleep(DAY).await;
            let (polls, carried) = (polls.load(Ordering::Relaxed) - before, wire.carried_both() - carried);
            // A PING and a PONG every ten seconds at most, in either direction.
            let rounds = DAY.as_secs() / 10;
            assert!(carried <= 2 * rounds * 2 * 20 + 100, "{carried} bytes in a day, state {state}");
            assert!(polls <= 2 * rounds * 6 + 10, "{polls} polls in a day, state {state}");
            drop((held, waits, rx));
            for driver in drivers {
                driver.abort();
            }
        });
    }
}

/// The same with sockets and a real clock.
#[test]
fn idle_sockets_are_not_polled_at_all() {
    within(LONG_WATCHDOG, "idle sockets", || {
        runtime(crate::support::Flavour::MultiThread).block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let (near, far) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
            let (near, far) = (tcp(near.unwrap()).unwrap(), tcp(far.unwrap().0).unwrap());
            let transport = Transport::new();
            let (producer, consumer) =
                (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::messages(4)));
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let polls: Arc<AtomicU64> = Arc::default();
            tokio::spawn(watched(near, &polls));
            tokio::spawn(watched(far, &polls));
            for _ in 0..100 {
                tx.send(Bytes::from("work")).await.unwrap();
                drop(rx.recv().await.unwrap());
            }
            tx.send(Bytes::from("work")).await.unwrap();
            let _in_hand = rx.recv().await.unwrap();
            sleep(Duration::from_millis(200)).await;
            let before = polls.load(Ordering::Relaxed);
            sleep(Duration::from_millis(800)).await;
            assert_eq!(polls.load(Ordering::Relaxed), before);
        });
    });
}
