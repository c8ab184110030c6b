//! A producer in a storm.

use super::books::{Books, content};
use super::plan::{Ending, Plan};
use crate::support::Dice;
use bytes::Bytes;
use credit_channel::{Closed, CreditProducer, SendError, SendTimeoutError, TrySendError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How a producer got on: why it could not go on, or what it was told after its ending.
#[derive(Debug)]
pub(crate) enum Fared {
    Refused(Closed),
    Ended,
    Waited(Result<(), Closed>),
}

pub(crate) async fn produce(plan: Arc<Plan>, books: Books, me: usize, tx: CreditProducer<Bytes>) -> Fared {
    let mut dice = Dice::new(plan.seed + 1000 * u64::try_from(me + 1).expect("few"));
    for n in 0..plan.chunks_each {
        if dice.below(10) == 0 {
            sleep(Duration::from_millis(dice.below(100))).await;
        }
        let payload = content(&plan, me, n);
        let length = payload.len();
        match send(&mut dice, &tx, payload.clone()).await {
            Ok(()) => books.accept(me, n, length),
            Err(error @ SendError::TooLarge { .. }) => {
                assert_eq!(error.into_inner(), payload, "the value is given back");
                // A short one does not say which it is: the next one has to be the next.
                if plan.producers() == 1 {
                    break;
                }
            }
            Err(SendError::Closed { value, reason }) => {
                assert_eq!(value, payload, "the value is given back");
                assert_eq!(tx.closed().await, reason);
                return Fared::Refused(reason);
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    match plan.endings[me] {
        Ending::End => tx.end(),
        Ending::EndAndWait => return Fared::Waited(tx.end_and_wait().await),
        Ending::Fail => tx.fail("storm"),
        Ending::FailNow => tx.fail_now("storm now"),
        Ending::Drop => drop(tx),
    }
    Fared::Ended
}

/// Sends in one of the ways there are.
async fn send(dice: &mut Dice, tx: &CreditProducer<Bytes>, payload: Bytes) -> Result<(), SendError<Bytes>> {
    match dice.below(4) {
        0 => match tx.try_send(payload) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(payload)) => tx.send(payload).await,
            Err(TrySendError::Refused(error)) => Err(error),
            Err(other) => panic!("{other:?}"),
        },
        1 => {
            let mut payload = payload;
            loop {
                payload = match tx.send_timeout(payload, Duration::from_millis(1 + dice.below(80))).await {
                    Ok(()) => return Ok(()),
                    Err(SendTimeoutError::Timeout(payload)) => payload,
                    Err(SendTimeoutError::Refused(error)) => return Err(error),
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        2 => {
            let bytes = u64::try_from(payload.len()).expect("a length");
            match tx.reserve_bytes(bytes.max(1)).await {
                Ok(permit) => permit.send(payload),
                Err(SendError::Closed { reason, .. }) => Err(SendError::Closed { value: payload, reason }),
                Err(SendError::TooLarge { cost, limit, .. }) => {
                    Err(SendError::TooLarge { value: payload, cost, limit })
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        _ => tx.send(payload).await,
    }
}
