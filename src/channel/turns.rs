//! What a consumer that finds nothing does before it parks.

/// Whether to give the runtime one turn first, and leave a waker only if that brought nothing.
///
/// Where senders wait for the credit that this consumer has just given back, they send as soon as they are
/// polled. A waker would call the consumer out at the first chunk, one wake-up and two locks for each; after
/// one turn it finds what all of them sent. Where chunks come more slowly a turn is a poll for nothing, so
/// after one that brought nothing the next waits do without. And where many come at once one wake-up for all of
/// them is cheap, while on several threads a turn calls another worker out, which takes the task away with it.
#[derive(Debug)]
pub(super) struct Turns {
    /// One was given, and nothing was found since.
    given: bool,
    /// What was found last was so little that a wake-up for it is dear.
    few: bool,
    /// So many waits do without one.
    without: u32,
    /// For tests, which cannot wait until it is likely to be of use.
    always: bool,
}

impl Turns {
    /// After a turn that brought nothing so many waits do without: what such turns cost is spread over these.
    const WITHOUT: u32 = 8;
    /// So many chunks at once share the cost of a wake-up.
    const MANY: usize = 16;

    pub(super) fn new(always: bool) -> Self {
        Self { given: false, few: true, without: Self::WITHOUT, always }
    }

    /// Nothing was found. True if the runtime is to be given a turn, false if it is time to park.
    pub(super) fn nothing_found(&mut self) -> bool {
        if self.given {
            self.given = false;
            self.without = Self::WITHOUT;
            return false;
        }
        self.given = self.always || self.few && self.without == 0;
        self.without = self.without.saturating_sub(1);
        self.given
    }

    /// So many chunks were found.
    pub(super) fn found(&mut self, chunks: usize) {
        self.given = false;
        self.few = chunks < Self::MANY;
    }
}
