//! I6, I8: what was sent is delivered or its loss is said, and the ways to end are told apart on both sides.

use crate::support::carrier::{Carrier, Open, everywhere};
use crate::support::{Census, assert_balanced, poll_once, turns, until};
use credit_channel::{CancelReason, Closed, CreditConsumer, Failure, RecvError, SendError, Window};

/// All values up to the end, and what the end was.
async fn rest<T: Copy>(rx: &mut CreditConsumer<T>) -> (Vec<T>, Result<(), RecvError>) {
    let mut values = Vec::new();
    loop {
        match rx.recv().await {
            Ok(Some(chunk)) => values.push(*chunk),
            Ok(None) => return (values, Ok(())),
            Err(error) => return (values, Err(error)),
        }
    }
}

/// A channel into which 0, 1 and 2 were sent.
async fn three_sent(carrier: Carrier) -> Open<u64> {
    let open = carrier.open_line(Window::messages(4)).await;
    for item in 0..3 {
        open.tx.send(item).await.unwrap();
    }
    open
}

#[test]
fn clean_end_comes_after_what_was_sent_and_stays() {
    everywhere(|carrier| async move {
        let Open { tx, mut rx, line } = three_sent(carrier).await;
        tx.end();
        assert_eq!(rest(&mut rx).await, (vec![0, 1, 2], Ok(())));
        line.over().await;
        assert_eq!(rest(&mut rx).await, (vec![], Ok(())), "and so for ever");
        assert_balanced(rx.stats(), true);
    });
}

#[test]
fn empty_stream_ends_cleanly() {
    everywhere(|carrier| async move {
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(1)).await;
        tx.end_and_wait().await.unwrap();
        assert_eq!(rest(&mut rx).await, (vec![], Ok(())));
        line.over().await;
    });
}

#[test]
fn failure_comes_after_what_was_sent_with_its_code_and_text() {
    everywhere(|carrier| async move {
        let Open { tx, mut rx, line } = three_sent(carrier).await;
        tx.fail(Failure::new("disk “A” gone").with_code(u32::MAX));
        let (values, end) = rest(&mut rx).await;
        assert_eq!(values, [0, 1, 2]);
        let Err(RecvError::Failed(failure)) = &end else { panic!("{end:?}") };
        assert_eq!((failure.code(), failure.text()), (u32::MAX, "disk “A” gone"));
        line.over().await;
        assert_eq!(rest(&mut rx).await, (vec![], end));
    });
}

#[test]
fn fail_now_takes_what_the_consumer_had_not_been_given() {
    everywhere(|carrier| async move {
        let census = Census::default();
        let Open { tx, mut rx, line } = carrier.open_counted(&census, Window::messages(8)).await;
        for _ in 0..4 {
            tx.send(census.one()).await.unwrap();
        }
        let first = rx.recv().await.unwrap().unwrap();
        tx.send(census.one()).await.unwrap();
        until(|| rx.stats().sent == 5).await;
        tx.fail_now("stop");
        // The last one was not in the consumer's hand. What is goes with its next call.
        until(|| census.alive() <= 4).await;
        assert_eq!(rx.recv().await.unwrap_err(), RecvError::Failed("stop".into()));
        assert_eq!(rx.stats().depth.messages(), 1, "what is in hand is left to be finished");
        drop(first);
        assert_balanced(rx.stats(), true);
        line.over().await;
        assert_eq!(census.alive(), 0);
    });
}

/// rust-lang/futures-rs#931: a producer that went without a proper close looked like success.
#[test]
fn report_44_producer_lost_is_not_success() {
    async fn ends_abandoned(mut rx: CreditConsumer<u64>) {
        let abandoned = Err(RecvError::Abandoned { received: 1 });
        assert_eq!(rest(&mut rx).await, (vec![1], abandoned.clone()), "what it had sent comes first");
        assert_eq!(rest(&mut rx).await, (vec![], abandoned), "and so for ever");
    }
    everywhere(|carrier| async move {
        // Dropped.
        let Open { tx, rx, line } = carrier.open_line(Window::messages(2)).await;
        tx.send(1).await.unwrap();
        drop(tx);
        ends_abandoned(rx).await;
        line.over().await;
        // By a panic.
        let (tx, rx) = carrier.open(Window::messages(2)).await;
        let task = tokio::spawn(async move {
            tx.send(1).await.unwrap();
            std::panic::resume_unwind(Box::new("the producer fails"));
        });
        assert!(task.await.unwrap_err().is_panic());
        ends_abandoned(rx).await;
        // By an abort.
        let (tx, rx) = carrier.open(Window::messages(2)).await;
        let task = tokio::spawn(async move {
            tx.send(1).await.unwrap();
            std::future::pending::<()>().await;
            tx.end();
        });
        until(|| rx.stats().sent == 1).await;
        task.abort();
        ends_abandoned(rx).await;
    });
}

