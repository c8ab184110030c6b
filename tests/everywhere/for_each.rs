//! I2, I5, I8 for the loop around a handler: its errors and panics return credit and stop the producer with the reason.

use crate::support::carrier::everywhere;
use crate::support::{Census, Counted, assert_balanced, poll_once, turns, until};
use credit_channel::{CancelReason, Closed, ForEachError, RecvError, Window};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn every_chunk_is_handled_in_order_and_counted() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(2)).await;
        let producer = tokio::spawn(async move {
            for item in 0..50 {
                tx.send(item).await.unwrap();
            }
            tx.end_and_wait().await
        });
        let mut next = 0;
        let handled = rx
            .for_each(|chunk| {
                assert_eq!(*chunk, next);
                next += 1;
                async move {
                    turns(1).await;
                    drop(chunk);
                    Ok::<_, Infallible>(())
                }
            })
            .await;
        assert_eq!(handled, Ok(50));
        producer.await.unwrap().unwrap();
    });
}

#[test]
fn handler_error_cancels_upstream_with_its_text() {
    everywhere(|carrier| async move {
        for concurrency in [None, Some(3)] {
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
            for item in 0..4 {
                tx.send(item).await.unwrap();
            }
            let mut parked = tx.send(4);
            assert!(poll_once(&mut parked).await.is_pending());
            let handle = |chunk: credit_channel::Chunk<u64>| async move {
                turns(1).await;
                if *chunk == 1 { Err("row 1 is locked") } else { Ok(()) }
            };
            let result = match concurrency {
                None => rx.for_each(handle).await,
                Some(n) => rx.for_each_concurrent(n, handle).await,
            };
            assert_eq!(result, Err(ForEachError::Handler("row 1 is locked")));
            let why = CancelReason::HandlerError("row 1 is locked".into());
            until(|| tx.is_closed()).await;
            let error = parked.await.unwrap_err();
            assert_eq!(error.closed(), Some(&Closed::Cancelled(why.clone())));
            assert_eq!(error.into_inner(), 4);
            assert_eq!(rx.recv().await.unwrap_err(), RecvError::Cancelled(why));
            assert_balanced(rx.stats(), true);
        }
    });
}

#[test]
fn handler_panic_cancels_upstream_and_goes_on() {
    everywhere(|carrier| async move {
        for (concurrent, at_once) in [(false, false), (false, true), (true, false), (true, true)] {
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
            for item in 0..4 {
                tx.send(item).await.unwrap();
            }
            let handle = move |chunk: credit_channel::Chunk<u64>| {
                let fail = || std::panic::resume_unwind(Box::new("the handler fails"));
                if at_once && *chunk == 2 {
                    fail();
                }
                async move {
                    turns(1).await;
                    if *chunk == 2 {
                        fail();
                    }
                    Ok::<_, Infallible>(())
                }
            };
            let books = rx.canceller();
            let task = tokio::spawn(async move {
                if concurrent { rx.for_each_concurrent(3, handle).await } else { rx.for_each(handle).await }
            });
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::HandlerPanic));
            let panic = task.await.unwrap_err().into_panic();
            assert_eq!(crate::support::text_of(&*panic), "the handler fails");
            assert_balanced(books.stats(), true);
        }
    });
}

#[test]
fn producer_failure_comes_after_what_was_sent() {
    everywhere(|carrier| async move {
        for concurrent in [false, true] {
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
            for item in 0..3 {
                tx.send(item).await.unwrap();
            }
            tx.fail("disk gone");
            let done = Arc::new(AtomicU64::new(0));
            let counted = Arc::clone(&done);
            let handle = move |chunk: credit_channel::Chunk<u64>| {
                let done = Arc::clone(&counted);
                async move {
                    turns(*chunk).await;
                    done.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, Infallible>(())
                }
            };
            let result = if concurrent { rx.for_each_concurrent(8, handle).await } else { rx.for_each(handle).await };
            assert_eq!(result, Err(ForEachError::Recv(RecvError::Failed("disk gone".into()))));
            assert_eq!(done.load(Ordering::SeqCst), 3, "work under way was finished");
        }
    });
}

#[test]
fn concurrency_and_window_both_bound_what_is_in_hand() {
    everywhere(|carrier| async move {
        for (window, concurrency, most) in [(8, 3, 3), (3, 8, 3), (1, 4, 1), (4, 1, 1)] {
            let census = Census::default();
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(window)).await;
            tokio::spawn(async move {
                for item in 0..40 {
                    tx.send(item).await.unwrap();
                }
                tx.end();
            });
            // The window is full, so that as many as may be are taken at once.
            until(|| rx.stats().depth.messages() == window).await;
            let handled = rx
                .for_each_concurrent(concurrency, |chunk| {
                    let in_hand: Counted = census.one();
                    async move {
                        turns(3 + *chunk % 5).await;
                        drop((chunk, in_hand));
                        Ok::<_, Infallible>(())
                    }
                })
                .await;
            assert_eq!((handled, census.peak(), census.alive()), (Ok(40), most, 0));
            assert_balanced(rx.stats(), true);
        }
    });
}

#[test]
fn concurrency_of_zero_is_refused_and_stops_nothing() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        let nothing = rx.for_each_concurrent(0, |_| async { Ok::<_, Infallible>(()) }).await;
        assert_eq!(nothing, Err(ForEachError::NoConcurrency));
        tx.send(1).await.unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
    });
}

#[test]
fn loop_that_is_dropped_returns_what_was_in_hand_and_goes_on_later() {
    everywhere(|carrier| async move {
        for concurrent in [false, true] {
            let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
            for item in 0..3 {
                tx.send(item).await.unwrap();
            }
            until(|| rx.stats().depth.messages() == 3).await;
            let never = |chunk: credit_channel::Chunk<u64>| async move {
                let _in_hand = chunk;
                std::future::pending::<Result<(), Infallible>>().await
            };
            if concurrent {
                let mut looping = Box::pin(rx.for_each_concurrent(2, never));
                assert!(poll_once(&mut looping).await.is_pending());
            } else {
                let mut looping = Box::pin(rx.for_each(never));
                assert!(poll_once(&mut looping).await.is_pending());
            }
            let lost = if concurrent { 2 } else { 1 };
            until(|| tx.depth().messages() == 3 - lost).await;
            assert!(!tx.is_closed(), "giving up the loop is no cancel");
            assert_eq!(*rx.recv().await.unwrap().unwrap(), lost);
        }
    });
}
