//! Where it matters that the pipe is the kernel's (H4, H29, H40, H52).

use crate::raw::{Fields, Raw, consumer_over, producer_over, write};
use crate::support::{FLAVOURS, LONG_WATCHDOG, runtime, until, within};
use bytes::Bytes;
use credit_channel::transport::{ConnectError, Transport, tcp};
use credit_channel::wire::{Code, Frame};
use credit_channel::{Closed, Disconnect, RecvError, Timeout, Window};
use std::panic::resume_unwind;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Runs it on a runtime of each kind, in real time.
fn with_sockets<F>(test: impl Fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    for flavour in FLAVOURS {
        let future = test();
        within(LONG_WATCHDOG, format!("the test on {flavour:?}"), move || {
            let runtime = runtime(flavour);
            let done = runtime.block_on(runtime.spawn(future));
            done.unwrap_or_else(|failed| resume_unwind(failed.into_panic()));
        });
    }
}

const BUFFER: u32 = 64 << 10;

/// Two ends of a TCP connection with small buffers. (The smallest that the kernel makes are less than a segment of the
/// loopback, and then each one waits for a timer.)
async fn narrow() -> (TcpStream, TcpStream) {
    let listener = TcpSocket::new_v4().expect("a socket");
    listener.set_recv_buffer_size(BUFFER).expect("it is settled before");
    listener.set_send_buffer_size(BUFFER).expect("it is settled before");
    listener.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = listener.listen(1).expect("it listens");
    let address = listener.local_addr().expect("it is bound");
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(BUFFER).expect("it is settled before");
    socket.set_send_buffer_size(BUFFER).expect("it is settled before");
    let (near, far) = tokio::join!(socket.connect(address), listener.accept());
    (tcp(near.expect("it connects")).expect("a socket"), tcp(far.expect("it accepts").0).expect("a socket"))
}

/// Grants all there is and reads nothing: nothing is taken from the user beyond the window, and the connection is given
/// up. The peer could not read a GOAWAY either.
#[test]
fn h4_who_grants_and_does_not_read_is_given_up() {
    with_sockets(|| async {
        let (near, far) = narrow().await;
        let transport = Transport::new().write_timeout(Duration::from_millis(300));
        let (raw, tx, driven) =
            producer_over::<Bytes, _>(transport, Raw::new(far), near, Fields::consumer(1_000)).await;
        let sending = tokio::spawn({
            let tx = tx.clone();
            async move {
                loop {
                    if let Err(error) = tx.send(Bytes::from_static(&[0; 10_000])).await {
                        return error;
                    }
                }
            }
        });
        let lost = Disconnect::Timeout(Timeout::Write);
        assert_eq!(sending.await.expect("no panic").closed(), Some(&Closed::Disconnected(lost.clone())));
        assert!(tx.stats().sent <= 1_000);
        assert_eq!(driven.await.expect("no panic"), Err(lost));
        drop(raw);
    });
}

/// rust-yamux #227 and its kin: both ends write, neither end's writes are taken, and each would read on only once they
/// were. The raw consumer sends 1 MiB that may be ignored, and only then begins to read.
#[test]
fn h40_a_producer_whose_writes_are_not_taken_reads_on() {
    with_sockets(|| async {
        let (near, far) = narrow().await;
        let hello = Fields::consumer(20);
        let (mut raw, tx, driven) = producer_over::<Bytes, _>(Transport::new(), Raw::new(far), near, hello).await;
        for _ in 0..20 {
            tx.send(Bytes::from_static(&[7; 50_000])).await.expect("there is credit");
        }
        tx.end();
        for _ in 0..16 {
            raw.say(write::extension(64 << 10)).await;
        }
        let mut count = 0;
        loop {
            match raw.hear_weighty().await {
                Some(Frame::Chunk { seq, payload }) => {
                    assert_eq!((seq, payload.len()), (count, 50_000));
                    count += 1;
                }
                Some(Frame::End { count: 20, .. }) => break,
                other => panic!("chunks, and not {other:?}"),
            }
        }
        raw.say(write::grant(40, 20, 20)).await;
        assert_eq!(raw.hear().await, None);
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
    });
}

/// Two real ends over the narrowest sockets, chunks one way and a CREDIT for nearly each of them the other.
#[test]
fn h40_two_ends_over_the_narrowest_sockets_come_through() {
    with_sockets(|| async {
        let (near, far) = narrow().await;
        let transport = Transport::new().max_frame(1 << 20);
        let producer = transport.producer::<Bytes>(near);
        let consumer = transport.consumer::<Bytes>(far, Window::messages(4));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).expect("the two say hello");
        let (near, far) = (tokio::spawn(near), tokio::spawn(far));
        let sending = tokio::spawn(async move {
            for size in (0..60).map(|n| n * 4_999 % 200_000) {
                tx.send(Bytes::from(vec![1; size])).await.expect("the consumer takes it");
            }
            tx.end_and_wait().await
        });
        let mut received = 0;
        while let Some(chunk) = rx.recv().await.expect("no error") {
            assert_eq!(chunk.len(), received * 4_999 % 200_000);
            received += 1;
        }
        assert_eq!(received, 60);
        sending.await.expect("no panic").expect("all is done");
        assert_eq!((near.await.expect("no panic"), far.await.expect("no panic")), (Ok(()), Ok(())));
    });
}

