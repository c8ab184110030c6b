//! Section 4: both at once.

use super::rig::{Rig, drain, each, take};
use crate::support::turns;
use credit_channel::Failure;

/// Twenty are asked for once; they come one by one, late, each when the stage has long been waiting.
#[test]
fn rs_4_1_demand_of_long_ago_goes_on() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 1);
        let asking = tokio::spawn(async move {
            for _ in 0..20 {
                drop(take(&mut stage, 1).await);
            }
        });
        let mut n = 0;
        while !asking.is_finished() && feed.send(n).await.is_ok() {
            turns(5).await;
            n += 1;
        }
        asking.await.unwrap();
        assert!(n <= subject.needed(20) + subject.ahead + 1 + watch.windows(), "{n} were sent");
        drop(feed);
        watch.assert_home().await;
    });
}

#[test]
fn rs_4_2_an_error_passes_as_what_it_was() {
    each(|subject| async move {
        let Rig { feed, mut stage, watch } = Rig::new(subject, 3);
        let failure = Failure::new("ledger torn").with_code(74);
        feed.fill(3);
        feed.fail(&failure);
        let (came, ended) = drain(&mut stage).await;
        subject.assert_came(came, subject.expected(3));
        let passed = ended.expect_err("no end is made of it").into_failure();
        assert_eq!((passed.code(), passed.text()), (failure.code(), failure.text()));
        watch.assert_home().await;
    });
}
