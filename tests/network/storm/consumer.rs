//! The consumer in a storm.

use super::books::Books;
use super::plan::{Act, Plan};
use crate::support::Dice;
use bytes::Bytes;
use credit_channel::{Chunk, CreditConsumer, RecvError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How the channel ended for it; `None` if it went before.
pub(crate) async fn consume(
    plan: Arc<Plan>,
    books: Books,
    mut rx: CreditConsumer<Bytes>,
) -> Option<Result<(), RecvError>> {
    let mut dice = Dice::new(plan.seed + 77);
    let mut hands = Hands { books: books.clone(), held: Vec::new() };
    let mut received = 0;
    let mut act = plan.act.clone();
    let how = loop {
        if let Some((_, act)) = act.take_if(|(after, _)| *after <= received) {
            match act {
                Act::Cancel(reason) => assert!(rx.cancel(reason)),
                Act::Drop => return None,
                Act::Drain => rx.drain(),
                Act::SetWindow(window) => {
                    books.widen(window);
                    rx.set_window(window).expect("of the same units");
                }
            }
        }
        // Who keeps a window's worth in hand gets no more before it lets go of some.
        let patience = if plan.restless { 7 } else { 100 };
        match timeout(Duration::from_millis(patience), rx.recv()).await {
            Ok(Ok(Some(chunk))) => {
                books.receive(&plan, chunk.seq(), &chunk);
                received += 1;
                hands.held.push(chunk);
                if u64::try_from(hands.held.len()).expect("few") > plan.hands {
                    hands.let_go(&mut dice);
                }
                if dice.below(8) == 0 {
                    sleep(Duration::from_millis(dice.below(30))).await;
                }
            }
            Ok(Ok(None)) => break Ok(()),
            Ok(Err(error)) => break Err(error),
            Err(_) => hands.let_go(&mut dice),
        }
    };
    assert_eq!(rx.recv().await.map(drop), how.clone(), "it stays at that");
    while !hands.held.is_empty() {
        sleep(Duration::from_millis(dice.below(30))).await;
        hands.let_go(&mut dice);
    }
    Some(how)
}

/// Chunks being worked on.
struct Hands {
    books: Books,
    held: Vec<Chunk<Bytes>>,
}

impl Hands {
    fn let_go(&mut self, dice: &mut Dice) {
        if self.held.is_empty() {
            return;
        }
        let which = dice.below(u64::try_from(self.held.len()).expect("few"));
        let chunk = self.held.swap_remove(usize::try_from(which).expect("few"));
        // Noted before, so that what is counted is never more than what is in flight.
        self.books.release(chunk.len());
        drop(chunk);
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        for chunk in self.held.drain(..) {
            self.books.release(chunk.len());
            drop(chunk);
        }
    }
}
