//! When returned credit is worth a message.

/// When the producer is to be told of credit that has come home since it last was: in one unit, `held` is what
/// it does not know of yet, `outstanding` what is still being worked on.
///
/// A transport pays a CREDIT frame for telling; in process a return costs one atomic addition, and the
/// producer collects what lies there when it runs short. So only transports hold credit back, by a rule
/// (decision 7 of the design; Reactor's `limit = prefetch − prefetch / 4` is its ancestor):
///
/// * at most a quarter of the window is held back, and nothing at all below a window of 8;
/// * all of it goes out when nothing is outstanding, or when the producer says that it is blocked.
///
/// What is due in a window of 8 or more waits one turn of the runtime, so that what is worked off meanwhile
/// goes along; it is not held back for longer.
///
/// A chunk that needs more than three quarters of a byte window may find its credit held back while
/// others are outstanding: its producer is then blocked, says so, and has it.
pub(crate) const fn when_to_tell(held: u64, outstanding: u64, window: u64, blocked: bool) -> Tell {
    if held == 0 {
        Tell::Later
    } else if blocked || window < SMALL {
        Tell::Now
    } else if outstanding == 0 || held > most_held(window) {
        Tell::NextTurn
    } else {
        Tell::Later
    }
}

/// How much may be held back in a window.
pub(crate) const fn most_held(window: u64) -> u64 {
    if window < SMALL { 0 } else { window / 4 }
}

/// Below this a window is too small to hold any of it back.
const SMALL: u64 = 8;

/// When to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tell {
    /// With what comes home later.
    Later,
    /// With what comes home in the next turn of the runtime.
    NextTurn,
    Now,
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::{Tell, most_held, when_to_tell};

    #[test]
    fn nothing_is_held_back_below_a_window_of_8() {
        for window in 1..8 {
            assert_eq!(when_to_tell(1, window, window, false), Tell::Now, "window {window}");
        }
    }

    #[test]
    fn at_most_a_quarter_of_the_window_is_held_back() {
        for window in 8..200 {
            assert_eq!(when_to_tell(window / 4, window, window, false), Tell::Later, "window {window}");
            assert_eq!(when_to_tell(window / 4 + 1, window, window, false), Tell::NextTurn, "window {window}");
            assert!(most_held(window) * 4 <= window);
        }
    }

    #[test]
    fn all_goes_out_when_nothing_is_outstanding_or_the_producer_is_blocked() {
        assert_eq!(when_to_tell(1, 5, 64, false), Tell::Later);
        assert_eq!(when_to_tell(1, 5, 64, true), Tell::Now, "blocked");
        assert_eq!(when_to_tell(1, 0, 64, false), Tell::NextTurn, "nothing outstanding");
        assert_eq!(when_to_tell(0, 0, 64, true), Tell::Later, "nothing to tell");
    }

    /// Window 100, chunks of 90 bytes: the second may not wait for credit that is held back.
    #[test]
    fn a_chunk_of_nearly_the_window_is_not_stalled() {
        assert_eq!(when_to_tell(90, 5, 100, false), Tell::NextTurn);
        assert_eq!(when_to_tell(20, 0, 100, false), Tell::NextTurn);
        assert_eq!(when_to_tell(20, 5, 100, true), Tell::Now);
    }
}
