//! Whether what came of a storm is what has to come of it.

use super::Outcome;
use super::plan::{Act, Ending, Plan};
use super::producer::Fared;
use crate::support::assert_balanced;
use crate::support::link::{Cut, Way};
use crate::tape;
use credit_channel::transport::ConnectError;
use credit_channel::{CancelReason, Closed, Disconnect, RecvError};
use std::time::Duration;

/// From the cut on: 30 s of silence, a PING's time, 5 s for a last word, and the work in hand.
const BOUND: Duration = Duration::from_secs(50);

/// What kind of end the consumer saw.
pub(crate) fn judge(plan: &Plan, outcome: &Outcome) -> &'static str {
    let is_cut = outcome.wire.is_cut();
    let expected = |reason: &Disconnect| {
        let silent = plan.cut.is_some_and(|(_, _, cut)| cut == Cut::Silence);
        match reason {
            Disconnect::Eof | Disconnect::Io(_) => is_cut,
            Disconnect::Timeout(_) | Disconnect::GoneAway(_) => is_cut && silent,
            _ => false,
        }
    };
    judge_consumer(plan, outcome, &expected);
    judge_producers(plan, outcome, &expected);
    for (driver, stats) in [&outcome.near, &outcome.far].into_iter().flatten() {
        assert!(driver.as_ref().err().is_none_or(expected), "{driver:?}");
        assert!(stats.waiting == 0 && stats.reserved.is_zero(), "{stats:?}");
    }
    if let Some((_, stats)) = &outcome.far {
        assert_balanced(*stats, true);
    }
    if let Some(at) = outcome.wire.cut_at() {
        assert!(outcome.over - at < BOUND, "{:?} after the cut", outcome.over - at);
    }
    match &outcome.consumer {
        Err(_) => "not opened",
        Ok(None) => "gone",
        Ok(Some(Ok(()))) => "clean",
        Ok(Some(Err(RecvError::Failed(_)))) => "failed",
        Ok(Some(Err(RecvError::Abandoned { .. }))) => "abandoned",
        Ok(Some(Err(RecvError::Cancelled(CancelReason::Drained)))) => "drained",
        Ok(Some(Err(RecvError::Cancelled(_)))) => "cancelled",
        Ok(Some(Err(_))) => "truncated",
    }
}

fn judge_consumer(plan: &Plan, outcome: &Outcome, expected: &impl Fn(&Disconnect) -> bool) {
    let books = outcome.books.counts();
    books.assert_nothing_invented();
    let has = |ending: Ending| plan.endings.contains(&ending);
    let end = tape::end_of_end(&tape::frames(&outcome.wire.read(Way::There)));
    match &outcome.consumer {
        Err(ConnectError::Lost(reason)) => assert!(expected(reason), "{reason:?}"),
        Err(other) => panic!("{other:?}"),
        Ok(None) => assert!(matches!(plan.act, Some((_, Act::Drop)))),
        Ok(Some(Ok(()))) => {
            assert!(end.is_some(), "END has come");
            assert!(plan.endings.iter().all(|ending| matches!(ending, Ending::End | Ending::EndAndWait)));
            assert!(books.all_received());
        }
        Ok(Some(Err(error))) => match error {
            RecvError::Failed(failure) => {
                assert!(has(if failure.text() == "storm" { Ending::Fail } else { Ending::FailNow }));
                assert!(failure.text() == "storm now" || books.all_received());
            }
            RecvError::Abandoned { .. } => assert!(has(Ending::Drop) && books.all_received()),
            RecvError::Cancelled(CancelReason::Drained) => {
                assert!(matches!(plan.act, Some((_, Act::Drain))) && books.all_received());
            }
            RecvError::Cancelled(reason) => assert_eq!(act_of(plan), Some(reason.clone())),
            RecvError::Truncated { reason, .. } => assert!(expected(reason), "{reason:?}"),
            other => panic!("{other:?}"),
        },
    }
}

/// How the consumer stops, as its producer is told it.
fn act_of(plan: &Plan) -> Option<CancelReason> {
    match &plan.act {
        Some((_, Act::Cancel(reason))) => Some(reason.clone()),
        Some((_, Act::Drop)) => Some(CancelReason::Dropped),
        Some((_, Act::Drain)) => Some(CancelReason::Drained),
        Some((_, Act::SetWindow(_))) | None => None,
    }
}

fn judge_producers(plan: &Plan, outcome: &Outcome, expected: &impl Fn(&Disconnect) -> bool) {
    let fared = match &outcome.producers {
        Err(ConnectError::Lost(reason)) => return assert!(expected(reason), "{reason:?}"),
        Err(other) => panic!("{other:?}"),
        Ok(fared) => fared,
    };
    for how in fared {
        match how {
            Fared::Ended => {}
            Fared::Waited(Ok(())) => {
                let books = outcome.books.counts();
                assert!(books.all_received() && books.messages == 0, "all the work is done");
            }
            Fared::Refused(why) | Fared::Waited(Err(why)) => match why {
                Closed::Cancelled(reason) => assert_eq!(Some(reason), act_of(plan).as_ref()),
                Closed::Failed(failure) => {
                    let ending = if failure.text() == "storm" { Ending::Fail } else { Ending::FailNow };
                    assert!(plan.endings.contains(&ending));
                }
                Closed::Abandoned => assert!(plan.endings.contains(&Ending::Drop)),
                Closed::Disconnected(reason) => assert!(expected(reason), "{reason:?}"),
                other => panic!("{other:?}"),
            },
        }
    }
}
