//! A pool that is warm allocates nothing per message, neither in one process nor over a transport.
//!
//! A test binary of its own, with an allocator that counts bytes. Each run starts and ends with nothing in flight, so
//! that whatever is allocated in between, however briefly, raises the peak above what was in use at the start.
#![cfg(all(feature = "transport", not(credit_channel_loom)))]

mod support;

use bytes::Bytes;
use credit_channel::pool::{BufferPool, PooledBuf};
use credit_channel::transport::Transport;
use credit_channel::{CreditConsumer, CreditProducer, Window, weighted};
use peak_alloc::PeakAlloc;
use std::sync::{Mutex, PoisonError};
use support::{LONG_WATCHDOG, within};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const WINDOW: u64 = 4;
const SIZE: usize = 16 << 10;
const MESSAGES: u32 = 3_000;

/// Runs it alone, on one thread.
fn alone<F>(test: impl FnOnce() -> F + Send + 'static)
where
    F: Future<Output = ()>,
{
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    within(LONG_WATCHDOG, "the test", move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        runtime.block_on(test());
    });
}

/// The most that was in use during this beyond what was in use before.
async fn growth(run: impl Future<Output = ()>) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    run.await;
    MEMORY.peak_usage() - before
}

/// Sends so many and receives them, at once: all of the window is used, and at the end nothing is in flight.
async fn stream<T, Fut>(
    tx: &CreditProducer<T>,
    rx: &mut CreditConsumer<T>,
    messages: u32,
    mut make: impl FnMut(u32) -> Fut,
) where
    Fut: Future<Output = T>,
{
    let produce = async {
        for n in 0..messages {
            let value = make(n).await;
            assert!(tx.send(value).await.is_ok());
        }
    };
    let consume = async {
        for _ in 0..messages {
            drop(rx.recv().await.unwrap().unwrap());
            // As work does, so that it is not one message after the other.
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(produce, consume);
    support::until(|| tx.depth().is_zero()).await;
}

async fn page(pool: &BufferPool, n: u32) -> PooledBuf {
    let mut buf = pool.take().await;
    buf.resize(SIZE, n.to_be_bytes()[3]);
    buf
}

/// What a run costs once a shorter one has warmed everything up: the least of three, since the test harness may
/// allocate meanwhile. What is allocated per message is in all of them.
async fn growth_when_warm<T, Fut>(
    (tx, rx): (&CreditProducer<T>, &mut CreditConsumer<T>),
    mut make: impl FnMut(u32) -> Fut,
) -> usize
where
    Fut: Future<Output = T>,
{
    stream(tx, rx, 1_000, &mut make).await;
    let mut least = usize::MAX;
    for _ in 0..3 {
        least = least.min(growth(stream(tx, rx, MESSAGES, &mut make)).await);
    }
    least
}

#[test]
fn in_one_process_nothing_is_allocated_per_message() {
    alone(|| async {
        let pool = &BufferPool::new(WINDOW + 1, SIZE).unwrap();
        let (tx, mut rx) = weighted::<PooledBuf>(Window::messages(WINDOW)).unwrap();
        let sent_as_they_are = growth_when_warm((&tx, &mut rx), |n| page(pool, n)).await;

        let (tx, mut rx) = weighted::<Bytes>(Window::messages(WINDOW)).unwrap();
        let frozen = growth_when_warm((&tx, &mut rx), |n| async move { page(pool, n).await.freeze() }).await;
        assert_eq!((sent_as_they_are, frozen), (0, 0), "bytes, in 3,000 messages");
        assert_eq!((pool.stats().made, pool.stats().misses), (WINDOW + 1, 0));

        // What this would show if there were something: the other way to a `Bytes` allocates a few words.
        let owned = growth_when_warm((&tx, &mut rx), |n| async move { Bytes::from_owner(page(pool, n).await) }).await;
        assert!((1..1_000).contains(&owned), "{owned} bytes");
    });
}

/// Over a transport only what the pool adds is looked at: beside the same pages, made once and cloned.
#[test]
fn over_a_transport_it_adds_nothing() {
    alone(|| async {
        let mut grown = Vec::new();
        for pooled in [false, true] {
            let pool = BufferPool::new(WINDOW + 1, SIZE).unwrap();
            let pages: Vec<Bytes> = (0..=255).map(|n| vec![n; SIZE].into()).collect();
            let (here, there) = tokio::io::duplex(64 << 10);
            let transport = Transport::new();
            let (producer, consumer) = tokio::join!(
                transport.producer::<Bytes>(here),
                transport.consumer::<Bytes>(there, Window::messages(WINDOW)),
            );
            let ((tx, sending), (mut rx, receiving)) = (producer.unwrap(), consumer.unwrap());
            let drivers = (tokio::spawn(sending), tokio::spawn(receiving));
            let make = |n: u32| {
                let (pool, pages) = (&pool, &pages);
                async move {
                    if pooled { page(pool, n).await.freeze() } else { pages[usize::from(n.to_be_bytes()[3])].clone() }
                }
            };
            grown.push(growth_when_warm((&tx, &mut rx), make).await);
            if pooled {
                let stats = pool.stats();
                assert_eq!((stats.misses, stats.taken), (0, u64::from(3 * MESSAGES) + 1_000));
                assert!(stats.made <= WINDOW + 1, "{stats:?}");
            }
            tx.end();
            assert!(rx.recv().await.unwrap().is_none());
            drop(rx);
            let _ = (drivers.0.await.unwrap(), drivers.1.await.unwrap());
        }
        println!("{} bytes more at most without the pool, {} with it", grown[0], grown[1]);
        assert!(grown[1] <= grown[0], "{grown:?}");
    });
}
