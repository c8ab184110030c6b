//! Where to listen, and where to connect to: `HOST:PORT`, or `unix:PATH`.

use std::fmt::{self, Display};
use std::str::FromStr;
use tokio::io::{AsyncRead, AsyncWrite};

/// Where a server is.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Tcp(String),
    #[cfg(unix)]
    Unix(std::path::PathBuf),
}

/// A connection of whatever kind.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return unix(path);
        }
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
        match port {
            Some(Ok(_)) => Ok(Self::Tcp(text.to_owned())),
            Some(Err(_)) => Err("the port is no number up to 65535".into()),
            None => Err("it is neither HOST:PORT nor unix:PATH".into()),
        }
    }
}

#[cfg(unix)]
fn unix(path: &str) -> Result<Address, String> {
    if path.is_empty() { Err("unix: needs a path".into()) } else { Ok(Address::Unix(path.into())) }
}

#[cfg(not(unix))]
fn unix(_: &str) -> Result<Address, String> {
    Err("there are no unix sockets on this system".into())
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            #[cfg(unix)]
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
