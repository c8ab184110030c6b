//! remoc's binary channel: the closest there is, with credit that goes back when a chunk is read.

use super::Peer;
use super::connection::{Socket, Transfer};
use bytes::Bytes;
use remoc::rch::{base, bin};
use remoc::{Cfg, Connect};
use tokio::io::split;

pub struct Bin;

impl Peer for Bin {
    const NAME: &'static str = "remoc-bin";

    async fn produce(socket: Socket, transfer: Transfer) -> Box<dyn Send> {
        let (reader, writer) = split(socket);
        let (connection, mut names, back): (_, base::Sender<bin::Receiver>, base::Receiver<()>) =
            Connect::io(Cfg::default(), reader, writer).await.expect("a connection");
        let connection = tokio::spawn(connection);
        let (mut sender, receiver) = bin::channel();
        names.send(receiver).await.expect("sent");
        let chunks = sender.get().await.expect("a channel");
        for _ in 0..transfer.chunks {
            chunks.send(transfer.chunk.clone()).await.expect("sent");
        }
        Box::new((sender, names, back, connection))
    }

    async fn consume(socket: Socket, transfer: Transfer) {
        let (reader, writer) = split(socket);
        let (connection, _back, mut names): (_, base::Sender<()>, base::Receiver<bin::Receiver>) =
            Connect::io(Cfg::default(), reader, writer).await.expect("a connection");
        tokio::spawn(connection);
        let mut receiver = names.recv().await.expect("received").expect("not closed");
        let chunks = receiver.get().await.expect("a channel");
        for _ in 0..transfer.chunks {
            let chunk = chunks.recv().await.expect("received").expect("not closed");
            transfer.work(&Bytes::from(chunk));
        }
    }
}
