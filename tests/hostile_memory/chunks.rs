//! Chunks that cost more than they count for (H4, H8).

use crate::raw::{Fields, Raw, against_consumer, consumer_over, producer_over, write};
use crate::support::until;
use crate::{Growth, MIB, alone};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::Code;
use credit_channel::{Closed, Window};
use std::time::Duration;

/// It grants all there is and reads nothing.
#[test]
fn h4_who_grants_and_does_not_read_has_the_producer_hold_a_bounded_amount() {
    alone(async {
        let (raw, ours) = Raw::pipe(64 << 10);
        let hello = Fields::consumer(1 << 62);
        let ours_ahead = Transport::new().ahead(Window::messages(32));
        let (_raw, tx, _driven) = producer_over::<Bytes, _>(ours_ahead, raw, ours, hello).await;
        let growth = Growth::from_now();
        for _ in 0..1_000 {
            if tx.send_timeout(Bytes::from(vec![0; 100_000]), Duration::from_millis(1)).await.is_err() {
                break;
            }
        }
        growth.assert_below(8 * MIB, "H4");
    });
}

/// Each costs one message and one byte: a window of 1 MiB holds 16,384 of them, and not a million.
#[test]
fn h8_a_flood_of_empty_chunks_is_bounded_by_the_window() {
    alone(async {
        let (raw, ours) = Raw::pipe(64 << 10);
        let growth = Growth::from_now();
        let (mut raw, rx, driven) =
            consumer_over::<Bytes, _>(Transport::new(), raw, ours, Window::bytes(1 << 20)).await;
        for seq in 0..16_384 {
            raw.say(write::chunk(seq, b"")).await;
        }
        until(|| rx.stats().sent == 16_384).await;
        growth.assert_below(4 * MIB, "H8, all that the window takes");
        raw.say(write::chunk(16_384, b"")).await;
        raw.hear_goaway(Code::FLOW_CONTROL).await;
        drop(raw);
        assert!(driven.await.expect("no panic").is_err());
        growth.assert_below(4 * MIB, "H8, and one more");
    });
}

/// Chunks of a byte, each behind 64 KiB that are thrown away: whoever keeps a chunk must not keep what it came with.
/// The window is 64 KB; the frames in between are paid for by the chunks.
#[test]
fn chunks_that_are_held_do_not_hold_what_came_with_them() {
    alone(async {
        let between = write::extension(60_000);
        let growth = Growth::from_now();
        let window = Window::bytes(64_000).and_messages(1_000);
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), window).await;
        let mut held = Vec::new();
        for seq in 0..1_000 {
            raw.say([&write::chunk(seq, b"x")[..], &between].concat()).await;
            held.push(rx.recv().await.expect("no error").expect("a chunk"));
        }
        growth.assert_below(12 * MIB, "a thousand bytes");
    });
}

/// The same with large chunks in between that are worked off at once.
#[test]
fn chunks_that_are_held_do_not_hold_the_large_ones_that_came_with_them() {
    alone(async {
        let large = [7; 60_000];
        let growth = Growth::from_now();
        let window = Window::bytes(64_000).and_messages(1_000);
        let (mut raw, mut rx, _driven) = against_consumer(Transport::new(), window).await;
        let mut held = Vec::new();
        for seq in 0..999 {
            raw.say([write::chunk(2 * seq, b"x"), write::chunk(2 * seq + 1, large)].concat()).await;
            held.push(rx.recv().await.expect("no error").expect("a small one"));
            assert_eq!(rx.recv().await.expect("no error").expect("a large one").len(), large.len());
            // What that frees may be on its way.
            while !matches!(raw.hear().await, Some(credit_channel::wire::Frame::Credit(_))) {}
        }
        growth.assert_below(12 * MIB, "a thousand bytes");
    });
}

/// A consumer that takes its leave with CANCEL frees what the producer held for it.
#[test]
fn cancel_frees_what_was_not_written() {
    alone(async {
        let (raw, ours) = Raw::pipe(1 << 10);
        let hello = Fields::consumer(100);
        let (mut raw, tx, driven) = producer_over::<Bytes, _>(Transport::new(), raw, ours, hello).await;
        let growth = Growth::from_now();
        let before = crate::MEMORY.current_usage();
        for _ in 0..100 {
            tx.send(Bytes::from(vec![0; 100_000])).await.expect("there is credit");
        }
        raw.say(write::cancel(10, 0, "")).await;
        assert!(matches!(tx.closed().await, Closed::Cancelled(_)));
        growth.assert_below(12 * MIB, "a hundred chunks of 100 KB");
        let after = crate::MEMORY.current_usage().saturating_sub(before);
        assert!(after < MIB, "{after} bytes are kept of what nobody will ever read");
        drop(raw);
        let _ = driven.await.expect("no panic");
    });
}
