//! A peer whose process is stopped: its connection stays open, and its kernel even takes bytes.

use crate::support::{LONG_WATCHDOG, assert_balanced, within};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{Closed, Disconnect, RecvError, Timeout, Window};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

const KEEPALIVE: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_millis(600);
/// The report's, and as much again for a machine that has other work.
const SLACK: Duration = Duration::from_secs(2);
const ADDRESS: &str = "CREDIT_CHANNEL_STOPPED_PEER";

/// This process once more, as the peer.
struct Peer(Child);

impl Peer {
    fn start(address: std::net::SocketAddr, role: &str) -> Self {
        let mut peer = Command::new(std::env::current_exe().unwrap());
        peer.args(["--exact", "stopped::peer_of_report_49", "--ignored"]).stdout(Stdio::null()).stderr(Stdio::null());
        Self(peer.env(ADDRESS, format!("{role} {address}")).spawn().unwrap())
    }

    fn stop(&self) {
        let stopped = Command::new("kill").args(["-STOP", &self.0.id().to_string()]).status().unwrap();
        assert!(stopped.success());
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SIGKILL reaches a stopped process too.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "no test: the peer that report 49 starts and stops"]
fn peer_of_report_49() {
    let Ok(told) = std::env::var(ADDRESS) else { return };
    let (role, address) = told.split_once(' ').unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let io = TcpStream::connect(address).await.unwrap();
        if role == "consumer" {
            let (mut rx, driver) = Transport::new().consumer::<Bytes>(io, Window::messages(2)).await.unwrap();
            tokio::spawn(driver);
            let mut held = Vec::new();
            while let Ok(Some(chunk)) = rx.recv().await {
                held.push(chunk);
            }
        } else {
            let (tx, driver) = Transport::new().producer::<Bytes>(io).await.unwrap();
            tokio::spawn(driver);
            tx.send(Bytes::from("one")).await.unwrap();
            tx.closed().await;
        }
    });
}

/// bearcove/vox#92, hashicorp/yamux#12, grpc/grpc-go#154. (The same with a link that falls silent: `silence`.)
#[cfg(unix)]
#[test]
fn report_49_peer_that_is_stopped_is_given_up_in_time() {
    within(LONG_WATCHDOG, "a peer that is stopped", || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let transport = Transport::new().keepalive(KEEPALIVE).idle_timeout(IDLE).linger(KEEPALIVE);
            let gone = Disconnect::Timeout(Timeout::Idle);
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();

            // A producer that waits for credit.
            let peer = Peer::start(address, "consumer");
            let (tx, driver) = transport.producer::<Bytes>(listener.accept().await.unwrap().0).await.unwrap();
            let driving = tokio::spawn(driver);
            tx.send(Bytes::from("one")).await.unwrap();
            tx.send(Bytes::from("two")).await.unwrap();
            assert!(tx.send_timeout(Bytes::from("three"), 2 * IDLE).await.is_err(), "all is well, but for credit");
            assert!(!tx.is_closed());
            peer.stop();
            let since = Instant::now();
            let error = tx.send(Bytes::from("three")).await.unwrap_err();
            assert_eq!(error.closed(), Some(&Closed::Disconnected(gone.clone())));
            assert!(since.elapsed() <= IDLE + KEEPALIVE + SLACK, "{:?}", since.elapsed());
            assert_eq!(driving.await.unwrap(), Err(gone.clone()));

            // A consumer that waits for work.
            let peer = Peer::start(address, "producer");
            let io = listener.accept().await.unwrap().0;
            let (mut rx, driver) = transport.consumer::<Bytes>(io, Window::messages(2)).await.unwrap();
            let driving = tokio::spawn(driver);
            let in_hand = rx.recv().await.unwrap().unwrap();
            peer.stop();
            let since = Instant::now();
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Truncated { received: 1, reason: gone.clone() });
            assert!(since.elapsed() <= IDLE + KEEPALIVE + SLACK, "{:?}", since.elapsed());
            assert_eq!(driving.await.unwrap(), Err(gone));
            drop(in_hand);
            assert_balanced(rx.stats(), true);
        });
    });
}
