//! Credit that leaks, or comes back early or twice.

use crate::support::{
    CountingWaker, Dice, FLAVOURS, WATCHDOG, assert_balanced, on_both_runtimes, panics, poll_once, poll_with, runtime,
    turns, until, within,
};
use credit_channel::{SendError, TrySendError, Window, channel, weighted};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Semaphore;

/// tokio-rs/tokio#904: a sender dropped while it stood in line for a permit broke the count.
#[test]
fn report_14_senders_dropped_in_line_leave_the_count_right() {
    on_both_runtimes(|| async {
        let mut dice = Dice::new(14);
        for _ in 0..50 {
            let (tx, mut rx) = channel::<usize>(Window::messages(1)).unwrap();
            tx.send(1000).await.unwrap();
            let mut guard = Some(rx.recv().await.unwrap().unwrap());
            let (_count, waker) = CountingWaker::new();
            let mut sends: Vec<_> = (0..50).map(|value| Some(tx.send(value))).collect();
            for send in sends.iter_mut().flatten() {
                assert!(poll_with(&waker, Pin::new(send)).is_pending());
            }
            // Half way the guard comes home, so that the next to be served are dropped as well.
            for (step, victim) in dice.order(50).into_iter().enumerate() {
                sends[victim] = None;
                if step == 25 {
                    drop(guard.take());
                }
            }
            assert_eq!(tx.credit().messages(), 1);
            assert_balanced(tx.stats(), true);
            assert!(rx.try_recv().is_err(), "no send had returned Ok");
        }
    });
}

/// tokio-rs/tokio#900, the other half of #904: the same while the runtime shuts down.
#[test]
fn report_14_senders_dropped_by_shutdown_leave_the_count_right() {
    for flavour in FLAVOURS {
        within(WATCHDOG, "the shutdown", move || {
            let (tx, mut rx) = channel::<usize>(Window::messages(1)).unwrap();
            let runtime = runtime(flavour);
            let guard = runtime.block_on(async {
                tx.send(1000).await.unwrap();
                for value in 0..50 {
                    let tx = tx.clone();
                    tokio::spawn(async move { tx.send(value).await });
                }
                until(|| tx.stats().waiting == 50).await;
                rx.recv().await.unwrap().unwrap()
            });
            drop(runtime);
            assert_eq!((tx.stats().waiting, tx.stats().producers), (0, 1));
            drop(guard);
            assert_balanced(tx.stats(), true);
        });
    }
}

/// tower-rs/tower#434, hyperium/hyper#4003: a slot kept for the next item by one who has none starved the others, and a
/// single hidden byte was enough for a deadlock.
#[test]
fn report_17_being_ready_holds_nothing_and_a_permit_only_its_own() {
    use futures_util::SinkExt;
    on_both_runtimes(|| async {
        let (tx, _rx) = weighted::<Vec<u8>>(Window::bytes(1024)).unwrap();
        let mut sink = tx.clone().into_sink();
        sink.feed(vec![0; 1023]).await.unwrap();
        std::future::poll_fn(|cx| sink.poll_ready_unpin(cx)).await.unwrap();
        tx.send(vec![0; 1]).await.unwrap();
        assert_eq!(tx.credit().bytes(), 0, "the last byte could be used, none was hidden");

        let (tx, _rx) = channel::<u8>(Window::messages(8)).unwrap();
        let mut forwarders: Vec<_> = (0..8).map(|_| tx.clone().into_sink()).collect();
        for forwarder in &mut forwarders {
            std::future::poll_fn(|cx| forwarder.poll_ready_unpin(cx)).await.unwrap();
        }
        for value in 0..8 {
            tx.send(value).await.unwrap();
        }

        // A permit does hold its credit, and frees it when it goes.
        let (tx, _rx) = channel::<u8>(Window::messages(1)).unwrap();
        let permit = tx.reserve().await.unwrap();
        assert!(tx.try_send(1).unwrap_err().is_full());
        let mut ninth = tx.send(2);
        assert!(poll_once(&mut ninth).await.is_pending());
        drop(permit);
        ninth.await.unwrap();
    });
}

