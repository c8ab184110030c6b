//! Listening, on TCP or on a unix socket.

use crate::address::{Address, Stream};
use credit_channel::transport::tcp;
use std::io;
use tokio::net::TcpListener;

/// Where clients come from.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(tokio::net::UnixListener, std::path::PathBuf),
}

impl Listener {
    /// Listens. The error is a line for people.
    pub(crate) async fn bind(address: &Address) -> Result<Self, String> {
        let listener = match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            #[cfg(unix)]
            Address::Unix(path) => bind_unix(path).map(|listener| Self::Unix(listener, path.clone())),
        };
        listener.map_err(|error| format!("cannot listen on {address}: {error}"))
    }

    /// Where clients find it. A port of 0 is by now a real one.
    pub(crate) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?.to_string())),
            #[cfg(unix)]
            Self::Unix(_, path) => Ok(Address::Unix(path.clone())),
        }
    }

    /// The next client, and its name.
    pub(crate) async fn accept(&self) -> io::Result<(Box<dyn Stream>, String)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok((Box::new(tcp(stream)?), peer.to_string()))
            }
            #[cfg(unix)]
            Self::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
                let peer = peer.map_or_else(|| "a unix socket".into(), |pid| format!("process {pid}"));
                Ok((Box::new(stream), peer))
            }
        }
    }
}

/// A socket whose server died is still there as a file: nobody answers, and it is in the way.
#[cfg(unix)]
fn bind_unix(path: &std::path::Path) -> io::Result<tokio::net::UnixListener> {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream;

    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        std::fs::remove_file(path)?;
    }
    tokio::net::UnixListener::bind(path)
}

impl Drop for Listener {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Self::Unix(_, path) = self {
            // If it is gone already, so be it.
            let _ = std::fs::remove_file(path);
        }
    }
}
