//! A few bytes that claim to be many (H13, H14, H45, H46, H47).

use crate::raw::{Fields, against_consumer, against_consumer_of, against_producer, write};
use crate::{Growth, KIB, MIB, alone};
use credit_channel::codec::{Bincode, Codec};
use credit_channel::transport::Transport;
use credit_channel::wire::{Code, LARGEST_MAX_FRAME};
use credit_channel::{CancelReason, Closed, RecvError, Window};

#[test]
fn h13_lengths_beyond_all_bounds_reserve_nothing() {
    alone(async {
        let growth = Growth::from_now();
        for kind in [write::CHUNK, write::ERROR, write::EXTENSION, 0xFF] {
            let (mut raw, _rx, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            raw.say(write::head(kind, u32::MAX)).await;
            assert!(raw.hear_weighty().await.is_some(), "GOAWAY");
            drop(raw);
            assert!(driven.await.expect("no panic").is_err());
        }
        growth.assert_below(512 * KIB, "H13");
    });
}

/// The longest legal length reserves nothing either: what is kept is what has come.
#[test]
fn h14_a_frame_that_trickles_in_costs_what_has_come_of_it() {
    alone(async {
        let growth = Growth::from_now();
        let transport = Transport::new().max_frame(LARGEST_MAX_FRAME);
        let (mut raw, _rx, driven) = against_consumer(transport, Window::messages(4)).await;
        raw.say(write::head(write::CHUNK, LARGEST_MAX_FRAME)).await;
        for _ in 0..50 {
            raw.say([0; 100]).await;
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        growth.assert_below(512 * KIB, "H14, 5 KB of 16 MiB");
        for _ in 0..1_000 {
            raw.say([0; 1_000]).await;
        }
        growth.assert_below(4 * MIB, "H14, 1 MB of 16 MiB");
        raw.hear_goaway(Code::TIMEOUT_IDLE).await;
        drop(raw);
        assert!(driven.await.expect("no panic").is_err());
    });
}

#[test]
fn h45_texts_are_kept_up_to_4_kib() {
    alone(async {
        let growth = Growth::from_now();
        for text in [[b'x'; 4_096], [0xFF; 4_096]] {
            let (mut raw, tx, _driven) = against_producer(Transport::new(), Fields::consumer(2)).await;
            raw.say(write::cancel(26, 7, text)).await;
            let Closed::Cancelled(CancelReason::Other { text, .. }) = tx.closed().await else { panic!("CANCEL") };
            assert!(text.len() <= 4_096);
            let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(2)).await;
            raw.say(write::head(write::ERROR, 1 << 30)).await;
            assert!(rx.recv().await.is_err());
        }
        growth.assert_below(MIB, "H45");
    });
}

/// What decoding one payload costs at most, whether it succeeds or not.
async fn decoding<T, C>(codec: C, payload: Vec<u8>, bound: usize, what: &str)
where
    T: Send + 'static,
    C: Codec<T>,
{
    let (mut raw, mut rx, _driven) =
        against_consumer_of::<T, C>(Transport::new().codec(codec), Window::messages(4)).await;
    let said = write::chunk(0, payload);
    let growth = Growth::from_now();
    raw.say(said).await;
    let received = rx.recv().await;
    growth.assert_below(bound, what);
    assert!(matches!(received, Ok(Some(_)) | Err(RecvError::Undecodable { seq: 0, .. })), "{what}");
}

#[test]
fn h46_lengths_inside_a_payload_reserve_little() {
    alone(async {
        let bomb = vec![253, 0, 0, 0, 0, 0, 0, 0, 0x10];
        decoding::<Vec<u64>, _>(Bincode, bomb.clone(), 2 * MIB, "H46, numbers").await;
        decoding::<Vec<u8>, _>(Bincode, bomb.clone(), 2 * MIB, "H46, bytes").await;
        decoding::<String, _>(Bincode, bomb.clone(), 2 * MIB, "H46, text").await;
        decoding::<Vec<[u64; 32]>, _>(Bincode, bomb, 2 * MIB, "H46, arrays").await;
        // Within the limit, and not there.
        let near = vec![252, 0xFF, 0xFF, 0xFF, 0x00];
        decoding::<Vec<u8>, _>(Bincode, near.clone(), 2 * MIB, "H46, 16 MiB of bytes").await;
        decoding::<String, _>(Bincode, near, 18 * MIB, "H46, 16 MiB of text").await;
    });
}

#[cfg(feature = "postcard")]
#[test]
fn h46_lengths_inside_a_postcard_payload_reserve_little() {
    use credit_channel::codec::Postcard;

    alone(async {
        let bomb = vec![0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
        decoding::<Vec<u64>, _>(Postcard, bomb.clone(), 2 * MIB, "H46, numbers").await;
        decoding::<Vec<u8>, _>(Postcard, bomb.clone(), 2 * MIB, "H46, bytes").await;
        decoding::<String, _>(Postcard, bomb, 2 * MIB, "H46, text").await;
    });
}

/// What is small as bytes may be large as a value: an empty text takes one byte and 24. That is a factor, and the
/// type's; `max_frame` is what it multiplies.
#[test]
fn h46_a_payload_grows_by_no_more_than_its_type_does() {
    alone(async {
        let mut payload = vec![252];
        payload.extend(1_000_000_u32.to_le_bytes());
        payload.extend(vec![0; 1_000_000]);
        // Twice 24 bytes each, since the vector doubles, and the one before is still there.
        decoding::<Vec<String>, _>(Bincode, payload, 80 * MIB, "H46, a million empty texts").await;
    });
}

#[test]
fn h47_a_byte_at_a_time_costs_no_more_than_all_at_once() {
    alone(async {
        let said = write::chunk(0, vec![1; 100_000]);
        let growth = Growth::from_now();
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        for byte in &said {
            raw.say([*byte]).await;
        }
        assert_eq!(rx.recv().await.expect("no error").expect("a chunk").len(), 100_000);
        growth.assert_below(MIB, "H47");
    });
}
