//! credit-channel over a transport, with its defaults.

use super::Peer;
use super::connection::{Socket, Transfer};
use bytes::Bytes;
use credit_channel::Window;
use credit_channel::transport::Transport;

pub struct CreditChannel;

impl Peer for CreditChannel {
    const NAME: &'static str = "credit-channel";

    async fn produce(socket: Socket, transfer: Transfer) -> Box<dyn Send> {
        let (tx, driver) = Transport::new().producer::<Bytes>(socket).await.expect("a channel");
        let driver = tokio::spawn(driver);
        for _ in 0..transfer.chunks {
            tx.send(transfer.chunk.clone()).await.expect("open");
        }
        tx.end();
        Box::new(driver)
    }

    async fn consume(socket: Socket, transfer: Transfer) {
        let window = Window::messages(transfer.window.into());
        let (mut rx, driver) = Transport::new().consumer::<Bytes>(socket, window).await.expect("a channel");
        tokio::spawn(driver);
        let mut received = 0;
        while let Some(chunk) = rx.recv().await.expect("no error") {
            transfer.work(&chunk);
            received += 1;
        }
        assert_eq!(received, transfer.chunks, "nothing is lost");
    }
}
