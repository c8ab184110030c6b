//! Channels that stages are put on, and work for them.

use credit_channel::{CreditConsumer, CreditProducer, Failure, Window, channel};
use std::time::Duration;
use tokio::time::sleep;

pub(crate) fn pair(window: u64) -> (CreditProducer<u64>, CreditConsumer<u64>) {
    channel(Window::messages(window)).expect("a window")
}

/// A channel in which these lie.
pub(crate) fn sent(values: impl IntoIterator<Item = u64>) -> (CreditProducer<u64>, CreditConsumer<u64>) {
    let (tx, rx) = pair(100);
    for value in values {
        tx.try_send(value).unwrap();
    }
    (tx, rx)
}

/// Sleeps so many milliseconds; what comes out is the number itself.
pub(crate) async fn nap(ms: u64) -> Result<u64, Failure> {
    sleep(Duration::from_millis(ms)).await;
    Ok(ms)
}
