//! One exchange, cut at every byte in each direction and in every way: the end is clean if END has arrived whole, and
//! only then.

use crate::exchange::{CHUNKS, Outcome, Told, exchange};
use crate::support::link::{Cut, Fate, Way, Wire};
use crate::support::{Case, LONG_WATCHDOG, paused, within};
use crate::tape;
use credit_channel::transport::ConnectError;
use credit_channel::{Closed, Disconnect, RecvError};
use std::time::Duration;

/// All is said, and the peer waited for, in this time where the connection is cut.
const PROMPT: Duration = Duration::from_secs(7);
/// The same where it falls silent: idle for 30 s, and as long as a last word is waited for.
const PATIENT: Duration = Duration::from_secs(36);

#[test]
fn whole_exchange_ends_cleanly_at_both_ends() {
    let (outcome, wire) = within(LONG_WATCHDOG, "an exchange", || paused().block_on(exchange(Fate::fair(), None)));
    assert!(matches!(outcome.producer, Told::Ended { how: Ok(()), driver: Ok(()) }), "{outcome:?}");
    assert!(matches!(outcome.consumer, Told::Ended { how: Ok(()), driver: Ok(()) }), "{outcome:?}");
    assert_eq!((outcome.received, outcome.took), (CHUNKS, Duration::ZERO));
    assert_eq!(tape::chunks(&tape::frames(&wire.read(Way::There))), CHUNKS);
}

#[test]
fn stream_closed_at_any_byte_is_no_clean_end_without_end() {
    cut_everywhere(Cut::Eof);
}

#[test]
fn stream_reset_at_any_byte_is_no_clean_end_without_end() {
    cut_everywhere(Cut::Reset);
}

#[test]
fn stream_half_closed_at_any_byte_is_no_clean_end_without_end() {
    cut_everywhere(Cut::Half);
}

#[test]
fn stream_silent_from_any_byte_on_is_no_clean_end_without_end() {
    cut_everywhere(Cut::Silence);
}

fn cut_everywhere(cut: Cut) {
    within(LONG_WATCHDOG, format!("the exchange cut by {cut:?}"), move || {
        // With crumbs the ends are in other states at the cut than with whole buffers.
        for crumbs in [Fate::fair().crumbs, 1..=7] {
            let fate = Fate { crumbs, ..Fate::fair() };
            let runtime = paused();
            let (_, whole) = runtime.block_on(exchange(fate.clone(), None));
            for way in Way::BOTH {
                for after in 0..=whole.carried(way) {
                    let cut = (way, after, cut);
                    let _case = Case(format!("{cut:?} with {fate:?}"));
                    let (outcome, wire) = runtime.block_on(exchange(fate.clone(), Some(cut)));
                    judge(&outcome, &wire, cut.2);
                    if matches!(cut.2, Cut::Eof | Cut::Reset) {
                        judge_drivers(&outcome, &wire, &whole);
                    }
                }
            }
        }
    });
}

fn judge(outcome: &Outcome, wire: &Wire, cut: Cut) {
    assert!(outcome.took <= if cut == Cut::Silence { PATIENT } else { PROMPT }, "{outcome:?}");
    let is_expected = |reason: &Disconnect| match cut {
        Cut::Silence => matches!(reason, Disconnect::Timeout(_) | Disconnect::GoneAway(_) | Disconnect::Eof),
        _ => matches!(reason, Disconnect::Eof | Disconnect::Io(_)),
    };

    let (to_consumer, to_producer) = (tape::frames(&wire.read(Way::There)), tape::frames(&wire.read(Way::Back)));
    let end_arrived = tape::end_of_end(&to_consumer).is_some();
    match &outcome.consumer {
        Told::NotOpened(ConnectError::Lost(reason)) => {
            assert!(is_expected(reason) && !tape::said_hello(&to_consumer), "{outcome:?}");
        }
        Told::NotOpened(other) => panic!("{other:?}"),
        Told::Ended { how: Ok(()), .. } => assert!(end_arrived, "{outcome:?}"),
        Told::Ended { how: Err(RecvError::Truncated { received, reason }), driver } => {
            assert!(!end_arrived && is_expected(reason), "{outcome:?}");
            assert_eq!((*received, outcome.received), (tape::chunks(&to_consumer), *received), "{outcome:?}");
            assert_eq!(driver.as_ref(), Err(reason), "both are told the same");
        }
        Told::Ended { how: Err(other), .. } => panic!("{other:?}"),
    }

    let all_done = tape::released(&to_producer) == CHUNKS;
    match &outcome.producer {
        Told::NotOpened(ConnectError::Lost(reason)) => {
            assert!(is_expected(reason) && !tape::said_hello(&to_producer), "{outcome:?}");
        }
        Told::NotOpened(other) => panic!("{other:?}"),
        Told::Ended { how: Ok(()), .. } => assert!(all_done, "{outcome:?}"),
        Told::Ended { how: Err(Closed::Disconnected(reason)), driver } => {
            assert!(!all_done && is_expected(reason), "{outcome:?}");
            assert_eq!(driver.as_ref(), Err(reason), "both are told the same");
        }
        Told::Ended { how: Err(other), .. } => panic!("{other:?}"),
    }
}

/// A driver is content only if all that its side had to say went out.
fn judge_drivers(outcome: &Outcome, wire: &Wire, whole: &Wire) {
    let all_said = |way| wire.carried(way) == whole.carried(way);
    if let Told::Ended { driver: Ok(()), .. } = outcome.producer {
        assert!(all_said(Way::There), "{outcome:?}");
    }
    if let Told::Ended { driver: Ok(()), .. } = outcome.consumer {
        assert!(all_said(Way::Back), "{outcome:?}");
    }
}