#[test]
fn every_reason_to_cancel_arrives_as_it_was_given() {
    everywhere(|carrier| async move {
        let reasons = [
            CancelReason::Requested,
            CancelReason::Timeout,
            CancelReason::Shutdown,
            CancelReason::HandlerPanic,
            CancelReason::Dropped,
            CancelReason::HandlerError("row 7 is locked".into()),
            CancelReason::Undecodable("not a row".into()),
            CancelReason::other(0, ""),
            CancelReason::other(u32::MAX, "Zürich ist zu"),
        ];
        for reason in reasons {
            let Open { tx, mut rx, line } = three_sent(carrier).await;
            assert!(rx.cancel(reason.clone()));
            assert!(!rx.cancel(CancelReason::Requested), "the first counts");
            assert_eq!(tx.closed().await, Closed::Cancelled(reason.clone()));
            assert_eq!(tx.cancelled().await, Some(reason.clone()));
            assert!(tx.is_closed() && tx.is_cancelled());
            let error = tx.send(9).await.unwrap_err();
            assert_eq!(error, SendError::Closed { value: 9, reason: Closed::Cancelled(reason.clone()) });
            assert_eq!(rest(&mut rx).await, (vec![], Err(RecvError::Cancelled(reason))));
            line.over().await;
            assert_balanced(rx.stats(), true);
        }
    });
}

/// rsocket/rsocket-rust#48: told with the next item, or never.
#[test]
fn report_59_idle_producer_is_told_at_once_that_its_consumer_is_gone() {
    everywhere(|carrier| async move {
        let Open { tx, rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
        let told = tokio::spawn(async move { tx.closed().await });
        turns(10).await;
        drop(rx);
        assert_eq!(told.await.unwrap(), Closed::Cancelled(CancelReason::Dropped));
        line.over().await;
    });
}

#[test]
fn cancel_lets_work_in_hand_be_finished_and_drops_the_rest() {
    everywhere(|carrier| async move {
        let census = Census::default();
        let Open { tx, mut rx, line } = carrier.open_counted(&census, Window::messages(8)).await;
        let mut in_hand = Vec::new();
        for _ in 0..3 {
            tx.send(census.one()).await.unwrap();
            in_hand.push(rx.recv().await.unwrap().unwrap());
        }
        for _ in 0..5 {
            tx.send(census.one()).await.unwrap();
        }
        let canceller = rx.canceller();
        let stopped = tokio::spawn(async move { canceller.cancel(CancelReason::Requested) });
        assert!(stopped.await.unwrap());
        until(|| census.alive() == 3).await;
        assert_eq!(rx.stats().depth.messages(), 3);
        in_hand.clear();
        assert!(rx.recv().await.is_err());
        assert_balanced(rx.stats(), true);
        line.over().await;
        assert_balanced(tx.stats(), false);
        assert_eq!(census.alive(), 0);
    });
}

#[test]
fn consumer_that_goes_takes_what_was_sent_with_it() {
    everywhere(|carrier| async move {
        let census = Census::default();
        let Open { tx, mut rx, line } = carrier.open_counted(&census, Window::messages(8)).await;
        for _ in 0..6 {
            tx.send(census.one()).await.unwrap();
        }
        let (in_hand, canceller) = (rx.recv().await.unwrap(), rx.canceller());
        drop(rx);
        until(|| census.alive() == 1).await;
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
        line.over().await;
        drop(in_hand);
        assert_eq!(census.alive(), 0);
        assert_balanced(canceller.stats(), true);
        assert!(!canceller.cancel(CancelReason::Requested), "it was cancelled by the drop");
    });
}

#[test]
fn last_clone_ends_and_one_that_went_without_end_spoils_it() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        let (second, third) = (tx.clone(), tx.clone());
        tx.end();
        second.send(1).await.unwrap();
        second.end();
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
        let mut waits = Box::pin(rx.recv());
        turns(10).await;
        assert!(poll_once(&mut waits).await.is_pending(), "one is still there");
        third.end();
        assert!(waits.await.unwrap().is_none());

        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        let (second, third) = (tx.clone(), tx.clone());
        drop(second);
        tx.end();
        third.send(5).await.unwrap();
        third.end();
        assert_eq!(rest(&mut rx).await, (vec![5], Err(RecvError::Abandoned { received: 1 })));
    });
}

#[test]
fn weak_handles_neither_hold_the_end_back_nor_bring_it_back() {
    everywhere(|carrier| async move {
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(4)).await;
        let weak = tx.downgrade();
        let again = weak.upgrade().unwrap();
        assert!(again.same_channel(&tx));
        again.send(1).await.unwrap();
        again.end();
        tx.end();
        assert!(weak.upgrade().is_none() && weak.clone().upgrade().is_none());
        assert_eq!(rest(&mut rx).await, (vec![1], Ok(())));
    });
}

