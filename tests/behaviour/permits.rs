//! I3, I7 where user code goes wrong: what is reserved comes back.

use crate::support::{assert_balanced, on_both_runtimes, panics, poll_once};
use credit_channel::{Builder, Window, channel};

#[test]
fn permit_survives_a_panicking_weigher() {
    let weigh = |value: &u64| if *value == 13 { std::panic::resume_unwind(Box::new("unlucky")) } else { 4 };
    let (tx, mut rx) = Builder::new(Window::bytes(10)).weigh_with(weigh).open().unwrap();
    let permit = tx.try_reserve_bytes(5).unwrap();
    assert!(panics(|| drop(permit.send(13))));
    assert_balanced(tx.stats(), true);
    let owned = tx.clone().try_reserve_owned().unwrap();
    assert!(panics(|| drop(owned.send(13).map(drop))));
    assert_balanced(tx.stats(), true);
    assert!(panics(|| drop(tx.try_send(13))));
    assert!(panics(|| drop(tx.send(13))));
    tx.try_send(12).unwrap();
    drop(rx.try_recv().unwrap());
    assert_balanced(tx.stats(), true);
}

#[test]
fn send_polled_after_completion_costs_no_credit() {
    on_both_runtimes(|| async {
        let (tx, _rx) = channel::<u64>(Window::messages(4)).unwrap();
        let mut send = tx.send(1);
        assert!(poll_once(&mut send).await.is_ready());
        let again = panics(|| drop(crate::support::poll_with(std::task::Waker::noop(), std::pin::Pin::new(&mut send))));
        assert!(again, "a future that is over says so");
        drop(send);
        assert_eq!((tx.depth().messages(), tx.stats().reserved.messages()), (1, 0));
    });
}
