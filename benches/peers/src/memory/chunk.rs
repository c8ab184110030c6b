//! A chunk, counted while it lives, and the work on it.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub const SIZE: usize = 256_000;
const WORK: Duration = Duration::from_micros(50);

static ALIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
static WORKED_ON: AtomicU64 = AtomicU64::new(0);

/// Has memory of its own, written in full, so that the system really has to give it.
pub struct Chunk(Vec<u8>);

impl Chunk {
    pub fn new(number: u64) -> Self {
        let alive = ALIVE.fetch_add(1, Relaxed) + 1;
        PEAK.fetch_max(alive, Relaxed);
        // Never 0: zeroed memory is given lazily.
        let fill = (number as u8) | 1;
        Self(vec![fill; SIZE])
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Relaxed);
    }
}

/// Neither sleeps nor yields: it keeps the processor busy.
pub fn work(chunk: &Chunk) {
    let start = Instant::now();
    while start.elapsed() < WORK {
        black_box(chunk.0[SIZE / 2]);
    }
    WORKED_ON.fetch_add(1, Relaxed);
}

pub fn alive() -> u64 {
    ALIVE.load(Relaxed)
}

/// The most that were ever alive at the same time.
pub fn peak() -> u64 {
    PEAK.load(Relaxed)
}

pub fn worked_on() -> u64 {
    WORKED_ON.load(Relaxed)
}