/// python-hyper/h2#1314, zigstack/zquic#179, libssh2/libssh2#108, microsoft/demikernel#686: an end that waited for
/// credit which would only come after it.
#[test]
fn report_41_end_needs_no_credit() {
    everywhere(|carrier| async move {
        // A full window whose last credit the consumer keeps until it has read the end.
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(1)).await;
        tx.send(7).await.unwrap();
        tx.end();
        let last = rx.recv().await.unwrap().unwrap();
        assert!(rx.recv().await.unwrap().is_none());
        assert_eq!(*last, 7);
        // A window that a shrink has overdrawn.
        let (tx, mut rx) = carrier.open::<u64>(Window::messages(9)).await;
        for item in 0..9 {
            tx.send(item).await.unwrap();
        }
        rx.set_window(Window::messages(1)).unwrap();
        tx.end();
        let mut in_hand = Vec::new();
        while let Some(chunk) = rx.recv().await.unwrap() {
            in_hand.push(chunk);
        }
        assert_eq!(in_hand.len(), 9);
    });
}

/// akka/akka-core#28852: the second of two terminals hit a state that did not expect it.
#[test]
fn report_47_terminals_that_cross_leave_one_outcome_on_each_side() {
    everywhere(|carrier| async move {
        for round in 0..40 {
            let Open { tx, mut rx, line } = three_sent(carrier).await;
            let watch = tx.clone();
            let canceller = rx.canceller();
            let ending = tokio::spawn(async move {
                turns(round % 5).await;
                match round % 4 {
                    0 => tx.end(),
                    1 => tx.fail("disk gone"),
                    2 => tx.fail_now("disk gone"),
                    _ => drop(tx),
                }
            });
            turns(round / 5).await;
            canceller.cancel(CancelReason::Requested);
            let cancelled = RecvError::Cancelled(CancelReason::Requested);
            assert_eq!(rest(&mut rx).await, (vec![], Err(cancelled.clone())));
            ending.await.unwrap();
            assert!(watch.end_and_wait().await.is_err());
            line.over().await;
            assert_eq!(rest(&mut rx).await, (vec![], Err(cancelled)));
            assert_balanced(rx.stats(), true);
        }
    });
}

#[test]
fn drain_takes_what_was_sent_and_what_permits_still_send() {
    everywhere(|carrier| async move {
        for used in [false, true] {
            let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(4)).await;
            tx.send(1).await.unwrap();
            let permit = tx.reserve().await.unwrap();
            rx.drain();
            until(|| tx.is_closed()).await;
            let drained = Closed::Cancelled(CancelReason::Drained);
            assert_eq!(tx.send(9).await.unwrap_err(), SendError::Closed { value: 9, reason: drained.clone() });
            assert_eq!(tx.closed().await, drained);
            assert_eq!(*rx.recv().await.unwrap().unwrap(), 1);
            let mut waits = Box::pin(rx.recv());
            turns(10).await;
            assert!(poll_once(&mut waits).await.is_pending(), "a permit is out");
            if used {
                permit.send(2).unwrap();
                assert_eq!(*waits.await.unwrap().unwrap(), 2);
            } else {
                drop(permit);
                drop(waits);
            }
            assert_eq!(rest(&mut rx).await, (vec![], Err(RecvError::Cancelled(CancelReason::Drained))));
            line.over().await;
            assert_balanced(rx.stats(), true);
        }
    });
}

/// Whether the driver hears of the drop before or after it has sent its last word, and in one process, is all the same.
#[test]
fn producer_that_goes_when_it_was_asked_for_no_more_has_abandoned_nothing() {
    everywhere(|carrier| async move {
        let Open { tx, mut rx, .. } = three_sent(carrier).await;
        rx.drain();
        until(|| tx.is_closed()).await;
        drop(tx);
        assert_eq!(rest(&mut rx).await, (vec![0, 1, 2], Err(RecvError::Cancelled(CancelReason::Drained))));
    });
}

#[test]
fn consumer_that_drains_and_goes_has_gone() {
    everywhere(|carrier| async move {
        let Open { tx, mut rx, line } = three_sent(carrier).await;
        let permit = tx.reserve().await.unwrap();
        rx.drain();
        until(|| tx.is_closed()).await;
        assert_eq!(*rx.recv().await.unwrap().unwrap(), 0);
        drop(rx);
        line.over().await;
        assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
        assert!(permit.send(9).is_err());
    });
}

/// A frame carries 4 KiB of text; what is longer is cut, and nothing is broken by it.
#[test]
fn texts_longer_than_a_frame_carries_are_cut_between_two_characters() {
    everywhere(|carrier| async move {
        let long = "ü".repeat(3000);
        let said = |text: &str| match carrier {
            Carrier::InProcess => text == long,
            _ => text.len() == 4096 && long.starts_with(text),
        };
        let Open { tx, mut rx, line } = carrier.open_line::<u64>(Window::messages(1)).await;
        tx.fail(long.clone());
        let Err(RecvError::Failed(failure)) = rx.recv().await else { panic!("it failed") };
        assert!(said(failure.text()), "{}", failure.text().len());
        line.over().await;
        let Open { tx, rx, line } = carrier.open_line::<u64>(Window::messages(1)).await;
        rx.cancel(CancelReason::other(5, &*long));
        let Closed::Cancelled(CancelReason::Other { code: 5, text }) = tx.closed().await else { panic!("cancelled") };
        assert!(said(&text), "{}", text.len());
        line.over().await;
    });
}
