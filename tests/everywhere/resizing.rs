//! I1, I3: the consumer changes the window while it is in use, and the producer keeps to it.

use crate::support::carrier::{everywhere, is_home, wherever_bytes_count};
use crate::support::{Dice, assert_balanced, poll_once, until};
use bytes::Bytes;
use credit_channel::{SendError, Window};
use tokio::task::JoinSet;

#[test]
fn larger_window_gives_credit_at_once() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(0).await.unwrap();
        let mut parked: Vec<_> = (1..10).map(|item| Box::pin(tx.send(item))).collect();
        for send in &mut parked {
            assert!(poll_once(send).await.is_pending());
        }
        rx.set_window(Window::messages(6)).unwrap();
        until(|| tx.window() == Window::messages(6) && tx.stats().waiting == 4).await;
        rx.set_window(Window::messages(10)).unwrap();
        for send in parked {
            send.await.unwrap();
        }
        for item in 0..10 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
    });
}

#[test]
fn smaller_window_takes_credit_out_of_circulation_as_it_comes_home() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(10)).await;
        let mut in_hand = Vec::new();
        for item in 0..8 {
            tx.send(item).await.unwrap();
            in_hand.push(rx.recv().await.unwrap());
        }
        rx.set_window(Window::messages(3)).unwrap();
        until(|| tx.window() == Window::messages(3)).await;
        assert_eq!((tx.credit().messages(), tx.depth().messages()), (0, 8));
        for left in (3..8).rev() {
            drop(in_hand.pop());
            until(|| tx.depth().messages() == left).await;
            assert!(tx.try_send(99).unwrap_err().is_full(), "{left} are in flight");
        }
        drop(in_hand.pop());
        until(|| tx.credit().messages() == 1).await;
        tx.try_send(8).unwrap();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 8);
        in_hand.clear();
        until(|| is_home(tx.stats())).await;
        assert_balanced(tx.stats(), true);
    });
}

#[test]
fn sender_in_line_for_more_than_the_new_window_is_told() {
    wherever_bytes_count(|carrier| async move {
        let window = |bytes| Window::bytes(bytes).and_messages(100);
        let (tx, mut rx) = carrier.open::<Bytes>(window(100)).await;
        tx.send(Bytes::from(vec![0; 60])).await.unwrap();
        let mut big = Box::pin(tx.send(Bytes::from(vec![1; 90])));
        assert!(poll_once(&mut big).await.is_pending());
        rx.set_window(window(80)).unwrap();
        drop(rx.recv().await.unwrap());
        let error = big.await.unwrap_err();
        assert!(matches!(&error, SendError::TooLarge { limit, .. } if limit.bytes() == 80), "{error:?}");
        assert_eq!(error.into_inner().len(), 90);
        tx.send(Bytes::from(vec![2; 80])).await.unwrap();
        assert_eq!(rx.recv().await.unwrap().unwrap().len(), 80);
    });
}

#[test]
fn window_that_breathes_loses_no_credit() {
    everywhere(|carrier| async move {
        const SENDERS: u64 = 8;
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(5)).await;
        let mut senders = JoinSet::new();
        for _ in 0..SENDERS {
            let tx = tx.clone();
            senders.spawn(async move {
                for item in 0..30 {
                    tx.send(item).await.unwrap();
                }
                tx.end();
            });
        }
        tx.end();
        let mut dice = Dice::new(26);
        let (mut received, mut in_hand) = (0, Vec::new());
        while let Some(chunk) = rx.recv().await.unwrap() {
            received += 1;
            in_hand.push(chunk);
            rx.set_window(Window::messages(1 + dice.below(20))).unwrap();
            if dice.below(3) == 0 || u64::try_from(in_hand.len()).unwrap() >= rx.stats().window.message_limit().unwrap()
            {
                in_hand.clear();
            }
        }
        assert_eq!(received, SENDERS * 30);
        in_hand.clear();
        assert_balanced(rx.stats(), true);
        while let Some(sender) = senders.join_next().await {
            sender.unwrap();
        }
    });
}
