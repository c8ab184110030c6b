//! PING and PONG: who is there, how far away, and that being there is not the same as working (H6, H7, H11, H12, H50).

use crate::lone::{Happened, Lone, Payload, chunk, end, grant, hello, ms, secs, timed_out};
use crate::wire::Wire;
use credit_channel::session::{Event, Session, Settings, Traffic};
use credit_channel::wire::{Code, Frame, Hello, Role};
use credit_channel::{Disconnect, Timeout, Window};
use std::time::Duration;

const IDLE: &str = "nothing was heard for too long";

/// The token of the PING that is all it has to say.
fn token(said: &[Frame<Payload>]) -> u64 {
    let [Frame::Ping { token }] = said else { panic!("no PING: {said:?}") };
    *token
}

/// Waits for the PING that comes after so much silence.
fn asked_after(lone: &mut Lone, silence: Duration) -> u64 {
    assert_eq!(lone.wait(silence - ms(1)), []);
    let happened = lone.wait(ms(1));
    let [(_, Happened::Said(Frame::Ping { token }))] = &happened[..] else { panic!("no PING: {happened:?}") };
    *token
}

#[test]
fn silence_is_asked_about_after_the_keepalive_time() {
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        let token = asked_after(&mut lone, secs(10));
        lone.now += ms(40);
        assert_eq!(lone.hear(Frame::Pong { token }), None);
        assert_eq!(lone.session.round_trip(), Some(ms(40)));
        // Whatever comes, not only PONG, is a sign of life.
        assert_eq!(lone.wait(secs(7)), []);
        assert_eq!(lone.hear(Frame::Ignored { kind: 0x40, length: 0 }), None);
        assert_eq!(lone.wait(secs(7)), []);
        lone.session.handle_io(Traffic { read: 1, ..Traffic::default() }, lone.now);
        asked_after(&mut lone, secs(10));
    }
}

#[test]
fn h12_a_peer_that_never_answers_is_given_up_after_the_idle_time() {
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        asked_after(&mut lone, secs(10));
        assert_eq!(lone.wait(secs(20) - ms(1)), [], "only one PING is out at a time");
        let happened: Vec<_> = lone.wait(ms(1)).into_iter().map(|(_, what)| what).collect();
        assert_eq!(happened, timed_out(Timeout::Idle, Code::TIMEOUT_IDLE, IDLE));
    }
}

#[test]
fn a_single_byte_keeps_a_slow_link() {
    let mut lone = Lone::open_consumer();
    let mut pings = 0;
    for read in 1..=50 {
        pings += lone.wait(secs(29)).len();
        lone.session.handle_io(Traffic { read, ..Traffic::default() }, lone.now);
        assert!(!lone.session.wants_write_closed());
    }
    assert_eq!(pings, 1, "it was not answered, so there was no second one");
}

#[test]
fn h11_a_pong_that_nobody_asked_for_is_refused() {
    for make in [Lone::granted_producer, Lone::open_consumer] {
        let text = |token| format!("PONG with token {token:#x}, which was not asked for");
        assert_eq!(make().refuses(Frame::Pong { token: 0 }), (Code::PROTOCOL, text(0)));

        let mut wrong = make();
        let token = asked_after(&mut wrong, secs(10)) ^ 1;
        assert_eq!(wrong.refuses(Frame::Pong { token }), (Code::PROTOCOL, text(token)));

        let mut twice = make();
        let token = asked_after(&mut twice, secs(10));
        assert_eq!(twice.hear(Frame::Pong { token }), None);
        assert_eq!(twice.refuses(Frame::Pong { token }), (Code::PROTOCOL, text(token)));
    }
}

#[test]
fn h50_a_pong_cannot_come_before_its_ping_has_left() {
    let settings = Settings { ping_seed: 1, ..Settings::default() };
    let told = {
        let mut lone = Lone::open_consumer_with(settings.clone());
        asked_after(&mut lone, secs(10))
    };
    // The same seed and the same session: the token is known, and yet of no use.
    let mut lone = Lone::open_consumer_with(settings);
    lone.now += secs(10);
    assert_eq!(lone.session.handle_timeout(lone.now), None);
    assert_eq!(lone.refuses(Frame::Pong { token: told }).0, Code::PROTOCOL);
}

#[test]
fn h50_tokens_differ_by_seed_by_session_and_each_time() {
    let with = |ping_seed| Settings { ping_seed, ..Settings::default() };
    let mut lone = Lone::open_consumer_with(with(1));
    let mut tokens = vec![asked_after(&mut Lone::open_consumer_with(with(2)), secs(10))];
    tokens.push(asked_after(&mut Lone::granted_producer_with(with(1)), secs(10)));
    for _ in 0..20 {
        let token = asked_after(&mut lone, secs(10));
        assert_eq!(lone.hear(Frame::Pong { token }), None);
        tokens.push(token);
    }
    let count = tokens.len();
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), count);
    assert_ne!(Settings::default().ping_seed, Settings::default().ping_seed);
}

