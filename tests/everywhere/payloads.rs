//! I3, I6 in bytes: every payload arrives as it was sent and costs what it weighs, and one that cannot be sent or read is
//! refused with the numbers while the channel stays what it was.

use crate::support::carrier::{Carrier, Open, is_back, over, over_every_connection, wherever_bytes_count};
use crate::support::{Dice, LONG_WATCHDOG, assert_balanced, until};
use bytes::{Bytes, BytesMut};
use credit_channel::codec::Codec;
use credit_channel::{CancelReason, Chunk, Closed, Disconnect, RecvError, SendError, TrySendError, Window};
use std::fmt;

/// A payload whose every byte tells where it belongs.
fn payload(seq: u64, size: usize) -> Bytes {
    let mut dice = Dice::new(seq);
    (0..size).map(|_| u8::try_from(dice.below(256)).unwrap()).collect()
}

#[test]
fn payloads_of_every_size_arrive_whole_and_in_order() {
    over(
        |carrier| carrier != Carrier::Mpsc,
        LONG_WATCHDOG,
        |carrier| async move {
            let sizes = [0, 1, 2, 15, 16, 17, 0, 0, 127, 128, 8191, 8192, 8193, 30_000, 65_535, 65_536, 70_000, 3];
            let tiny = carrier == Carrier::Duplex(24);
            let sizes: Vec<_> = sizes.into_iter().filter(|size| !tiny || *size < 9000).collect();
            let window = Window::bytes(80_000).and_messages(6);
            let Open { tx, mut rx, line } = carrier.open_line::<Bytes>(window).await;
            let sent = sizes.clone();
            let producer = tokio::spawn(async move {
                for (seq, size) in (0..).zip(sent) {
                    tx.send(payload(seq, size)).await.unwrap();
                }
                tx.end_and_wait().await
            });
            for (seq, size) in (0..).zip(sizes) {
                let chunk = rx.recv().await.unwrap().unwrap();
                assert_eq!((chunk.seq(), chunk.len()), (seq, size));
                assert_eq!((chunk.cost().messages(), chunk.cost().bytes()), (1, u64::try_from(size.max(1)).unwrap()));
                assert!(*chunk == payload(seq, size), "chunk {seq} of {size} bytes");
            }
            assert!(rx.recv().await.unwrap().is_none());
            producer.await.unwrap().unwrap();
            line.over().await;
            assert_balanced(rx.stats(), true);
        },
    );
}

#[test]
fn stream_of_empty_payloads_is_bounded_and_ends() {
    wherever_bytes_count(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_line::<Bytes>(Window::bytes(3).and_messages(100)).await;
        for _ in 0..3 {
            tx.try_send(Bytes::new()).unwrap();
        }
        assert!(tx.try_send(Bytes::new()).unwrap_err().is_full());
        let producer = tokio::spawn(async move {
            for _ in 0..50 {
                tx.send(Bytes::new()).await.unwrap();
            }
            tx.end_and_wait().await
        });
        let mut received = 0;
        while let Some(chunk) = rx.recv().await.unwrap() {
            assert!(chunk.is_empty());
            received += 1;
        }
        assert_eq!(received, 53);
        producer.await.unwrap().unwrap();
        line.over().await;
    });
}

/// Over a transport such a window counts messages too; it does not stop anybody all the same.
#[test]
fn window_of_bytes_alone_lets_everything_through() {
    wherever_bytes_count(|carrier| async move {
        for bytes in [1, 63, 64, 1000] {
            let Open { tx, mut rx, line } = carrier.open_line::<Bytes>(Window::bytes(bytes)).await;
            let size = usize::try_from(bytes).unwrap();
            let producer = tokio::spawn(async move {
                for seq in 0..30 {
                    let size = if seq % 3 == 0 { size } else { size / 5 };
                    tx.send(payload(seq, size)).await.unwrap();
                }
                tx.end_and_wait().await
            });
            let mut seq = 0;
            while let Some(chunk) = rx.recv().await.unwrap() {
                assert!(rx.stats().depth.bytes() <= bytes);
                assert_eq!(chunk.seq(), seq);
                seq += 1;
            }
            assert_eq!(seq, 30);
            producer.await.unwrap().unwrap();
            // Changed in its own unit.
            rx.set_window(Window::bytes(bytes + 1)).unwrap();
            line.over().await;
            rx.set_window(Window::bytes(bytes + 2)).unwrap();
        }
    });
}

