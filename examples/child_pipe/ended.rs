//! What both ends say when it is over.

use crate::tally::Tally;

/// How it went at one end.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What was sent, or committed.
    pub(crate) tally: Tally,
    pub(crate) outcome: Outcome,
}

/// How it ended. The texts are for people.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Complete,
    Cancelled(String),
    Failed(String),
    Interrupted,
}

/// What there is when the rows of this page have joined what there was.
pub(crate) fn count_rows(mut tally: Tally, page: &[u8]) -> Tally {
    for (number, row) in (tally.rows + 1..).zip(page.split_inclusive(|byte| *byte == b'\n')) {
        tally += Tally::of(number, row);
    }
    tally
}
