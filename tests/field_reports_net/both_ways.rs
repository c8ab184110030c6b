//! Both ends write, and the sockets are full.

use crate::support::link::{Fate, link};
use crate::support::{LONG_WATCHDOG, on_a_paused_clock, on_both_runtimes_within};
use bytes::Bytes;
use credit_channel::transport::{Driver, Transport, tcp};
use credit_channel::{CreditConsumer, CreditProducer, Disconnect, Window};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};

const ITEM: usize = 64 << 10;

/// Two sockets whose buffers are as small as the system makes them.
async fn narrow_sockets() -> (TcpStream, TcpStream) {
    let narrow = || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(1).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        socket
    };
    let listening = narrow();
    listening.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = listening.listen(1).unwrap();
    let (near, far) = tokio::join!(narrow().connect(listener.local_addr().unwrap()), listener.accept());
    (tcp(near.unwrap()).unwrap(), tcp(far.unwrap().0).unwrap())
}

struct Channel {
    tx: CreditProducer<Bytes>,
    rx: CreditConsumer<Bytes>,
    drivers: [Driver; 2],
}

async fn channel<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(near: S, far: S) -> Channel {
    let transport = Transport::new().keepalive(Duration::from_millis(10)).idle_timeout(Duration::from_secs(5));
    let (producer, consumer) =
        (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, Window::bytes(256 << 10)));
    let ((tx, near), (rx, far)) = tokio::try_join!(producer, consumer).unwrap();
    Channel { tx, rx, drivers: [near, far] }
}

async fn produce(tx: CreditProducer<Bytes>, items: usize) {
    let payload = Bytes::from(vec![7; ITEM]);
    for _ in 0..items {
        tx.send(payload.clone()).await.unwrap();
    }
    tx.end_and_wait().await.unwrap();
}

async fn consume(mut rx: CreditConsumer<Bytes>, items: usize) {
    for _ in 0..items {
        assert_eq!(rx.recv().await.unwrap().unwrap().len(), ITEM);
    }
    assert!(rx.recv().await.unwrap().is_none());
}

async fn drive([near, far]: [Driver; 2]) {
    let all_said: (Result<(), Disconnect>, _) = tokio::join!(near, far);
    assert_eq!(all_said, (Ok(()), Ok(())));
}

/// libp2p/rust-yamux#112, #102, #193: both ends blocked on writing and so neither read; a PING in the way made it worse.
/// Here two channels run in opposite directions, with all of an end in one task or each part in its own.
#[test]
fn report_29_both_ends_write_into_full_sockets_and_both_read_on() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        const ITEMS: usize = 80;
        for one_task in [false, true] {
            let (left, right) = (narrow_sockets().await, narrow_sockets().await);
            let (a, b) = tokio::join!(channel(left.0, left.1), channel(right.0, right.1));
            let all: [std::pin::Pin<Box<dyn Future<Output = ()> + Send>>; 6] = [
                Box::pin(drive(a.drivers)),
                Box::pin(drive(b.drivers)),
                Box::pin(produce(a.tx, ITEMS)),
                Box::pin(consume(a.rx, ITEMS)),
                Box::pin(produce(b.tx, ITEMS)),
                Box::pin(consume(b.rx, ITEMS)),
            ];
            if one_task {
                futures_util::future::join_all(all).await;
            } else {
                for task in all.map(tokio::spawn) {
                    task.await.unwrap();
                }
            }
        }
    });
}

/// The same on a link that takes a few bytes at a time, in both directions.
#[test]
fn report_29_a_link_that_takes_next_to_nothing_is_no_deadlock() {
    on_a_paused_clock(|| async {
        let fate = Fate { buffer: 100, crumbs: 1..=100, hiccups: 20, ..Fate::fair() };
        let (near, far, _) = link(29, fate.clone(), fate);
        let Channel { tx, rx, drivers } = channel(near, far).await;
        tokio::join!(drive(drivers), produce(tx, 16), consume(rx, 16));
    });
}
