//! Several as one: in turns, with each one's own credit, until all have ended or one fails.

use crate::probe::{endless, up_to};
use crate::sources::pair;
use crate::support::{LONG_WATCHDOG, on_both_runtimes, on_both_runtimes_within, poll_once};
use credit_channel::stages::{Stage, StageError, merge};
use credit_channel::{CancelReason, Closed, CreditConsumer, RecvError};

#[test]
fn inputs_take_turns() {
    on_both_runtimes(|| async {
        let (sources, logs): (Vec<_>, Vec<_>) = [endless(), endless(), up_to(2), endless()].into_iter().unzip();
        let numbered = sources.into_iter().zip(0..).map(|(source, input)| source.map(move |n| (input, n)).boxed());
        let mut stage = merge(numbered.collect());
        let mut got = Vec::new();
        for seq in 0..14 {
            let chunk = stage.recv().await.unwrap().unwrap();
            assert_eq!(chunk.seq(), seq, "numbered anew");
            got.push(chunk.into_inner());
            assert_eq!(logs.iter().map(|log| log.pulled()).sum::<u64>(), seq + 1, "one for one");
        }
        let rounds = [vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![0, 1, 3], vec![0, 1, 3]].into_iter().zip(0..);
        assert_eq!(got, rounds.flat_map(|(inputs, n)| inputs.into_iter().map(move |i| (i, n))).collect::<Vec<_>>());
    });
}

/// A flood on one input, even one that knows no budget, holds up no other by more than a turn or two.
#[test]
fn one_that_always_has_something_starves_nobody() {
    on_both_runtimes(|| async {
        let (tx, rx) = pair(2);
        let mut stage = merge(vec![endless().0.map(|_| None).boxed(), Stage::map(rx, Some).detach().boxed()]);
        for n in 0..1_000 {
            tx.try_send(n).unwrap();
            let mut turns = 1;
            while *stage.recv().await.unwrap().unwrap() != Some(n) {
                turns += 1;
            }
            assert!(turns <= 4, "{turns}");
        }
    });
}

#[test]
fn it_ends_when_all_have_ended_and_any_of_them_wakes_it() {
    on_both_runtimes(|| async {
        let (txs, rxs): (Vec<_>, Vec<_>) = (0..3).map(|_| pair(2)).unzip();
        let mut stage = merge(rxs);
        let consumer = tokio::spawn(async move {
            let mut got = Vec::new();
            while let Some(chunk) = stage.recv().await.unwrap() {
                got.push(chunk.into_inner());
            }
            assert!(stage.recv().await.unwrap().is_none(), "and again");
            stage.cancel(CancelReason::Timeout);
            assert!(stage.recv().await.unwrap().is_none(), "it had ended before");
            got
        });
        for n in 0..30 {
            for (tx, input) in txs.iter().zip(0..) {
                let sent = tx.clone();
                sent.send(100 * input + n).await.unwrap();
                sent.end();
                // The consumer has nothing else to wake it.
                while tx.depth().messages() > 0 {
                    tokio::task::yield_now().await;
                }
            }
        }
        for tx in txs {
            assert!(!consumer.is_finished());
            tx.end_and_wait().await.unwrap();
        }
        let got = consumer.await.unwrap();
        let expected: Vec<_> = (0..30).flat_map(|n| (0..3).map(move |input| 100 * input + n)).collect();
        assert_eq!(got, expected);
        assert!(merge(Vec::<CreditConsumer<u64>>::new()).recv().await.unwrap().is_none(), "none have ended at once");
    });
}

#[test]
fn the_credit_of_each_input_is_carried() {
    on_both_runtimes(|| async {
        let ((a, a_rx), (b, b_rx)) = (pair(1), pair(1));
        a.try_send(0).unwrap();
        b.try_send(1).unwrap();
        let mut stage = merge(vec![a_rx, b_rx]);
        let (first, second) = (stage.recv().await.unwrap().unwrap(), stage.recv().await.unwrap().unwrap());
        assert_eq!((*first, a.credit().messages(), b.credit().messages()), (0, 0, 0));
        drop(second);
        assert_eq!((a.credit().messages(), b.credit().messages()), (0, 1));
        drop(first);
        assert_eq!(a.credit().messages(), 1);
    });
}

