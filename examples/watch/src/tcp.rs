//! A connection over loopback, slow if wanted.

use bytes::{Bytes, BytesMut};
use credit_channel::transport::{Transport, tcp};
use credit_channel::{CreditConsumer, CreditProducer, Window};
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Both ends of a channel, their drivers spawned. The error is a line for people.
pub(crate) async fn over_tcp(
    window: Window,
    delay: Duration,
) -> Result<(CreditProducer<Bytes>, CreditConsumer<Bytes>), String> {
    let (here, there) = pair(delay).await.map_err(|error| format!("cannot connect over loopback: {error}"))?;
    let transport = Transport::new();
    let ends = tokio::try_join!(transport.producer::<Bytes>(here), transport.consumer::<Bytes>(there, window));
    let ((tx, sending), (rx, receiving)) = ends.map_err(|error| error.to_string())?;
    tokio::spawn(sending);
    tokio::spawn(receiving);
    Ok((tx, rx))
}

/// Two sockets, with a relay between them if it is to take time.
async fn pair(delay: Duration) -> io::Result<(TcpStream, TcpStream)> {
    let (here, near) = connected().await?;
    if delay.is_zero() {
        return Ok((here, near));
    }
    let (far, there) = connected().await?;
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    relay(near_in, far_out, delay);
    relay(far_in, near_out, delay);
    Ok((here, there))
}

async fn connected() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let (connected, accepted) = tokio::try_join!(TcpStream::connect(address), listener.accept())?;
    Ok((tcp(connected)?, tcp(accepted.0)?))
}

/// Whatever comes goes on after the delay, in order: a long way, not a narrow one.
fn relay(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: Duration) {
    // Bounded, for a peer that does not read; far more than a window here fills.
    let (tx, mut rx) = mpsc::channel::<(Instant, Bytes)>(8192);
    tokio::spawn(async move {
        let mut buffer = BytesMut::new();
        while from.read_buf(&mut buffer).await.is_ok_and(|n| n > 0) {
            if tx.send((Instant::now() + delay, buffer.split().freeze())).await.is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        while let Some((due, bytes)) = rx.recv().await {
            tokio::time::sleep_until(due).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
}