/// Azure/amqpnetlite#270: credit came back on receipt, so the limit did not limit.
#[test]
fn report_22_credit_stays_out_while_the_work_lasts_in_every_stage() {
    on_both_runtimes(|| async {
        const ITEMS: u64 = 1000;
        let (tx, mut rx) = channel::<u64>(Window::messages(100)).unwrap();
        let sent = Arc::new(AtomicU64::new(0));
        let producer = tokio::spawn({
            let (tx, sent) = (tx.clone(), Arc::clone(&sent));
            async move {
                for item in 0..ITEMS {
                    tx.send(item).await.unwrap();
                    sent.fetch_add(1, Ordering::SeqCst);
                }
                tx.end();
            }
        });
        let finish = Arc::new(Semaphore::new(0));
        let (working, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (pass_on, mut passed_on) = tokio::sync::mpsc::unbounded_channel();
        // A mapping stage, a buffer with no bound of its own, and a pool of tasks.
        let stage = tokio::spawn(async move {
            while let Some(chunk) = rx.recv().await.unwrap() {
                pass_on.send(chunk.map(|item| item * 2)).unwrap();
            }
        });
        let pool = tokio::spawn({
            let (finish, working, most) = (Arc::clone(&finish), Arc::clone(&working), Arc::clone(&most));
            async move {
                while let Some(chunk) = passed_on.recv().await {
                    let (finish, working, most) = (Arc::clone(&finish), Arc::clone(&working), Arc::clone(&most));
                    tokio::spawn(async move {
                        most.fetch_max(working.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        let turn = finish.acquire().await.unwrap();
                        working.fetch_sub(1, Ordering::SeqCst);
                        drop((chunk, turn));
                    });
                }
            }
        });
        until(|| working.load(Ordering::SeqCst) == 100 && tx.stats().waiting == 1).await;
        turns(50).await;
        assert_eq!(sent.load(Ordering::SeqCst), 100, "900 are still with the producer");
        finish.add_permits(1);
        tokio::time::timeout(WATCHDOG, tx.end_and_wait()).await.unwrap().unwrap();
        assert_eq!((sent.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (ITEMS, 100));
        producer.await.unwrap();
        stage.await.unwrap();
        pool.await.unwrap();
    });
}

/// llm-d/llm-d-batch-gateway#206, elastic/beats#16393: released twice, or never taken, and the count drifted.
#[test]
fn report_25_each_guard_returns_exactly_once_or_visibly_never() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut next = async || {
            tx.send(0).await.unwrap();
            rx.recv().await.unwrap().unwrap()
        };
        // Given back by hand and then dropped.
        let (_, mut guard) = next().await.into_parts();
        guard.release(1).unwrap();
        assert!(guard.release(1).is_err());
        drop(guard);
        assert_eq!(tx.credit().messages(), 4);
        // By work that panics.
        let chunk = next().await;
        assert!(panics(move || {
            let _in_hand = chunk;
            panic!("the work fails");
        }));
        assert_eq!(tx.credit().messages(), 4);
        // Shared by two tasks: home with the second.
        let shared = Arc::new(next().await);
        let tasks = [Arc::clone(&shared), shared].map(|chunk| tokio::spawn(async move { drop(chunk) }));
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(tx.credit().messages(), 4);
        // Forgotten behind the channel's back: it stays in flight for everybody to see.
        std::mem::forget(next().await);
        assert_eq!((tx.credit().messages(), tx.depth().messages()), (3, 1));
        // Forgotten openly: the same, and counted.
        next().await.into_parts().1.forget();
        assert_eq!((tx.credit().messages(), tx.stats().forgotten.messages()), (2, 1));
        // After the channel is gone.
        let last = next().await;
        drop((tx, rx));
        drop(last);
    });
}

/// Azure/azure-amqp#319, Azure/amqpnetlite#339, amqp-node/amqplib#698: a window resized under load was exceeded or lost.
#[test]
fn report_26_resizing_under_load_is_exact() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(100)).unwrap();
        let mut out = Vec::new();
        for item in 0..80 {
            tx.send(item).await.unwrap();
            out.push(rx.recv().await.unwrap().unwrap());
        }
        rx.set_window(Window::messages(10)).unwrap();
        while out.len() >= 10 {
            assert!(matches!(tx.try_send(0), Err(TrySendError::Full(0))), "{} are out", out.len());
            assert_eq!(tx.credit().messages(), 0);
            out.pop();
        }
        tx.try_send(0).unwrap();
        out.push(rx.recv().await.unwrap().unwrap());
        assert_eq!((out.len(), tx.depth().messages(), tx.credit().messages()), (10, 10, 0));

        rx.set_window(Window::messages(100)).unwrap();
        let more = (0..).take_while(|_| tx.try_send(0).is_ok()).count();
        assert_eq!((more, tx.depth().messages()), (90, 100));

        // And one who waits for more than there will ever be is told.
        let (tx, rx) = weighted::<Vec<u8>>(Window::bytes(100)).unwrap();
        tx.send(vec![0; 50]).await.unwrap();
        let mut big = tx.send(vec![0; 80]);
        assert!(poll_once(&mut big).await.is_pending());
        rx.set_window(Window::bytes(60)).unwrap();
        let error = big.await.unwrap_err();
        assert!(matches!(error, SendError::TooLarge { ref value, .. } if value.len() == 80), "{error:?}");
    });
}