/// After what came before it in its own input, and not after all that the others may still bring.
#[test]
fn an_error_comes_in_its_inputs_order_and_cancels_the_others() {
    on_both_runtimes(|| async {
        let ((failing, failing_rx), (other, other_rx)) = (pair(4), pair(8));
        failing.try_send(0).unwrap();
        failing.try_send(1).unwrap();
        for n in 10..18 {
            other.try_send(n).unwrap();
        }
        failing.fail("disk gone");
        let mut stage = merge(vec![other_rx, failing_rx]);
        let mut got = Vec::new();
        let error = loop {
            match stage.recv().await {
                Ok(chunk) => got.push(chunk.unwrap().into_inner()),
                Err(error) => break error,
            }
        };
        assert_eq!(got, [10, 0, 11, 1, 12]);
        assert_eq!(error, StageError::Upstream(RecvError::Failed("disk gone".into())));
        assert_eq!(stage.recv().await.unwrap_err(), error);
        let reason = CancelReason::other(0, "input 1 of the merge failed: producer failed: disk gone");
        assert_eq!(other.closed().await, Closed::Cancelled(reason));
        assert_eq!(other.depth().messages(), 0, "what it had ready went, and with it its credit");
    });
}

/// The number in the reason is the one it had at first, though others have left.
#[test]
fn the_reason_names_the_input() {
    on_both_runtimes(|| async {
        let ((ending, ending_rx), (failing, failing_rx), (other, other_rx)) = (pair(1), pair(1), pair(1));
        let mut stage = merge(vec![ending_rx, failing_rx, other_rx]);
        ending.end();
        assert!(poll_once(&mut stage.recv()).await.is_pending());
        drop(failing);
        stage.recv().await.unwrap_err();
        let reason = CancelReason::other(0, "input 1 of the merge failed: producer dropped without end after 0 chunks");
        assert_eq!(other.closed().await, Closed::Cancelled(reason));
    });
}

/// reactor/reactor-core#2618: a source ended while another failed elsewhere, and the result looked complete.
#[test]
fn report_43_one_fails_as_the_other_ends() {
    on_both_runtimes_within(LONG_WATCHDOG, || async {
        for round in 0..20_000 {
            let ((ending, ending_rx), (failing, failing_rx)) = (pair(1), pair(1));
            let elsewhere = (tokio::spawn(async move { ending.end() }), tokio::spawn(async { failing.fail("torn") }));
            let mut stage =
                merge(if round % 2 == 0 { vec![ending_rx, failing_rx] } else { vec![failing_rx, ending_rx] });
            let error = stage.recv().await.expect_err("not complete");
            assert_eq!(error, StageError::Upstream(RecvError::Failed("torn".into())), "round {round}");
            elsewhere.0.await.unwrap();
            elsewhere.1.await.unwrap();
        }
    });
}

/// The note to RS 4, and contract S18: all inputs, once, whatever has ended.
#[test]
fn a_cancel_reaches_all_once() {
    on_both_runtimes(|| async {
        let (sources, logs): (Vec<_>, Vec<_>) = [endless(), up_to(0), endless()].into_iter().unzip();
        let mut stage = merge(sources);
        for _ in 0..4 {
            drop(stage.recv().await.unwrap().unwrap());
        }
        stage.cancel(CancelReason::Timeout);
        stage.cancel(CancelReason::Shutdown);
        for _ in 0..2 {
            assert_eq!(stage.recv().await.unwrap_err(), StageError::cancelled(CancelReason::Timeout));
        }
        let told: Vec<_> = logs.iter().map(|log| log.cancels()).collect();
        assert_eq!(told, [vec![CancelReason::Timeout], vec![], vec![CancelReason::Timeout]]);

        let ((a, a_rx), (b, b_rx)) = (pair(1), pair(1));
        drop(merge(vec![a_rx, b_rx]));
        for tx in [a, b] {
            assert_eq!(tx.closed().await, Closed::Cancelled(CancelReason::Dropped));
        }
    });
}
