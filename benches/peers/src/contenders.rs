//! The contenders, and the table of them.

use crate::chan::{Chan, Outcome, chan};
use crate::grid::Cell;
use crate::measure::Sample;
use crate::message::Message;
use crate::ping_pong::ping_pong;
use crate::runtime::Runtime;
use crate::stream::stream;
use credit_channel::{CreditConsumer, CreditProducer, Window};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

pub const CREDIT_CHANNEL: &str = "credit-channel";
/// The idiom that credit-channel replaces, and the only other contender that keeps the same promise.
pub const IDIOM: &str = "tokio-mpsc+semaphore";
/// The channel everybody has at hand. It frees a slot on receipt.
pub const PLAIN: &str = "tokio-mpsc";
pub const REFERENCES: [&str; 2] = [IDIOM, PLAIN];

// ----- the slot is free again after the work -----

chan! {
    CreditChannel, CREDIT_CHANNEL,
    CreditProducer<T>, CreditConsumer<T>,
    open |window| credit_channel::channel(Window::messages(window as u64)).expect("a window is never 0"),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await?, Some(chunk) => &chunk,
    end |tx| tx.end()
}

chan! {
    /// A permit travels with the message and is dropped after the work. The channel is unbounded since the
    /// semaphore bounds it already; a bounded one would only make the idiom slower.
    TokioSemaphore, IDIOM,
    (mpsc::UnboundedSender<(T, OwnedSemaphorePermit)>, Arc<Semaphore>),
    mpsc::UnboundedReceiver<(T, OwnedSemaphorePermit)>,
    open |window| {
        let (tx, rx) = mpsc::unbounded_channel();
        ((tx, Arc::new(Semaphore::new(window))), rx)
    },
    send |tx, value| {
        let permit = Arc::clone(&tx.1).acquire_owned().await?;
        tx.0.send((value, permit))
    },
    recv |rx| rx.recv().await, Some((value, _permit)) => &value,
    end |tx| drop(tx)
}

// ----- the slot is free again on receipt -----

chan! {
    TokioMpsc, PLAIN,
    mpsc::Sender<T>, mpsc::Receiver<T>,
    open |window| mpsc::channel(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Some(value) => &value,
    end |tx| drop(tx)
}

chan! {
    Kanal, "kanal",
    kanal::AsyncSender<T>, kanal::AsyncReceiver<T>,
    open |window| kanal::bounded_async(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Ok(value) => &value,
    end |tx| drop(tx)
}

chan! {
    Flume, "flume",
    flume::Sender<T>, flume::Receiver<T>,
    open |window| flume::bounded(window),
    send |tx, value| tx.send_async(value).await,
    recv |rx| rx.recv_async().await, Ok(value) => &value,
    end |tx| drop(tx)
}

chan! {
    Tachyonix, "tachyonix",
    tachyonix::Sender<T>, tachyonix::Receiver<T>,
    open |window| tachyonix::channel(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Ok(value) => &value,
    end |tx| drop(tx)
}

chan! {
    Thingbuf, "thingbuf",
    thingbuf::mpsc::Sender<T>, thingbuf::mpsc::Receiver<T>,
    open |window| thingbuf::mpsc::channel(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Some(value) => &value,
    end |tx| drop(tx)
}

chan! {
    Crossfire, "crossfire-mpsc",
    crossfire::MAsyncTx<crossfire::mpsc::Array<T>>, crossfire::AsyncRx<crossfire::mpsc::Array<T>>,
    open |window| crossfire::mpsc::bounded_async(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Ok(value) => &value,
    end |tx| drop(tx)
}

chan! {
    AsyncChannel, "async-channel",
    async_channel::Sender<T>, async_channel::Receiver<T>,
    open |window| async_channel::bounded(window),
    send |tx, value| tx.send(value).await,
    recv |rx| rx.recv().await, Ok(value) => &value,
    end |tx| drop(tx)
}

/// A contender as a value.
pub struct Contender {
    pub name: &'static str,
    /// Sends so many messages in this cell.
    pub stream: fn(Cell, u64) -> Sample,
    /// Makes so many round trips.
    pub ping_pong: fn(Runtime, u64) -> Sample,
}

pub fn contenders() -> Vec<Contender> {
    fn of<C: Chan>() -> Contender {
        Contender { name: C::NAME, stream: stream::<C>, ping_pong: ping_pong::<C> }
    }
    vec![
        of::<CreditChannel>(),
        of::<TokioSemaphore>(),
        of::<TokioMpsc>(),
        of::<Kanal>(),
        of::<Flume>(),
        of::<Tachyonix>(),
        of::<Thingbuf>(),
        of::<Crossfire>(),
        of::<AsyncChannel>(),
    ]
}
