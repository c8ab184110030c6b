//! I6, I8 where there is no connection: news of an ending has arrived as soon as it is said.

use crate::support::{on_both_runtimes, poll_once};
use credit_channel::{Closed, Failure, RecvError, Window, channel};
use std::error::Error;

#[test]
fn failure_keeps_its_source() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let other = tx.clone();
        tx.fail(Failure::from_error(std::io::Error::other("disk gone")).with_code(74));
        let Err(RecvError::Failed(failure)) = rx.recv().await else { panic!("it failed") };
        assert!(failure.source().is_some());
        let Closed::Failed(failure) = other.closed().await else { panic!("it failed") };
        assert!(failure.source().is_some());
    });
}

#[test]
fn end_and_wait_does_not_depend_on_the_end_being_read() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        let in_hand = rx.recv().await.unwrap().unwrap();
        let mut done = Box::pin(tx.end_and_wait());
        assert!(poll_once(&mut done).await.is_pending());
        // All was received: to go now is no cancel.
        drop(rx);
        assert!(poll_once(&mut done).await.is_pending());
        drop(in_hand);
        assert_eq!(done.await, Ok(()));
    });
}

#[test]
fn producers_that_end_after_a_drain_have_ended_cleanly() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        tx.send(1).await.unwrap();
        rx.drain();
        tx.end();
        assert_eq!(rx.recv().await.unwrap().map(|chunk| *chunk), Some(1));
        assert!(rx.recv().await.unwrap().is_none());
    });
}

/// Only who goes after it was asked for no more has a reason to.
#[test]
fn producer_that_went_before_the_drain_has_abandoned_the_channel() {
    on_both_runtimes(|| async {
        let (tx, mut rx) = channel::<u64>(Window::messages(4)).unwrap();
        let gone_before = tx.clone();
        tx.send(1).await.unwrap();
        drop(gone_before);
        rx.drain();
        drop(tx);
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Abandoned { received: 1 });
    });
}