/// A reset in the middle of a chunk: the kernel's word for a peer that crashed.
#[test]
fn h29_a_reset_inside_a_frame_is_no_end() {
    with_sockets(|| async {
        let (near, far) = narrow().await;
        far.set_zero_linger().expect("a reset instead of an end");
        let (mut raw, mut rx, driven) =
            consumer_over::<Bytes, _>(Transport::new(), Raw::new(far), near, Window::messages(4)).await;
        raw.say(write::chunk(0, b"whole")).await;
        drop(rx.recv().await.expect("a chunk"));
        raw.say(&write::chunk(1, b"cut off")[..25]).await;
        drop(raw);
        match rx.recv().await {
            Err(RecvError::Truncated { received: 1, reason: Disconnect::Io(_) | Disconnect::Eof }) => {}
            other => panic!("cut off, and not {other:?}"),
        }
        assert!(driven.await.expect("no panic").is_err());
    });
}

/// The peer wrote a great deal behind what broke a rule, before it reads: the GOAWAY is there all the same. Without
/// reading on, the kernel would answer what was not read with a reset, and throw the GOAWAY away.
#[test]
fn goaway_survives_what_comes_behind_a_broken_rule() {
    with_sockets(|| async {
        for broken in [write::end(9, 9), write::head(0xFF, 0), write::head(write::CHUNK, u32::MAX)] {
            let (near, far) = narrow().await;
            let (mut raw, _rx, driven) =
                consumer_over::<Bytes, _>(Transport::new(), Raw::new(far), near, Window::messages(4)).await;
            raw.say(broken).await;
            raw.say(vec![0; 4 << 20]).await;
            assert!(matches!(raw.hear_weighty().await, Some(Frame::GoAway { .. })));
            assert_eq!(raw.hear().await, None);
            drop(raw);
            assert!(matches!(driven.await.expect("no panic"), Err(Disconnect::Violation(_))));
        }
    });
}

/// tonic's RUSTSEC-2024-0376: one connection's error ended the loop that accepts all of them.
#[test]
fn h52_failing_handshakes_do_not_end_the_accept_loop() {
    with_sockets(|| async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("it is bound");
        // As a server would: each handshake in a task of its own, so that a slow one keeps nobody waiting.
        let (failed, mut failures) = tokio::sync::mpsc::unbounded_channel();
        let accepting = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.expect("the listener itself is whole");
                let failed = failed.clone();
                tokio::spawn(async move {
                    let opened = match tcp(socket) {
                        Ok(socket) => Transport::new().producer::<Bytes>(socket).await,
                        Err(error) => Err(ConnectError::Lost(error.into())),
                    };
                    match opened {
                        Ok((tx, driver)) => {
                            tokio::spawn(driver);
                            tx.send(Bytes::from_static(b"served")).await.expect("there is credit");
                            tx.end();
                        }
                        Err(error) => failed.send(error).expect("the test listens"),
                    }
                });
            }
        });
        // A few that say nothing and stay, in nobody's way.
        let silent = [TcpStream::connect(address).await, TcpStream::connect(address).await];
        let openings: [Vec<u8>; 5] = [
            vec![],
            b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            [write::preface(), Fields { major: 9, ..Fields::consumer(4) }.frame()].concat(),
            [write::preface(), Fields { max_frame: 0, ..Fields::consumer(4) }.frame()].concat(),
            [write::preface(), write::head(0xFF, u32::MAX)].concat(),
        ];
        for round in 0..20 {
            for opening in &openings {
                let socket = TcpStream::connect(address).await.expect("somebody accepts");
                if round % 2 == 0 {
                    socket.set_zero_linger().expect("a reset");
                }
                Raw::new(socket).try_say(opening).await.ok();
            }
        }
        let mut seen = 0;
        while seen < 100 {
            let ConnectError::Lost(_) = failures.recv().await.expect("it goes on") else { panic!("lost") };
            seen += 1;
        }
        let socket = tcp(TcpStream::connect(address).await.expect("somebody accepts")).expect("a socket");
        let opened = Transport::new().consumer::<Bytes>(socket, Window::messages(4)).await;
        let (mut rx, driver) = opened.expect("an honest peer is served");
        tokio::spawn(driver);
        assert_eq!(*rx.recv().await.expect("no error").expect("a chunk"), Bytes::from_static(b"served"));
        assert!(rx.recv().await.expect("no error").is_none());
        assert!(!accepting.is_finished());
        drop(silent);
        accepting.abort();
    });
}

/// One connection breaks a rule; its neighbours on the same runtime do not notice.
#[test]
fn a_hostile_connection_is_nobody_elses_concern() {
    with_sockets(|| async {
        let (near, far) = narrow().await;
        let producer = Transport::new();
        let opening = tokio::spawn(async move { producer.producer::<Bytes>(near).await });
        let (mut rx, good) =
            Transport::new().consumer::<Bytes>(far, Window::messages(1)).await.expect("the two say hello");
        let good = tokio::spawn(good);
        let (tx, driver) = opening.await.expect("no panic").expect("the two say hello");
        tokio::spawn(driver);
        for round in 0..50_u64 {
            let (near, far) = narrow().await;
            let (mut raw, _bad, driven) =
                consumer_over::<Bytes, _>(Transport::new(), Raw::new(far), near, Window::messages(4)).await;
            raw.say(write::chunk(round + 1, b"x")).await;
            raw.hear_goaway(Code::SEQUENCE).await;
            drop(raw);
            assert!(driven.await.expect("no panic").is_err());
            tx.send(Bytes::from_static(b"x")).await.expect("the neighbour is well");
            assert_eq!(rx.recv().await.expect("no error").expect("a chunk").seq(), round);
        }
        until(|| tx.depth().is_zero()).await;
        assert!(!good.is_finished());
    });
}
