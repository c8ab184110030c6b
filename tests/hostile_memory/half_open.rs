//! A thousand connections that never come to anything.

use crate::raw::{Raw, write};
use crate::{Growth, KIB, alone};
use bytes::Bytes;
use credit_channel::transport::{ConnectError, Transport};
use credit_channel::wire::LARGEST_MAX_FRAME;
use credit_channel::{Disconnect, Timeout, Window};

/// Field of W2: announce the longest frame, send one byte of it, and wait.
#[test]
fn a_thousand_half_open_connections_cost_what_they_have_sent() {
    alone(async {
        let growth = Growth::from_now();
        let mut raws = Vec::new();
        let mut openings = Vec::new();
        for _ in 0..1_000 {
            let (mut raw, ours) = Raw::pipe(KIB);
            openings.push(tokio::spawn(async move {
                let transport = Transport::new().max_frame(LARGEST_MAX_FRAME);
                transport.consumer::<Bytes>(ours, Window::messages(4)).await.map(|_| ())
            }));
            let hello = crate::raw::Fields::producer();
            raw.say([&write::preface()[..], &hello.frame()[..13]].concat()).await;
            raws.push(raw);
        }
        for opening in openings {
            let lost = opening.await.expect("no panic").expect_err("nobody says hello");
            assert_eq!(lost, ConnectError::Lost(Disconnect::Timeout(Timeout::Handshake)));
        }
        growth.assert_below(1_000 * 12 * KIB, "a thousand half-open connections, each");
    });
}

/// The same behind the handshake.
#[test]
fn a_thousand_frames_of_which_one_byte_came_cost_what_has_come() {
    alone(async {
        let growth = Growth::from_now();
        let mut connections = Vec::new();
        for _ in 0..1_000 {
            let (raw, ours) = Raw::pipe(KIB);
            let transport = Transport::new().max_frame(LARGEST_MAX_FRAME);
            let (mut raw, rx, driven) =
                crate::raw::consumer_over::<Bytes, _>(transport, raw, ours, Window::messages(4)).await;
            raw.say([&write::head(write::CHUNK, LARGEST_MAX_FRAME)[..], &[0]].concat()).await;
            connections.push((raw, rx, driven));
        }
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        assert!(connections.iter().all(|(_, _, driven)| !driven.is_finished()));
        // Of which 4 KiB are the raw peer's own buffer.
        growth.assert_below(1_000 * 20 * KIB, "a thousand frames that were begun, each");
    });
}
