//! The peer takes us through every conversation of the test vectors: what comes in and out of place, and what our
//! sides have to answer.

use crate::peer::{Peer, interop};
use crate::vectors::VECTORS;
use bytes::Bytes;
use credit_channel::transport::{Transport, tcp};
use credit_channel::{CancelReason, Window};
use tokio::net::{TcpListener, TcpStream};

#[test]
fn we_hold_every_conversation() {
    interop(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let mut peer = Peer::script("conversations.py", &[VECTORS, "--against", &address]);
        let mut conversations = 0;
        while let Some((side, user)) = peer.next_conversation().await {
            let (socket, _) = listener.accept().await.expect("the peer connects");
            let socket = tcp(socket).expect("a TCP socket");
            match &side[..] {
                "producer" => drop(tokio::spawn(produce(socket, user))),
                _ => drop(tokio::spawn(consume(socket, user))),
            }
            conversations += 1;
        }
        assert!(conversations >= 50, "{conversations} conversations");
        peer.report().await;
    });
}

/// As the README of the vectors wants it: two chunks, and then what the user does.
async fn produce(socket: TcpStream, user: String) {
    let transport = Transport::new().max_frame(65_536);
    let Ok((tx, driver)) = transport.producer::<Bytes>(socket).await else { return };
    let driving = tokio::spawn(driver);
    for payload in [&b"abc"[..], b"defg"] {
        if tx.send(Bytes::from_static(payload)).await.is_err() {
            break;
        }
    }
    match &user[..] {
        "ends" => tx.end(),
        "fails" => tx.fail("as the vectors want it"),
        // Not dropped before the connection is over: that would be the end of the channel.
        _ => drop((driving.await, tx)),
    }
}

/// Holds what comes, or cancels behind the first chunk.
async fn consume(socket: TcpStream, user: String) {
    let transport = Transport::new().max_frame(65_536);
    let window = Window::messages(4).and_bytes(1000);
    let Ok((mut rx, driver)) = transport.consumer::<Bytes>(socket, window).await else { return };
    let driving = tokio::spawn(driver);
    let mut held = Vec::new();
    while let Ok(Some(chunk)) = rx.recv().await {
        held.push(chunk);
        if user == "cancels" {
            rx.cancel(CancelReason::Requested);
        }
    }
    drop((driving.await, rx, held));
}
