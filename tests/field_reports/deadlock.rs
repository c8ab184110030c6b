//! Items that can never get credit, demand that stops, zero windows and totals at the end of their range.

use crate::support::{assert_balanced, on_both_runtimes, poll_once, until};
use credit_channel::{Builder, CreditProducer, Oversize, SendError, Window, WindowError, channel, weighted};

/// stellar/stellar-core#3607, quicwg/base-drafts#1420, wso2-attic/ballerina-message-broker#242: an item larger than the
/// whole budget waited for ever. Here it is refused at once.
#[test]
fn report_28_item_larger_than_the_window_is_refused_at_once() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = weighted::<Vec<u8>>(Window::bytes(1000)).unwrap();
        let other = tx.clone();
        for half_full in [false, true] {
            let held = if half_full {
                tx.send(vec![0; 500]).await.unwrap();
                rx.recv().await.unwrap()
            } else {
                None
            };
            for size in [1001, 5000] {
                for producer in [&tx, &other] {
                    let mut send = producer.send(vec![0; size]);
                    let std::task::Poll::Ready(Err(error)) = poll_once(&mut send).await else {
                        panic!("{size} bytes are refused without waiting")
                    };
                    let SendError::TooLarge { value, cost, limit } = error else { panic!("{error}") };
                    assert_eq!((value.len(), limit.bytes()), (size, 1000));
                    assert_eq!(usize::try_from(cost.bytes()).unwrap(), size);
                }
            }
            // The channel goes on, behind it and with exactly what fits.
            other.send(vec![0; 10]).await.unwrap();
            drop(rx.recv().await.unwrap());
            drop(held);
            tx.send(vec![0; 1000]).await.unwrap();
            drop(rx.recv().await.unwrap());
            assert_balanced(tx.stats(), true);
        }
    });
}

/// The same reports, with the other documented answer: it passes alone, and nothing more until it is paid back.
#[test]
fn report_28_item_larger_than_the_window_passes_alone_where_chosen() {
    on_both_runtimes(|| async {
        let open =
            Builder::new(Window::bytes(1000)).weigh_with(|value: &Vec<u8>| value.len()).oversize(Oversize::Alone);
        let (tx, mut rx) = open.open().unwrap();
        tx.send(vec![0; 500]).await.unwrap();
        let small = rx.recv().await.unwrap();
        let send = |producer: CreditProducer<Vec<u8>>, size| {
            tokio::spawn(async move { producer.send(vec![0; size]).await.unwrap() })
        };
        let big = send(tx.clone(), 5000);
        until(|| tx.stats().waiting == 1).await;
        let behind = send(tx.clone(), 10);
        until(|| tx.stats().waiting == 2).await;
        assert!(tx.try_send(vec![]).unwrap_err().is_full());
        drop(small);
        big.await.unwrap();
        let alone = rx.recv().await.unwrap().unwrap();
        assert_eq!((alone.len(), tx.depth().bytes(), tx.stats().waiting), (5000, 5000, 1));
        drop(alone);
        behind.await.unwrap();
        assert_eq!(rx.recv().await.unwrap().unwrap().len(), 10);
        assert_balanced(tx.stats(), true);
    });
}

/// nodejs/node#40947, zesterer/flume#172: a window of 0 hung for ever, or removed the limit.
#[test]
fn report_32_window_of_zero_is_refused_everywhere() {
    on_both_runtimes(|| async {
        let zeros = [
            Window::messages(0),
            Window::bytes(0),
            Window::messages(0).and_bytes(10),
            Window::messages(10).and_bytes(0),
        ];
        for zero in zeros {
            assert_eq!(weighted::<Vec<u8>>(zero).unwrap_err(), WindowError::Zero, "{zero}");
        }
        for (window, zero) in [(Window::messages(1), Window::messages(0)), (Window::bytes(1), Window::bytes(0))] {
            let (tx, mut rx) = weighted::<Vec<u8>>(window).unwrap();
            assert_eq!(rx.set_window(zero), Err(WindowError::Zero));
            // Nothing has changed by it: one passes, and one only.
            tx.send(vec![1]).await.unwrap();
            assert!(tx.try_send(vec![2]).unwrap_err().is_full());
            drop(rx.recv().await.unwrap());
            tx.try_send(vec![2]).unwrap();
        }
    });
}

/// rsocket/rsocket-kotlin#213: two grants of the maximum overflowed the counter and the stream hung.
#[test]
fn report_34_windows_of_the_maximum_saturate() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(u64::MAX)).unwrap();
        for limit in [u64::from(u32::MAX), u64::MAX, 1, u64::MAX, u64::MAX] {
            rx.set_window(Window::messages(limit)).unwrap();
            let credit = tx.credit().messages();
            assert_eq!(credit, limit.min(Window::MAX));
        }
        for item in 0..1000 {
            tx.send(item).await.unwrap();
        }
        for item in 0..1000 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
        assert_balanced(tx.stats(), true);

        // An item of absurd weight is just one that is too large.
        let (tx, _rx) = Builder::new(Window::bytes(1000)).weigh_with(|_: &u8| usize::MAX).open().unwrap();
        assert!(matches!(tx.send(1).await, Err(SendError::TooLarge { value: 1, .. })));
    });
}

/// rsocket/rsocket-java#1110: the sum of all grants had an end, and a long stream simply stopped there.
#[test]
fn report_35_totals_cross_every_power_of_two() {
    on_both_runtimes(|| async {
        for edge in [1 << 31, 1 << 32, 1 << 63, 0] {
            for window in [Window::messages(3), Window::bytes(3), Window::messages(3).and_bytes(3)] {
                let start = 0_u64.wrapping_add(edge).wrapping_sub(10);
                let open = Builder::new(window).weigh_with(|_: &u64| 1).start_totals_at(start);
                let (tx, mut rx) = open.open().unwrap();
                let producer = tokio::spawn(async move {
                    for item in 0..40 {
                        tx.send(item).await.unwrap();
                    }
                    let numbers = tx.downgrade();
                    tx.end_and_wait().await.unwrap();
                    numbers
                });
                let mut in_hand = Vec::new();
                let mut next = 0;
                while let Some(chunk) = rx.recv().await.unwrap() {
                    assert_eq!((chunk.seq(), *chunk), (start.wrapping_add(next), next));
                    next += 1;
                    in_hand.push(chunk);
                    if in_hand.len() == 3 {
                        drop(in_hand.remove(0));
                    }
                }
                assert_eq!(next, 40);
                drop(in_hand);
                producer.await.unwrap();
                assert_balanced(rx.stats(), true);
                let released = rx.stats().released;
                let released = if window.byte_limit().is_some() { released.bytes() } else { released.messages() };
                assert_eq!(released, start.wrapping_add(40));
            }
        }
    });
}
