//! What the numbers of a run say about it, in one sentence.

use crate::rates::Share;

/// Below this the producer practically never waited for credit.
const HARDLY_PARKED: Share = Share::percent(5);
/// From here on its waiting is what limits the run.
const OFTEN_PARKED: Share = Share::percent(20);
/// From here on a side had no time to spare.
const BUSY: Share = Share::percent(80);

/// What the sentence is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    /// Rows sent.
    pub(crate) rows: u64,
    /// Whether the peak in flight was the whole window, in one of its units.
    pub(crate) filled: bool,
    /// The part of the time in which the producer waited for credit.
    pub(crate) parked: Share,
    /// The part of the time in which the consumer worked.
    pub(crate) busy: Share,
    /// Commits at a time.
    pub(crate) workers: usize,
}

/// Who is the limit, and what would help.
///
/// Park time alone says that the producer waited, not what for. The consumer's own time tells the two
/// reasons apart: one that has no time left is the limit; one that idles while the producer waits for it
/// was kept short of rows by a window too small for the way there and back.
pub(crate) fn diagnose(picture: &Picture) -> String {
    let Picture { rows, filled, parked, busy, workers } = *picture;
    let idle = busy.rest();
    if rows == 0 {
        return "Nothing was sent, so there is nothing to say.".into();
    }
    if parked < HARDLY_PARKED {
        let window = if filled { "it was full at times" } else { "it was never full" };
        return if busy < BUSY {
            format!(
                "The producer is the limit: it waited {parked} of the time for credit, the consumer was idle {idle}. \
                 The window is large enough ({window})."
            )
        } else {
            format!(
                "Both keep pace: the producer waited {parked} of the time for credit, the consumer was busy {busy}. \
                 The window is large enough ({window})."
            )
        };
    }
    if busy >= BUSY {
        let help = if workers == 1 { "More workers may help" } else { "Faster or more workers may help" };
        return format!(
            "The consumer is the limit: the producer waited {parked} of the time for credit, the consumer was busy \
             {busy}. {help}, a larger window does not."
        );
    }
    if parked < OFTEN_PARKED {
        return format!(
            "The producer is the limit for the most part: it waited {parked} of the time for credit, the consumer was \
             idle {idle}. A larger window may help."
        );
    }
    format!(
        "The window is too small for the latency: the producer waited {parked} of the time for credit while the \
         consumer was idle {idle}. A larger window lets them overlap."
    )
}

#[cfg(test)]
mod tests {
    use super::{Picture, diagnose};
    use crate::rates::Share;

    fn sentence(parked: u64, busy: u64, filled: bool) -> String {
        let (parked, busy) = (Share::percent(parked), Share::percent(busy));
        diagnose(&Picture { rows: 1000, filled, parked, busy, workers: 1 })
    }

    #[test]
    fn much_park_time_and_a_busy_consumer_is_the_consumers_limit() {
        assert!(sentence(95, 99, true).starts_with("The consumer is the limit"), "{}", sentence(95, 99, true));
        assert!(sentence(5, 80, true).starts_with("The consumer is the limit"), "both bounds belong to it");
        assert!(sentence(95, 99, true).contains("a larger window does not"));
    }

    #[test]
    fn much_park_time_and_an_idle_consumer_is_too_small_a_window() {
        assert!(sentence(60, 40, true).starts_with("The window is too small for the latency"));
        assert!(
            sentence(60, 40, true).contains("waited 60.0% of the time for credit while the consumer was idle 60.0%")
        );
    }

    #[test]
    fn some_park_time_and_an_idle_consumer_is_the_producers_limit_for_the_most_part() {
        assert!(sentence(19, 40, true).starts_with("The producer is the limit for the most part"));
        assert!(sentence(20, 40, true).starts_with("The window is too small"));
    }

    #[test]
    fn little_park_time_is_a_window_large_enough() {
        assert!(sentence(0, 10, false).starts_with("The producer is the limit"));
        assert!(sentence(0, 10, false).contains("large enough (it was never full)"));
        assert!(sentence(4, 95, true).starts_with("Both keep pace"));
        assert!(sentence(4, 95, true).contains("large enough (it was full at times)"));
    }

    #[test]
    fn an_empty_run_gets_no_verdict() {
        let picture =
            Picture { rows: 0, filled: false, parked: Share::percent(0), busy: Share::percent(0), workers: 4 };
        assert_eq!(diagnose(&picture), "Nothing was sent, so there is nothing to say.");
    }
}
