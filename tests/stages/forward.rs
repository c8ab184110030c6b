//! Into another channel: one window over both hops, and every end as what it is.

use crate::support::on_both_runtimes;
use credit_channel::stages::{ForwardError, Stage, StageError};
use credit_channel::{CancelReason, Closed, RecvError, SendError, Window, channel, weighted};
use std::time::Duration;
use tokio::time::timeout;

/// I1 end to end: what the second consumer holds counts in the first window, though the second is larger.
#[test]
fn one_window_over_two_hops() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
        let (hop, mut far) = channel::<u64>(Window::messages(100)).unwrap();
        let forwarding = tokio::spawn(rx.forward(hop));
        let source = tokio::spawn(async move {
            for n in 0..100 {
                tx.send(n).await.unwrap();
                assert!(tx.depth().messages() <= 3);
            }
            tx.end_and_wait().await.unwrap();
        });
        let mut held = Vec::new();
        for n in 0..100 {
            while held.len() < 3 && n + held.len() < 100 {
                held.push(far.recv().await.unwrap().unwrap());
            }
            if n + 3 < 100 {
                let more = timeout(Duration::from_millis(1), far.recv()).await;
                assert!(more.is_err(), "three are in hand");
            }
            assert_eq!(held.remove(0).into_inner(), u64::try_from(n).unwrap());
        }
        assert!(far.recv().await.unwrap().is_none());
        assert_eq!(forwarding.await.unwrap(), Ok(100));
        source.await.unwrap();
    });
}

/// It goes by cost, in bytes where the second hop counts those.
#[test]
fn by_bytes() {
    on_both_runtimes(|| async {
        let (tx, rx) = weighted::<Vec<u8>>(Window::bytes(100)).unwrap();
        let (hop, mut far) = weighted::<Vec<u8>>(Window::bytes(1000)).unwrap();
        let forwarding = tokio::spawn(rx.forward(hop));
        for size in [60, 40] {
            tx.send(vec![0; size]).await.unwrap();
        }
        let mut large = far.recv().await.unwrap().unwrap();
        let small = far.recv().await.unwrap().unwrap();
        assert_eq!(tx.credit().bytes(), 0);
        large.guard_mut().release(50).unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_eq!(tx.credit().bytes(), 0, "50 bytes are not the 60 that came first");
        drop(small);
        while tx.credit().bytes() != 60 {
            tokio::task::yield_now().await;
        }
        drop(large);
        while tx.credit().bytes() != 100 {
            tokio::task::yield_now().await;
        }
        tx.end();
        assert!(far.recv().await.unwrap().is_none());
        assert_eq!(forwarding.await.unwrap(), Ok(2));
    });
}

#[test]
fn it_waits_until_all_is_worked_off() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
        let (hop, mut far) = channel::<u64>(Window::messages(3)).unwrap();
        tx.try_send(0).unwrap();
        tx.end();
        let mut forwarding = tokio::spawn(rx.forward(hop));
        let held = far.recv().await.unwrap().unwrap();
        assert!(far.recv().await.unwrap().is_none());
        assert!(timeout(Duration::from_millis(10), &mut forwarding).await.is_err());
        drop(held);
        assert_eq!(forwarding.await.unwrap(), Ok(1));
    });
}

#[test]
fn ends_go_on_as_what_they_are() {
    on_both_runtimes(|| async {
        let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
        let (hop, mut far) = channel::<u64>(Window::messages(3)).unwrap();
        tx.fail(credit_channel::Failure::new("disk gone").with_code(74));
        let failed = rx.forward(hop).await.unwrap_err();
        let RecvError::Failed(failure) = far.recv().await.unwrap_err() else { panic!("a failure") };
        assert_eq!((failure.code(), failure.text()), (74, "disk gone"));
        assert_eq!(failed, ForwardError::Stage(StageError::Upstream(RecvError::Failed(failure))));

        let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
        let (hop, mut far) = channel::<u64>(Window::messages(3)).unwrap();
        drop(tx);
        rx.forward(hop).await.unwrap_err();
        assert_eq!(far.recv().await.unwrap_err(), RecvError::Abandoned { received: 0 });
    });
}

/// Whatever it waits for at that moment: a chunk, credit, or the last work.
#[test]
fn a_cancel_goes_back() {
    on_both_runtimes(|| async {
        let reason = CancelReason::other(4, "enough");
        for sent in 0..3 {
            for ended in [false, true] {
                let (tx, rx) = channel::<u64>(Window::messages(3)).unwrap();
                let (hop, mut far) = channel::<u64>(Window::messages(1)).unwrap();
                let forwarding = tokio::spawn(rx.forward(hop));
                for n in 0..sent {
                    tx.send(n).await.unwrap();
                }
                let held = if sent > 0 { Some(far.recv().await.unwrap().unwrap()) } else { None };
                let parked = if ended && sent == 1 {
                    tx.clone().end();
                    None
                } else {
                    Some(tx)
                };
                tokio::task::yield_now().await;
                far.cancel(reason.clone());
                let error = forwarding.await.unwrap().unwrap_err();
                let ForwardError::Send(SendError::Closed { reason: closed, .. }) = error else { panic!("{error}") };
                assert_eq!(closed, Closed::Cancelled(reason.clone()));
                if let Some(tx) = parked {
                    assert_eq!(tx.closed().await, Closed::Cancelled(reason.clone()));
                }
                drop(held);
            }
        }
    });
}

#[test]
fn what_is_too_large_comes_back() {
    on_both_runtimes(|| async {
        let (tx, rx) = weighted::<Vec<u8>>(Window::bytes(100)).unwrap();
        let (hop, _far) = weighted::<Vec<u8>>(Window::bytes(10)).unwrap();
        tx.try_send(vec![7; 50]).unwrap();
        let error = rx.forward(hop).await.unwrap_err();
        let ForwardError::Send(SendError::TooLarge { value, .. }) = error else { panic!("{error}") };
        assert_eq!(value, Some(vec![7; 50]));
        assert!(matches!(tx.closed().await, Closed::Cancelled(CancelReason::Other { .. })));
    });
}
