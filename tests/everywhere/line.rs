//! I4: first come, first served, and nobody sleeps whose turn it is.

use crate::support::carrier::{everywhere, is_back, wherever_bytes_count};
use crate::support::{CountingWaker, poll_once, poll_with, refused, turns, until};
use credit_channel::{SendError, TrySendError, Window};
use std::pin::{Pin, pin};

#[test]
fn parked_sends_are_served_in_the_order_in_which_they_came() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(0).await.unwrap();
        let mut line: Vec<_> = (1..=100).map(|item| tx.send(item)).collect();
        let mut wakers = Vec::new();
        for send in &mut line {
            let (count, waker) = CountingWaker::new();
            assert!(poll_with(&waker, Pin::new(send)).is_pending());
            wakers.push(count);
        }
        for (place, send) in line.into_iter().enumerate() {
            drop(rx.recv().await.unwrap().unwrap());
            until(|| wakers[place].wakes() == 1).await;
            turns(2).await;
            let woken: Vec<_> = wakers.iter().map(|count| count.wakes()).collect();
            assert!(woken[..=place].iter().all(|wakes| *wakes == 1), "each up to {place} was woken, and once");
            assert!(woken[place + 1..].iter().all(|wakes| *wakes == 0), "one credit wakes one sender");
            send.await.unwrap();
            assert_eq!(tx.depth().messages(), 1);
        }
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 100);
    });
}

#[test]
fn credit_for_many_at_once_wakes_exactly_so_many() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(0).await.unwrap();
        let (count, waker) = CountingWaker::new();
        let mut line: Vec<_> = (1..=100).map(|item| tx.send(item)).collect();
        for send in &mut line {
            assert!(poll_with(&waker, Pin::new(send)).is_pending());
        }
        rx.set_window(Window::messages(31)).unwrap();
        until(|| count.wakes() == 30).await;
        assert_eq!((tx.stats().waiting, tx.stats().reserved.messages()), (70, 30));
        rx.set_window(Window::messages(101)).unwrap();
        until(|| count.wakes() == 100).await;
        assert_eq!(tx.stats().waiting, 0);
        for send in line {
            send.await.unwrap();
        }
        for item in 0..=100 {
            assert_eq!(*rx.recv().await.unwrap().unwrap(), item);
        }
    });
}

#[test]
fn nobody_overtakes_the_line_whatever_the_verb() {
    wherever_bytes_count(|carrier| async move {
        let (tx, mut rx) = carrier.open::<Vec<u8>>(Window::messages(9).and_bytes(10)).await;
        tx.send(vec![0; 4]).await.unwrap();
        let mut big = tx.send(vec![0; 8]);
        assert!(poll_once(&mut big).await.is_pending());
        // There are 6 bytes and 8 messages left, and all of these would fit.
        assert!(tx.try_send(vec![0]).unwrap_err().is_full());
        assert!(refused(tx.try_reserve()).is_full());
        assert!(refused(tx.try_reserve_many(2)).is_full());
        let mut small = tx.send(vec![1]);
        assert!(poll_once(&mut small).await.is_pending());
        let mut reserving = pin!(tx.reserve());
        assert!(poll_once(&mut reserving).await.is_pending());
        // What can never be sent is refused at once, line or no line.
        assert!(matches!(tx.try_send(vec![0; 11]), Err(TrySendError::Refused(SendError::TooLarge { .. }))));
        assert!(matches!(tx.send(vec![0; 11]).await, Err(SendError::TooLarge { .. })));
        // The big one goes: those behind it are served from what was there all the time.
        drop(big);
        small.await.unwrap();
        drop(reserving.await.unwrap());
        assert_eq!(tx.depth().bytes(), 5);
        drop((rx.recv().await.unwrap(), rx.recv().await.unwrap()));
        is_back(&tx).await;
    });
}
