//! Why a chunk is one opaque value: a closure takes of a tuple only the field that it names, and of a chunk all of it.

use crate::support::{Census, Counted, on_both_runtimes, turns, until};
use credit_channel::{Chunk, Window, channel};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const WINDOW: usize = 4;
const JOBS: u64 = 40;

/// The hand-made idiom: value and permit in a tuple.
fn queue_hand_made(job: (Counted, OwnedSemaphorePermit), work: &mut Vec<Box<dyn FnOnce() + Send>>) {
    // Edition 2021 on: the closure captures `job.0` alone. `job.1`, the permit, is dropped when this returns.
    work.push(Box::new(move || drop(job.0)));
}

/// The same closure around a chunk.
fn queue_chunk(job: Chunk<Counted>, work: &mut Vec<Box<dyn FnOnce() + Send>>) {
    work.push(Box::new(move || drop(job)));
}

/// And one that only reads the value, which a reference to a field would have done as well.
fn queue_chunk_by_use(job: Chunk<Counted>, work: &mut Vec<Box<dyn FnOnce() + Send>>) {
    work.push(Box::new(move || drop(format!("{:?}", *job))));
}

#[test]
fn hand_made_tuple_loses_its_permit_before_the_work() {
    on_both_runtimes(|| async {
        let census = Census::default();
        let window = Arc::new(Semaphore::new(WINDOW));
        let mut work = Vec::new();
        for _ in 0..9 {
            // Never waits, though the window is 4 and no work has been done.
            let permit = Arc::clone(&window).try_acquire_owned().unwrap();
            queue_hand_made((census.one(), permit), &mut work);
        }
        assert_eq!((census.alive(), window.available_permits()), (9, WINDOW), "9 alive under a window of 4");
        work.into_iter().for_each(|job| job());
    });
}

#[test]
fn chunk_in_the_same_closure_keeps_the_window() {
    on_both_runtimes(|| async {
        for queue in [queue_chunk, queue_chunk_by_use] {
            let census = Census::default();
            let (tx, mut rx) = channel::<Counted>(Window::messages(4)).unwrap();
            let jobs = census.clone();
            let producer = tokio::spawn(async move {
                for _ in 0..JOBS {
                    let permit = tx.reserve().await.unwrap();
                    permit.send(jobs.one()).unwrap();
                }
                tx.end();
            });
            let mut work: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
            while work.len() < WINDOW {
                queue(rx.recv().await.unwrap().unwrap(), &mut work);
            }
            until(|| rx.stats().waiting == 1).await;
            turns(10).await;
            assert_eq!((census.alive(), rx.stats().sent), (4, 4), "no fifth while four are in hand");
            loop {
                work.drain(..).for_each(|job| job());
                match rx.recv().await.unwrap() {
                    Some(chunk) => queue(chunk, &mut work),
                    None => break,
                }
            }
            producer.await.unwrap();
            assert_eq!((census.peak(), census.born(), census.alive()), (4, JOBS, 0));
        }
    });
}
