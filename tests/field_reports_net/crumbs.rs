//! Frames that come in crumbs, to a receiver that keeps letting go.

use crate::support::link::{Fate, link};
use crate::support::on_a_paused_clock;
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::{Chunk, CreditConsumer, Window};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const FRAMES: u64 = 1000;
const MILLISECOND: Duration = Duration::from_millis(1);

/// Mostly short, now and then long; one of 64 KiB.
fn frame(n: u64) -> Bytes {
    let length = match n {
        500 => 64 << 10,
        _ if n % 97 == 0 => 12_000,
        _ => usize::try_from(n % 65).unwrap(),
    };
    (0..length).map(|at| u8::try_from((at * 7 + usize::try_from(n).unwrap()) % 251).unwrap()).collect()
}

/// nteract/nteract#2182, tinylabscom/mvm#2593: a receive that lost a select dropped half a frame, and the next bytes were
/// taken for a length.
#[test]
fn report_52_every_frame_is_whole_however_often_receiving_is_given_up() {
    on_a_paused_clock(|| async {
        let fate = Fate { crumbs: 1..=7, rate: 4, hiccups: 10, ..Fate::fair() };
        let (near, far, _) = link(52, fate.clone(), fate);
        let transport = Transport::new();
        let window = Window::messages(8).and_bytes(100 << 10);
        let (producer, consumer) = (transport.producer::<Bytes>(near), transport.consumer::<Bytes>(far, window));
        let ((tx, near), (mut rx, far)) = tokio::try_join!(producer, consumer).unwrap();
        let drivers = [tokio::spawn(near), tokio::spawn(far)];
        tokio::spawn(async move {
            for n in 0..FRAMES {
                tx.send(frame(n)).await.unwrap();
            }
            tx.end();
        });
        for n in 0..FRAMES {
            let chunk = receive(&mut rx, n % 2 == 0).await.expect("there are more");
            assert_eq!(chunk.seq(), n);
            assert!(*chunk == frame(n), "frame {n}");
        }
        assert!(receive(&mut rx, true).await.is_none());
        for driver in drivers {
            assert_eq!(driver.await.unwrap(), Ok(()));
        }
    });
}

/// Receives with a call that is given up each millisecond.
async fn receive(rx: &mut CreditConsumer<Bytes>, select: bool) -> Option<Chunk<Bytes>> {
    loop {
        let received = if select {
            tokio::select! {
                received = rx.recv() => Some(received),
                () = sleep(MILLISECOND) => None,
            }
        } else {
            timeout(MILLISECOND, rx.recv()).await.ok()
        };
        if let Some(received) = received {
            return received.unwrap();
        }
    }
}
