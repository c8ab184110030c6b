//! I7: a call that fails gives the value back.

use crate::support::carrier::{Carrier, wherever_bytes_count};
use crate::support::{poll_once, refused, until};
use credit_channel::{
    CancelReason, Closed, CreditConsumer, CreditProducer, SendError, SendTimeoutError, SinkError, TrySendError, Window,
};
use futures_util::SinkExt;
use std::time::Duration;

/// Not cloned anywhere here, so that what comes back is what went in.
type Value = Vec<u8>;

fn value(byte: u8, size: usize) -> Value {
    vec![byte; size]
}

async fn open(carrier: Carrier) -> (CreditProducer<Value>, CreditConsumer<Value>) {
    carrier.open(Window::messages(2).and_bytes(10)).await
}

fn is(value: &Value, byte: u8, size: usize) -> bool {
    value.len() == size && value.iter().all(|b| *b == byte)
}

#[test]
fn try_send_gives_back_when_full_too_large_or_closed() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        tx.try_send(value(1, 6)).unwrap();
        let full = tx.try_send(value(2, 5)).unwrap_err();
        assert!(full.is_full() && full.closed().is_none() && is(&full.into_inner(), 2, 5));
        let large = tx.try_send(value(3, 11)).unwrap_err();
        assert!(matches!(large, TrySendError::Refused(SendError::TooLarge { ref value, .. }) if is(value, 3, 11)));
        rx.cancel(CancelReason::Timeout);
        until(|| tx.is_closed()).await;
        let closed = tx.try_send(value(4, 11)).unwrap_err();
        assert_eq!(closed.closed(), Some(&Closed::Cancelled(CancelReason::Timeout)), "closed wins over too large");
        assert!(is(&closed.into_inner(), 4, 11));
    });
}

#[test]
fn send_gives_back_when_too_large_or_closed_before_and_while_it_waits() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        let large = tx.send(value(1, 11)).await.unwrap_err();
        assert!(matches!(large, SendError::TooLarge { cost, limit, .. } if cost.bytes() == 11 && limit.bytes() == 10));
        tx.send(value(2, 10)).await.unwrap();
        let mut parked = tx.send(value(3, 1));
        assert!(poll_once(&mut parked).await.is_pending());
        rx.cancel(CancelReason::other(17, "enough"));
        let why = Closed::Cancelled(CancelReason::other(17, "enough"));
        let error = parked.await.unwrap_err();
        assert_eq!(error.closed(), Some(&why));
        assert!(is(&error.into_inner(), 3, 1));
        assert!(is(&tx.send(value(4, 2)).await.unwrap_err().into_inner(), 4, 2));
    });
}

#[test]
fn send_timeout_gives_back_when_the_time_is_up_and_when_it_is_refused() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        tx.send(value(1, 10)).await.unwrap();
        let late = tx.send_timeout(value(2, 3), Duration::from_millis(1)).await.unwrap_err();
        assert!(matches!(late, SendTimeoutError::Timeout(ref value) if is(value, 2, 3)));
        assert_eq!(tx.stats().waiting, 0, "it has left the line");
        let large = tx.send_timeout(value(3, 11), Duration::from_secs(60)).await.unwrap_err();
        assert!(matches!(large, SendTimeoutError::Refused(SendError::TooLarge { .. })));
        assert!(is(&large.into_inner(), 3, 11));
        let mut parked = Box::pin(tx.send_timeout(value(4, 1), Duration::from_secs(60)));
        assert!(poll_once(&mut parked).await.is_pending());
        drop(rx);
        let closed = parked.await.unwrap_err();
        assert!(matches!(closed, SendTimeoutError::Refused(SendError::Closed { .. })));
        assert!(is(&closed.into_inner(), 4, 1));
    });
}

#[test]
fn permits_give_back_the_value_and_their_credit() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        let permit = tx.reserve_bytes(4).await.unwrap();
        let large = permit.send(value(1, 5)).unwrap_err();
        assert!(matches!(large, SendError::TooLarge { ref value, limit, .. } if is(value, 1, 5) && limit.bytes() == 4));
        assert_eq!((tx.credit().messages(), tx.credit().bytes()), (2, 10));

        let owned = tx.clone().reserve_bytes_owned(4).await.unwrap();
        let (producer, error) = owned.send(value(2, 5)).unwrap_err();
        assert!(producer.same_channel(&tx) && is(&error.into_inner(), 2, 5));
        assert_eq!((tx.credit().messages(), tx.credit().bytes()), (2, 10));

        let (permit, owned) = (tx.reserve().await.unwrap(), producer.reserve_owned().await.unwrap());
        let (full, error) = tx.clone().try_reserve_owned().map(drop).unwrap_err();
        assert!(full.same_channel(&tx) && error.is_full());
        rx.cancel(CancelReason::Requested);
        until(|| tx.is_closed()).await;
        assert!(is(&permit.send(value(3, 1)).unwrap_err().into_inner(), 3, 1));
        let (_producer, error) = owned.send(value(4, 1)).unwrap_err();
        assert!(error.closed().is_some() && is(&error.into_inner(), 4, 1));
        assert_eq!((tx.credit().messages(), tx.credit().bytes()), (2, 10));
    });
}

#[test]
fn sink_gives_back_what_it_kept_or_did_not_take() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        let mut sink = tx.clone().into_sink();
        let large = sink.send(value(1, 11)).await.unwrap_err();
        assert!(is(&large.into_inner().unwrap(), 1, 11));
        sink.feed(value(2, 9)).await.unwrap();
        sink.feed(value(3, 2)).await.unwrap(); // one byte too many: kept in the sink
        assert_eq!(tx.depth().bytes(), 9);
        let second = sink.start_send_unpin(value(4, 1)).unwrap_err();
        assert!(matches!(second, SinkError::NotReady(ref value) if is(value, 4, 1)));
        rx.cancel(CancelReason::Shutdown);
        until(|| tx.is_closed()).await;
        let kept = sink.flush().await.unwrap_err();
        assert!(is(&kept.into_inner().unwrap(), 3, 2));

        let (tx, _rx) = open(carrier).await;
        let mut sink = tx.into_sink();
        sink.feed(value(5, 10)).await.unwrap();
        assert!(sink.start_send_unpin(value(6, 1)).is_ok());
        let (producer, kept) = sink.into_inner();
        assert!(producer.is_some() && is(&kept.unwrap(), 6, 1));
    });
}

#[test]
fn blocking_send_gives_back_and_a_refused_reservation_never_took_anything() {
    wherever_bytes_count(|carrier| async move {
        let (tx, rx) = open(carrier).await;
        assert!(is(&tx.blocking_send(value(1, 11)).unwrap_err().into_inner(), 1, 11));
        assert!(matches!(
            refused(tx.try_reserve_bytes(11)),
            TrySendError::Refused(SendError::TooLarge { value: (), .. })
        ));
        assert!(matches!(refused(tx.try_reserve_many(3)), TrySendError::Refused(SendError::TooLarge { .. })));
        drop(rx);
        until(|| tx.is_closed()).await;
        assert!(is(&tx.blocking_send(value(2, 1)).unwrap_err().into_inner(), 2, 1));
        assert!(refused(tx.try_reserve()).closed().is_some());
    });
}