#[test]
fn the_round_trip_is_the_shortest_of_the_last_eight() {
    let mut lone = Lone::open_consumer();
    assert_eq!(lone.session.round_trip(), None);
    let mut measure = |millis| {
        let token = asked_after(&mut lone, secs(10));
        lone.now += ms(millis);
        assert_eq!(lone.hear(Frame::Pong { token }), None);
        lone.session.round_trip().expect("measured")
    };
    assert_eq!(measure(50), ms(50));
    assert_eq!(measure(20), ms(20));
    for n in 0..7 {
        assert_eq!(measure(100 + n), ms(20), "a loaded link only ever adds");
    }
    assert_eq!(measure(200), ms(100), "the 20 ms were nine round trips ago");
}

#[test]
fn a_round_trip_runs_from_when_the_ping_was_taken_to_be_written() {
    let mut lone = Lone::open_consumer();
    lone.now += secs(10);
    assert_eq!(lone.session.handle_timeout(lone.now), None);
    lone.now += secs(3);
    let token = token(&lone.said());
    lone.now += ms(30);
    assert_eq!(lone.hear(Frame::Pong { token }), None);
    assert_eq!(lone.session.round_trip(), Some(ms(30)));
}

#[test]
fn a_peer_is_asked_no_oftener_than_it_takes_and_not_given_up_for_that() {
    let seldom = Hello { ping_interval: secs(60), ..hello(Role::Producer) };
    let mut lone = Lone::consumer(Window::messages(4)).introduced(seldom);
    let token = asked_after(&mut lone, secs(10));
    assert_eq!(lone.hear(Frame::Pong { token }), None);
    // The next may go out a minute after the first; until then silence means nothing.
    let token = asked_after(&mut lone, secs(60));
    assert_eq!(lone.hear(Frame::Pong { token }), None);
    asked_after(&mut lone, secs(60));
    assert_eq!(lone.wait(secs(20) - ms(1)), []);
    let happened: Vec<_> = lone.wait(ms(1)).into_iter().map(|(_, what)| what).collect();
    assert_eq!(happened, timed_out(Timeout::Idle, Code::TIMEOUT_IDLE, IDLE));
}

#[test]
fn a_side_that_slept_asks_before_it_gives_up() {
    let mut lone = Lone::open_consumer();
    lone.now += secs(3_600);
    assert_eq!(lone.session.handle_timeout(lone.now), None);
    let token = token(&lone.said());
    assert_eq!(lone.wait(secs(19)), []);
    assert_eq!(lone.hear(Frame::Pong { token }), None);
    asked_after(&mut lone, secs(10));
}

#[test]
fn zero_switches_both_off() {
    let off = Settings { keepalive: secs(0), idle_timeout: secs(0), ..Settings::default() };
    let mut lone = Lone::open_consumer_with(off);
    assert_eq!(lone.wait(secs(100_000)), []);
    let never_asks = Settings { keepalive: secs(0), ..Settings::default() };
    let mut lone = Lone::open_consumer_with(never_asks);
    assert_eq!(lone.wait(secs(30) - ms(1)), []);
    assert!(!lone.wait(ms(1)).is_empty());
    let longest = Settings { keepalive: Duration::MAX, idle_timeout: Duration::MAX, ..Settings::default() };
    assert_eq!(Lone::open_consumer_with(longest).wait(secs(100_000)), []);
}

#[test]
fn the_latest_ping_is_answered_and_no_other() {
    let mut lone = Lone::granted_producer();
    for token in [4, 5, 6] {
        assert_eq!(lone.hear(Frame::Ping { token }), None);
    }
    assert_eq!(lone.said(), [Frame::Pong { token: 6 }]);
    assert_eq!(lone.said(), []);
}

#[test]
fn a_producer_that_waits_for_the_work_keeps_asking() {
    let mut lone = Lone::granted_producer();
    let _ = lone.send();
    lone.session.end();
    assert_eq!(lone.said(), [end(1)]);
    asked_after(&mut lone, secs(10));
    assert_eq!(lone.wait(secs(20)).len(), 2, "and gives up where there is no answer");
    let mut lone = Lone::open_consumer();
    assert!(lone.hear(chunk(0)).is_some() && lone.hear(end(1)).is_some());
    asked_after(&mut lone, secs(10));
}

// ----- two of them -----

/// A consumer that takes two chunks in hand, and never gets through with them.
fn standing_still(settings: Settings) -> Wire {
    let mut wire = Wire::with(Window::messages(2), ms(20), secs(1_000_000), settings);
    wire.outbox = vec![vec![1; 3]; 5].into();
    wire.last_word = Some(Session::end);
    wire
}

