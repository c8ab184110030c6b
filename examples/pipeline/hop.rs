//! A TCP connection in the middle of the pipeline.

use credit_channel::codec::Bincode;
use credit_channel::transport::{Transport, tcp};
use credit_channel::{CreditConsumer, CreditProducer, Window};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::Ipv4Addr;
use tokio::net::{TcpListener, TcpStream};

/// Both ends of a channel over loopback, with their drivers spawned. The error is a line for people.
pub(crate) async fn over_tcp<T>(window: Window) -> Result<(CreditProducer<T>, CreditConsumer<T>), String>
where
    T: Serialize + DeserializeOwned + Send + 'static,
{
    let (here, there) = connected().await.map_err(|error| format!("cannot connect over loopback: {error}"))?;
    let transport = Transport::new().codec(Bincode);
    let ends = tokio::try_join!(transport.producer::<T>(here), transport.consumer::<T>(there, window));
    let ((tx, sending), (rx, receiving)) = ends.map_err(|error| error.to_string())?;
    tokio::spawn(sending);
    tokio::spawn(receiving);
    Ok((tx, rx))
}

async fn connected() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let (connected, accepted) = tokio::try_join!(TcpStream::connect(address), listener.accept())?;
    Ok((tcp(connected)?, tcp(accepted.0)?))
}
