//! What costs more than it carries, and what is kept for a peer that does not read (H5, H10, H15, H41).

use crate::lone::{Lone, Payload, chunk, grant, hello, ms, secs};
use credit_channel::session::{Event, Settings};
use credit_channel::wire::{Code, Frame, Role};
use credit_channel::{Credit, Window};

/// How many of these are taken at one instant.
fn taken(lone: &mut Lone, frame: &Frame<Payload>) -> u32 {
    let mut taken = 0;
    loop {
        match lone.hear(frame.clone()) {
            Some(Event::Lost(_)) => {
                let (code, text) = lone.goaway();
                assert_eq!(code, Code::ENHANCE_CALM);
                assert_eq!(text, "more frames than the work that came with them pays for");
                return taken;
            }
            _ => taken += 1,
        }
    }
}

/// HELLO is paid for already.
const LEFT: u32 = 999;

#[test]
fn h10_a_flood_of_pings_is_answered_once_and_stopped() {
    let mut lone = Lone::open_consumer();
    // The first is as good as any frame; each that follows too soon costs 50.
    for token in 0..=19 {
        assert_eq!(lone.hear(Frame::Ping { token }), None);
    }
    assert_eq!(lone.said(), [Frame::Pong { token: 19 }]);
    assert_eq!(taken(&mut lone, &Frame::Ping { token: 99 }), 0);
}

#[test]
fn h10_pings_at_the_pace_that_hello_says_cost_next_to_nothing() {
    let mut lone = Lone::open_consumer();
    for token in 0..10_000 {
        // Sent a second apart; the network has them come in twos, 600 ms apart.
        lone.now += if token % 2 == 0 { ms(1_400) } else { ms(600) };
        assert_eq!(lone.hear(Frame::Ping { token }), None);
        assert_eq!(lone.said(), [Frame::Pong { token }]);
    }
    let mut lone = Lone::open_consumer_with(Settings { ping_interval: secs(60), ..Settings::default() });
    for token in 0..100 {
        lone.now += secs(4);
        let event = lone.hear(Frame::Ping { token });
        if event.is_some() {
            assert_eq!(lone.goaway().0, Code::ENHANCE_CALM);
            return assert!(token > 50, "{token}");
        }
    }
    panic!("15 times too often is not too often");
}

#[test]
fn h5_a_dribble_of_credit_is_stopped() {
    let mut lone = Lone::granted_producer();
    assert_eq!(taken(&mut lone, &Frame::Credit(grant(5, 0, 4))), LEFT - 1);

    let mut lone = Lone::granted_producer();
    for n in 0..u64::from(LEFT - 1) {
        assert!(matches!(lone.hear(Frame::Credit(grant(5 + n, 0, 4))), Some(Event::Granted(_))));
    }
    assert_eq!(taken(&mut lone, &Frame::Credit(grant(u64::MAX, 0, 4))), 0);
}

#[test]
fn a_credit_for_each_chunk_is_no_dribble() {
    let mut lone = Lone::granted_producer();
    for n in 1..=20_000 {
        let _ = lone.send();
        assert!(matches!(lone.hear(Frame::Credit(grant(4 + n, n, 4))), Some(Event::Granted(_))), "at {n}");
    }
    let mut lone = Lone::open_consumer();
    for n in 0..20_000 {
        assert!(matches!(lone.hear(chunk(n)), Some(Event::Chunk { .. })), "at {n}");
        assert_eq!(lone.hear(Frame::Blocked { limit: Credit::ZERO }), None);
        lone.session.grant(grant(5 + n, 1 + n, 4));
        assert_eq!(lone.said().len(), 1);
    }
}

#[test]
fn h15_h41_frames_that_mean_nothing_are_counted_too() {
    for frame in [Frame::Ignored { kind: 0x40, length: 9 }, Frame::Blocked { limit: Credit::ZERO }] {
        assert_eq!(taken(&mut Lone::open_consumer(), &frame), LEFT);
    }
    for frame in [Frame::Ignored { kind: 0x7F, length: u32::MAX }, Frame::Drain] {
        assert_eq!(taken(&mut Lone::granted_producer(), &frame), LEFT - 1);
    }
}

#[test]
fn time_and_work_earn_frames_up_to_what_there_was_at_first() {
    let ignored = Frame::Ignored { kind: 0x40, length: 9 };
    let spend = |lone: &mut Lone, n: u32| (0..n).for_each(|_| assert_eq!(lone.hear(ignored.clone()), None));

    let mut lone = Lone::open_consumer();
    spend(&mut lone, LEFT);
    lone.now += ms(2_999);
    spend(&mut lone, 20);
    lone.now += ms(1);
    spend(&mut lone, 10);
    assert_eq!(taken(&mut lone, &ignored), 0);

    let mut lone = Lone::open_consumer();
    spend(&mut lone, LEFT);
    for seq in 0..3 {
        assert!(lone.hear(chunk(seq)).is_some());
    }
    assert_eq!(taken(&mut lone, &ignored), 3);

    let mut lone = Lone::open_consumer();
    lone.now += secs(1_000_000);
    assert_eq!(taken(&mut lone, &ignored), 1_000);
}

#[test]
fn a_flood_is_stopped_after_the_last_word_too() {
    let mut lone = Lone::granted_producer();
    assert!(lone.hear(Frame::Cancel { code: Code::DROPPED, detail: 0, text: String::new() }).is_some());
    for _ in 0..5_000 {
        assert_eq!(lone.hear(Frame::Drain), None, "not looked at any more");
    }
    let mut lone = Lone::open_consumer();
    lone.session.cancel(&credit_channel::CancelReason::Dropped);
    lone.said();
    for _ in 0..LEFT {
        assert_eq!(lone.hear(Frame::Blocked { limit: Credit::ZERO }), None);
        assert!(!lone.session.is_over());
    }
    assert_eq!(lone.hear(Frame::Blocked { limit: Credit::ZERO }), None);
    assert!(lone.session.is_over());
}

#[test]
fn a_flood_before_hello_is_stopped_by_its_first_frame() {
    let mut lone = Lone::consumer(Window::messages(4));
    lone.said();
    assert_eq!(lone.refuses(Frame::Ignored { kind: 0x40, length: 9 }).0, Code::STATE);
}

#[test]
fn for_a_peer_that_does_not_read_no_more_is_kept_than_one_frame_of_each_kind() {
    let mut lone = Lone::granted_producer();
    for token in 0..10_000 {
        lone.now += secs(1);
        let _ = lone.session.handle_timeout(lone.now);
        assert_eq!(lone.hear(Frame::Ping { token }), None);
        assert!(matches!(lone.hear(Frame::Credit(grant(5 + token, 0, 4))), Some(Event::Granted(_))));
        lone.session.blocked();
    }
    let said = lone.said();
    assert!(matches!(said[..], [Frame::Pong { token: 9_999 }, Frame::Blocked { .. }]), "{said:?}");

    let mut lone = Lone::consumer(Window::messages(4)).introduced(hello(Role::Producer));
    for n in 0..10_000 {
        lone.session.grant(grant(5 + n, 0, 4));
        lone.session.drain();
    }
    assert_eq!(lone.said(), [Frame::Credit(grant(10_004, 0, 4)), Frame::Drain]);
    let size = size_of_val(&lone.session);
    assert!(size <= 1_536, "a session takes {size} bytes and no more");
}