#[test]
fn h6_h7_to_stand_still_for_an_hour_is_allowed() {
    let mut wire = standing_still(Settings::default());
    wire.run(secs(3_600));
    assert_eq!(wire.received.len(), 2);
    assert!(matches!(wire.producer_told()[..], [Event::Opened(_)]), "{:?}", wire.producer_told());
    assert!(matches!(wire.consumer.told[..], [Event::Opened(_), Event::Blocked]), "{:?}", wire.consumer.told);
    assert!(wire.producer.over.is_none() && wire.consumer.over.is_none());
    let pongs = wire.consumer.said.iter().filter(|frame| matches!(frame, Frame::Pong { .. })).count();
    assert!(pongs > 100, "{pongs}");
    assert_eq!(wire.producer.session.round_trip(), Some(ms(40)));
}

#[test]
fn h7_where_it_is_not_the_consumer_is_told_so() {
    let mut wire = standing_still(Settings { progress_timeout: Some(secs(120)), ..Settings::default() });
    wire.run(secs(119));
    assert!(matches!(wire.producer_told()[..], [Event::Opened(_)]));
    wire.run(secs(11));
    let lost = Event::Lost(Disconnect::Timeout(Timeout::Progress));
    assert_eq!(wire.producer_told().last(), Some(&lost));
    let Some(Event::Lost(Disconnect::GoneAway(said))) = wire.consumer.told.last() else {
        panic!("{:?}", wire.consumer.told)
    };
    assert_eq!((said.code(), said.text()), (Code::NO_PROGRESS.0, "no work was done for too long"));
    assert!(wire.producer.over.is_some() && wire.consumer.over.is_some());
}

#[test]
fn a_grant_without_a_release_is_no_progress() {
    let make = || {
        let progress_timeout = Some(secs(60));
        let quiet = Settings { keepalive: secs(0), idle_timeout: secs(0), ..Settings::default() };
        Lone::granted_producer_with(Settings { progress_timeout, ..quiet })
    };
    let lost = |lone: &mut Lone| {
        let happened: Vec<_> = lone.wait(ms(1)).into_iter().map(|(_, what)| what).collect();
        assert_eq!(happened, timed_out(Timeout::Progress, Code::NO_PROGRESS, "no work was done for too long"));
    };
    // Nothing is out: nothing is waited for.
    let mut lone = make();
    assert_eq!(lone.wait(secs(1_000)), []);
    let _ = lone.send();
    assert_eq!(lone.wait(secs(30)), []);
    let _ = lone.send();
    assert!(lone.hear(Frame::Credit(grant(9, 0, 4))).is_some());
    assert_eq!(lone.wait(secs(30) - ms(1)), []);
    lost(&mut lone);

    let mut lone = make();
    let _ = (lone.send(), lone.send());
    assert_eq!(lone.wait(secs(59)), []);
    assert!(lone.hear(Frame::Credit(grant(9, 1, 4))).is_some());
    assert_eq!(lone.wait(secs(59)), []);
    assert!(lone.hear(Frame::Credit(grant(9, 2, 4))).is_some());
    assert_eq!(lone.wait(secs(1_000)), []);
    let _ = lone.send();
    assert_eq!(lone.wait(secs(60) - ms(1)), []);
    lost(&mut lone);
}

/// Where the way is to be known it is asked about as often as the peer takes it, silent or not.
#[test]
fn a_round_trip_is_measured_on_demand() {
    for mut lone in [Lone::granted_producer(), Lone::open_consumer()] {
        lone.session.measure_round_trips();
        let asked = lone.wait(ms(0));
        let [(_, Happened::Said(Frame::Ping { token }))] = asked[..] else { panic!("no PING: {asked:?}") };
        let (mut token, mut took) = (token, ms(21));
        for longer in 0..3 {
            took += ms(longer);
            lone.now += took;
            assert_eq!(lone.hear(Frame::Pong { token }), None);
            assert_eq!(lone.session.round_trip(), Some(ms(21)), "the shortest");
            token = asked_after(&mut lone, secs(1) - took);
        }
    }
}

/// A producer that had used up its credit answers a CREDIT with its next chunk, and not before that has come.
#[test]
fn a_chunk_that_only_a_credit_made_possible_is_a_round_trip() {
    let mut lone = Lone::open_consumer();
    let window = 4;
    for seq in 0..window {
        assert!(lone.hear(chunk(seq)).is_some());
    }
    assert_eq!((lone.session.round_trip(), lone.session.times_used_up()), (None, 0));
    lone.session.grant(grant(window + 1, 1, window));
    assert_eq!(lone.said(), [Frame::Credit(grant(window + 1, 1, window))]);
    assert_eq!(lone.session.times_used_up(), 1);
    lone.now += ms(30);
    assert!(lone.hear(chunk(window)).is_some());
    assert_eq!(lone.session.round_trip(), Some(ms(30)));

    // One with credit left sends when it likes.
    lone.session.grant(grant(window + 3, 3, window));
    let _credit = lone.said();
    lone.now += ms(5);
    lone.session.grant(grant(window + 4, 4, window));
    let _credit = lone.said();
    lone.now += ms(1);
    assert!(lone.hear(chunk(window + 1)).is_some());
    assert_eq!(lone.session.times_used_up(), 2, "the first of the two found it without");
    assert_eq!(lone.session.round_trip(), Some(ms(6)), "and was answered");
}
