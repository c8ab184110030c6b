//! The contenders. Each one makes a chunk only when it has room for it, so that what is alive beyond the window
//! is what the channel lets through, not what a producer holds in its hand.

use super::chunk::{Chunk, work};
use credit_channel::Window;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

pub const WINDOW: usize = 4;

/// What the consumer does with a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Processing {
    /// Works on it before it receives the next.
    Inline,
    /// Hands it to a task, and receives the next.
    Spawned,
}
use Processing::{Inline, Spawned};

type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

pub struct Contender {
    pub name: &'static str,
    pub processing: Processing,
    /// Runs whatever `--only` says.
    pub reference: bool,
    /// Sends so many chunks; ends when the last was received.
    pub run: fn(u64) -> Run,
}

pub const CONTENDERS: &[Contender] = &[
    Contender { name: "tokio-unbounded", processing: Inline, reference: true, run: |n| Box::pin(unbounded(n, Inline)) },
    Contender { name: "tokio-mpsc(4)", processing: Inline, reference: false, run: |n| Box::pin(bounded(n, Inline)) },
    Contender {
        name: "tokio-mpsc+semaphore(4)",
        processing: Inline,
        reference: true,
        run: |n| Box::pin(semaphore(n, Held::Inline)),
    },
    Contender { name: "credit-channel(4)", processing: Inline, reference: false, run: |n| Box::pin(credit(n, Inline)) },
    Contender {
        name: "tokio-unbounded",
        processing: Spawned,
        reference: true,
        run: |n| Box::pin(unbounded(n, Spawned)),
    },
    Contender { name: "tokio-mpsc(4)", processing: Spawned, reference: false, run: |n| Box::pin(bounded(n, Spawned)) },
    Contender {
        name: "tokio-mpsc+semaphore(4)",
        processing: Spawned,
        reference: true,
        run: |n| Box::pin(semaphore(n, Held::Spawned)),
    },
    Contender {
        name: "tokio-mpsc+semaphore(4), slip",
        processing: Spawned,
        reference: false,
        run: |n| Box::pin(semaphore(n, Held::SpawnedByField)),
    },
    Contender {
        name: "credit-channel(4)",
        processing: Spawned,
        reference: false,
        run: |n| Box::pin(credit(n, Spawned)),
    },
];

/// The uncontrolled run: nothing holds the producer back.
async fn unbounded(n: u64, processing: Processing) {
    let (tx, mut rx) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for number in 0..n {
            tx.send(Chunk::new(number)).expect("the consumer stays");
        }
    });
    while let Some(chunk) = rx.recv().await {
        match processing {
            Inline => work(&chunk),
            Spawned => drop(tokio::spawn(async move { work(&chunk) })),
        }
    }
}

/// A slot is free again on receipt.
async fn bounded(n: u64, processing: Processing) {
    let (tx, mut rx) = mpsc::channel(WINDOW);
    tokio::spawn(async move {
        for number in 0..n {
            let permit = tx.reserve().await.expect("the consumer stays");
            permit.send(Chunk::new(number));
        }
    });
    while let Some(chunk) = rx.recv().await {
        match processing {
            Inline => work(&chunk),
            Spawned => drop(tokio::spawn(async move { work(&chunk) })),
        }
    }
}

/// How the idiom holds on to the permit of a chunk.
#[derive(Clone, Copy)]
enum Held {
    Inline,
    Spawned,
    /// The slip: a task that names only the chunk captures only that field, since edition 2021. The permit
    /// stays behind and is dropped before the work has begun.
    SpawnedByField,
}

/// The idiom: a permit travels with the chunk and is dropped after the work.
async fn semaphore(n: u64, how: Held) {
    let (tx, mut rx) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let window = Arc::new(Semaphore::new(WINDOW));
        for number in 0..n {
            let permit = Arc::clone(&window).acquire_owned().await.expect("nobody closes it");
            assert!(tx.send((Chunk::new(number), permit)).is_ok(), "the consumer stays");
        }
    });
    while let Some(held) = rx.recv().await {
        match how {
            Held::Inline => work(&held.0),
            Held::Spawned => drop(tokio::spawn(async move {
                work(&held.0);
                drop(held); // names the whole of it, and so takes the permit along
            })),
            Held::SpawnedByField => drop(tokio::spawn(async move { work(&held.0) })),
        }
    }
}

async fn credit(n: u64, processing: Processing) {
    let (tx, mut rx) = credit_channel::channel(Window::messages(WINDOW as u64)).expect("a window that is not 0");
    tokio::spawn(async move {
        for number in 0..n {
            let permit = tx.reserve().await.expect("the consumer stays");
            permit.send(Chunk::new(number)).expect("the consumer stays");
        }
        tx.end();
    });
    while let Some(chunk) = rx.recv().await.expect("a clean end") {
        match processing {
            Inline => work(&chunk),
            Spawned => drop(tokio::spawn(async move { work(&chunk) })),
        }
    }
}