#[test]
fn payload_larger_than_the_window_is_refused_at_once_and_the_channel_goes_on() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open::<Bytes>(Window::bytes(100).and_messages(4)).await;
        tx.send(payload(0, 100)).await.unwrap();
        // Also while there is no credit at all.
        let error = tx.send(payload(1, 101)).await.unwrap_err();
        assert!(
            matches!(&error, SendError::TooLarge { cost, limit, .. } if (cost.bytes(), limit.bytes()) == (101, 100))
        );
        assert!(error.into_inner() == payload(1, 101));
        let error = tx.try_send(payload(1, 101)).unwrap_err();
        assert!(matches!(error, TrySendError::Refused(SendError::TooLarge { .. })));
        assert!(rx.recv().await.unwrap().is_some());
        is_back(&tx).await;
        tx.send(payload(2, 100)).await.unwrap();
        assert!(*rx.recv().await.unwrap().unwrap() == payload(2, 100));
    });
}

/// tokio-rs/tokio#5080: a length that did not fit its field was sent cut off.
#[test]
fn report_55_payload_larger_than_the_peers_frames_is_refused_here_whatever_the_window() {
    use credit_channel::transport::Transport;
    crate::support::on_both_runtimes(|| async {
        for window in [Window::messages(4), Window::messages(4).and_bytes(1 << 40)] {
            let (near, far) = tokio::io::duplex(1 << 16);
            let (transport, takes_little) = (Transport::new(), Transport::new().max_frame(2048));
            let producer = transport.producer::<Bytes>(near);
            let consumer = takes_little.consumer::<Bytes>(far, window);
            let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
            let drivers = (tokio::spawn(near), tokio::spawn(far));
            until(|| tx.credit().messages() == 4).await;
            for size in [2041, 2048, 1 << 20] {
                let refused = tx.send(payload(9, size)).await.unwrap_err();
                let expected = (u64::try_from(size).unwrap(), 2040);
                let SendError::TooLarge { cost, limit, value } = refused else { panic!("{refused:?}") };
                assert_eq!(((cost.bytes(), limit.bytes()), value.len()), (expected, size));
                assert!(tx.try_send(payload(9, size)).is_err());
                let permit = tx.reserve().await.unwrap();
                let refused = permit.send(payload(9, size)).unwrap_err();
                assert!(matches!(refused, SendError::TooLarge { limit, .. } if limit.bytes() == 2040), "{refused:?}");
                assert_eq!(tx.credit().messages(), 4);
            }
            tx.send(payload(1, 2040)).await.unwrap();
            assert!(*rx.recv().await.unwrap().unwrap() == payload(1, 2040));
            tx.end_and_wait().await.unwrap();
            assert!(rx.recv().await.unwrap().is_none());
            assert_eq!((drivers.0.await.unwrap(), drivers.1.await.unwrap()), (Ok(()), Ok(())));
        }
    });
}

// ----- codecs that refuse -----

/// Numbers, of which some cannot be written and some cannot be read.
struct Picky;

const UNWRITABLE: u64 = 13;
const UNREADABLE: u64 = 17;

#[derive(Debug)]
struct Refused(u64);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused", self.0)
    }
}

impl std::error::Error for Refused {}

impl Codec<u64> for Picky {
    type Error = Refused;

    fn measure(&self, value: &u64) -> Result<usize, Refused> {
        if *value == UNWRITABLE { Err(Refused(*value)) } else { Ok(8) }
    }

    fn encode(&self, value: u64, _: &mut BytesMut) -> Result<Bytes, Refused> {
        Ok(Bytes::copy_from_slice(&value.to_be_bytes()))
    }

    fn decode(&self, payload: Bytes) -> Result<u64, Refused> {
        let value = u64::from_be_bytes(payload[..].try_into().expect("8 bytes"));
        if value == UNREADABLE { Err(Refused(value)) } else { Ok(value) }
    }
}

fn over_bytes<Fut: Future<Output = ()> + Send + 'static>(test: fn(Carrier) -> Fut) {
    let bytes = |carrier| !matches!(carrier, Carrier::InProcess | Carrier::Mpsc);
    over(bytes, LONG_WATCHDOG, test);
}

