//! The channel: in this process, or over a connection. The two ends are of the same types either way.

use crate::args::Args;
use crate::row::Row;
use clap::ValueEnum;
use credit_channel::codec::Bincode;
use credit_channel::transport::{Driver, Transport, tcp};
use credit_channel::{CreditConsumer, CreditProducer, Window, weighted};
use std::fmt::{self, Display};
use std::net::Ipv4Addr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// What is between the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// Nothing: a row is handed over as it is
    Local,
    /// A TCP connection over loopback
    Tcp,
    /// A pair of unix sockets
    #[cfg(unix)]
    Unix,
}

/// The two ends, and what drives the connection between them, if there is one.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) tx: CreditProducer<Row>,
    pub(crate) rx: CreditConsumer<Row>,
    pub(crate) drivers: Vec<Driver>,
}

/// Opens the channel that the options ask for. The error is a line for people.
pub(crate) async fn connect(args: &Args) -> Result<Ends, String> {
    let window = args.window();
    let advice = "--window and --bytes start at 1";
    match args.transport {
        Way::Local => {
            let (tx, rx) = weighted(window).map_err(|error| format!("{error} ({advice})"))?;
            Ok(Ends { tx, rx, drivers: Vec::new() })
        }
        Way::Tcp => {
            let pair = tcp_pair().await.map_err(|error| format!("cannot connect over loopback: {error}"))?;
            open(pair, window).await.map_err(|error| format!("{error} ({advice})"))
        }
        #[cfg(unix)]
        Way::Unix => {
            let pair = tokio::net::UnixStream::pair().map_err(|error| format!("cannot make a socket pair: {error}"))?;
            open(pair, window).await.map_err(|error| format!("{error} ({advice})"))
        }
    }
}

async fn tcp_pair() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let (connected, accepted) = tokio::try_join!(TcpStream::connect(address), listener.accept())?;
    Ok((tcp(connected)?, tcp(accepted.0)?))
}

/// Opens both ends at once: each waits for the hello of the other.
async fn open<S>((here, there): (S, S), window: Window) -> Result<Ends, credit_channel::transport::ConnectError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // The longest frames there are: a row of a few MiB is a row.
    let transport = Transport::new().codec(Bincode).max_frame(u32::MAX);
    let ((tx, sending), (rx, receiving)) =
        tokio::try_join!(transport.producer::<Row>(here), transport.consumer::<Row>(there, window))?;
    Ok(Ends { tx, rx, drivers: vec![sending, receiving] })
}

impl Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "none, within the process",
            Self::Tcp => "TCP over loopback, rows by bincode",
            #[cfg(unix)]
            Self::Unix => "a pair of unix sockets, rows by bincode",
        })
    }
}
