//! Floods, by peers that never read (H10, H15, H31, H41, and field report 58).

use crate::raw::{Driven, Fields, Raw, against_consumer, against_producer, write};
use crate::{Growth, KIB, MIB, alone};
use bytes::Bytes;
use credit_channel::transport::Transport;
use credit_channel::wire::Code;
use credit_channel::{Closed, CreditConsumer, CreditProducer, Disconnect, Window};

/// Says so many of a frame, without ever reading, for as long as somebody takes them.
async fn flood(raw: &mut Raw, frame: &[u8], count: usize) {
    let block = frame.repeat(1_000);
    for _ in 0..count / 1_000 {
        if raw.try_say(&block).await.is_err() {
            return;
        }
    }
}

#[track_caller]
fn assert_calmed(driven: Result<(), Disconnect>) {
    match driven {
        Err(Disconnect::Violation(why)) => assert_eq!(why.code(), Code::ENHANCE_CALM.0),
        other => panic!("a flood is answered with ENHANCE_CALM, and not {other:?}"),
    }
}

/// Two honest ends on the same runtime.
async fn neighbours() -> (CreditProducer<Bytes>, CreditConsumer<Bytes>) {
    let (near, far) = tokio::io::duplex(4_096);
    let transport = Transport::new();
    let producer = transport.producer::<Bytes>(near);
    let consumer = transport.consumer::<Bytes>(far, Window::messages(1));
    let ((tx, near), (rx, far)) = tokio::try_join!(producer, consumer).expect("the two say hello");
    tokio::spawn(near);
    tokio::spawn(far);
    (tx, rx)
}

async fn assert_well(tx: &CreditProducer<Bytes>, rx: &mut CreditConsumer<Bytes>) {
    tx.send(Bytes::from_static(b"well")).await.expect("the neighbour is well");
    assert_eq!(*rx.recv().await.expect("no error").expect("a chunk"), "well");
}

/// Field report 58: netty/netty#9460 (CVE-2019-9512, 9514, 9515), nghttp2/nghttp2#400.
#[test]
fn report_58_a_million_frames_of_one_who_never_reads_cost_less_than_5_mib() {
    alone(async {
        let (tx, mut rx) = neighbours().await;
        for frame in [write::ping(7), write::blocked(4, 0), write::extension(0)] {
            let growth = Growth::from_now();
            let (mut raw, _held, driven) = against_consumer(Transport::new(), Window::messages(4)).await;
            flood(&mut raw, &frame, 1_000_000).await;
            assert_well(&tx, &mut rx).await;
            drop(raw);
            assert_calmed(driven.await.expect("no panic"));
            growth.assert_below(MIB, "report 58, against a consumer");
        }
        for frame in [write::ping(7), write::grant(4, 0, 4)] {
            let growth = Growth::from_now();
            let (mut raw, held, driven) = against_producer(Transport::new(), Fields::consumer(4)).await;
            flood(&mut raw, &frame, 1_000_000).await;
            assert_well(&tx, &mut rx).await;
            assert!(matches!(held.closed().await, Closed::Disconnected(Disconnect::Violation(_))));
            drop(raw);
            assert_calmed(driven.await.expect("no panic"));
            growth.assert_below(MIB, "report 58, against a producer");
        }
    });
}

/// The same with 1,000 connections at once: what one costs is what each costs.
#[test]
fn h10_a_thousand_connections_that_flood_cost_what_each_costs() {
    alone(async {
        let growth = Growth::from_now();
        let mut connections: Vec<(Raw, _, Driven)> = Vec::new();
        for _ in 0..1_000 {
            let (raw, ours) = Raw::pipe(KIB);
            let mut one = crate::raw::consumer_over::<Bytes, _>(Transport::new(), raw, ours, Window::messages(4)).await;
            flood(&mut one.0, &write::ping(7), 1_000).await;
            connections.push(one);
        }
        for (raw, _, driven) in connections {
            drop(raw);
            assert_calmed(driven.await.expect("no panic"));
        }
        // Of which 20 KiB are the raw peer's.
        growth.assert_below(1_000 * 64 * KIB, "H10, a thousand times");
    });
}

/// Frames that may be ignored are never kept, however long they are.
#[test]
fn h15_extensions_of_a_mebibyte_are_passed_over_as_they_arrive() {
    alone(async {
        let frame = write::extension(MIB);
        let growth = Growth::from_now();
        let (mut raw, rx, _driven) = against_consumer(Transport::new(), Window::messages(4)).await;
        for _ in 0..200 {
            raw.say(&frame).await;
        }
        assert_eq!(rx.stats().sent, 0);
        growth.assert_below(512 * KIB, "H15");
    });
}

#[test]
fn h31_credit_without_end_after_cancel_costs_nothing() {
    alone(async {
        let growth = Growth::from_now();
        let (mut raw, tx, driven) = against_producer(Transport::new(), Fields::consumer(4)).await;
        raw.say(write::cancel(10, 0, "")).await;
        flood(&mut raw, &write::grant(4, 0, 4), 1_000_000).await;
        assert!(matches!(tx.closed().await, Closed::Cancelled(_)));
        drop(raw);
        assert_eq!(driven.await.expect("no panic"), Ok(()));
        growth.assert_below(512 * KIB, "H31");
    });
}