#[test]
fn value_that_cannot_be_written_is_given_back_and_the_channel_goes_on() {
    over_bytes(|carrier| async move {
        let Open { tx, mut rx, .. } = carrier.open_with(Picky, Window::messages(2)).await;
        let error = tx.send(UNWRITABLE).await.unwrap_err();
        assert_eq!(error, SendError::Unencodable { value: UNWRITABLE, text: "13 is refused".into() });
        let permit = tx.reserve().await.unwrap();
        let error = permit.send(UNWRITABLE).unwrap_err();
        assert_eq!(error, SendError::Unencodable { value: UNWRITABLE, text: "13 is refused".into() });
        is_back(&tx).await;
        tx.send(1).await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
    });
}

#[test]
fn payload_that_cannot_be_read_stops_the_channel_after_what_came_before_it() {
    over_bytes(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_with(Picky, Window::messages(8)).await;
        for value in [1, 2, UNREADABLE, 3] {
            tx.send(value).await.unwrap();
        }
        let Closed::Cancelled(CancelReason::Undecodable(text)) = tx.closed().await else { panic!("it is told why") };
        assert_eq!(&*text, "chunk 2: 17 is refused");
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(1));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(2));
        let undecodable = RecvError::Undecodable { seq: 2, text: "17 is refused".into() };
        assert_eq!(rx.recv().await.unwrap_err(), undecodable);
        line.over().await;
        assert_eq!(rx.recv().await.unwrap_err(), undecodable);
        assert_balanced(rx.stats(), true);
        assert!(tx.send(4).await.is_err());
    });
}

/// Numbers, of which some look as if they could be written, and some are more than the codec can bear.
struct Faulty;

const FAILS: u64 = 13;
const PANICS: u64 = 17;

impl Codec<u64> for Faulty {
    type Error = Refused;

    fn measure(&self, _: &u64) -> Result<usize, Refused> {
        Ok(8)
    }

    fn encode(&self, value: u64, scratch: &mut BytesMut) -> Result<Bytes, Refused> {
        if value == FAILS { Err(Refused(value)) } else { Picky.encode(value, scratch) }
    }

    fn decode(&self, payload: Bytes) -> Result<u64, Refused> {
        match u64::from_be_bytes(payload[..].try_into().expect("8 bytes")) {
            PANICS => std::panic::resume_unwind(Box::new("unlucky")),
            value => Ok(value),
        }
    }
}

#[test]
fn value_that_fails_to_be_written_after_all_costs_the_connection_and_both_sides_are_told() {
    over_bytes(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_with(Faulty, Window::messages(8)).await;
        for value in [1, 2, FAILS, 3] {
            tx.send(value).await.unwrap();
        }
        let encode = Disconnect::Encode { seq: 2, text: "13 is refused".into() };
        assert_eq!(tx.closed().await, Closed::Disconnected(encode.clone()));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(1));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(2));
        let Err(RecvError::Truncated { received: 2, reason }) = rx.recv().await else { panic!("cut off") };
        let Disconnect::GoneAway(why) = &reason else { panic!("{reason:?}") };
        assert!(why.text().contains("13 is refused"), "{why}");
        let drivers = line.drivers();
        assert_eq!(drivers.producer.await.unwrap(), Err(encode));
        assert_eq!(drivers.consumer.await.unwrap(), Err(reason));
    });
}

#[test]
fn codec_that_panics_takes_its_driver_with_it_and_both_sides_are_told() {
    over_bytes(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_with(Faulty, Window::messages(8)).await;
        for value in [1, 2, PANICS, 3] {
            tx.send(value).await.unwrap();
        }
        assert!(matches!(tx.closed().await, Closed::Disconnected(Disconnect::Eof | Disconnect::Io(_))));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(1));
        assert_eq!(rx.recv().await.unwrap().map(Chunk::into_inner), Some(2));
        let lost = RecvError::Truncated { received: 2, reason: Disconnect::DriverDropped };
        assert_eq!(rx.recv().await.unwrap_err(), lost);
        let drivers = line.drivers();
        assert!(drivers.consumer.await.unwrap_err().is_panic());
        assert!(drivers.producer.await.unwrap().is_err());
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn numbers_of_both_ends_agree_at_rest() {
    over_every_connection(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(20)).await;
        for item in 0..50 {
            tx.send(item).await.unwrap();
            drop(rx.recv().await.unwrap());
        }
        tx.finished().await.unwrap();
        let (here, there) = (tx.stats(), rx.stats());
        assert_eq!((here.sent, here.released, here.depth), (there.sent, there.released, there.depth));
        assert_eq!((here.window, here.credit), (there.window, there.credit));
    });
}
