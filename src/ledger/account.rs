//! One unit's totals.

/// The totals of one unit, messages or bytes. A unit that is not counted has a window of 0 and only ever
/// moves amounts of 0.
///
/// Totals wrap at the end of u64, which only a test hook reaches; every decision is made on differences,
/// and each of those is at most a few windows, so it stays right across the wrap.
#[derive(Debug)]
pub(super) struct Account {
    window: u64,
    granted: u64,
    spent: u64,
    released: u64,
    reserved: u64,
    withheld: u64,
}

impl Account {
    pub(super) fn new(window: u64) -> Self {
        Self { window, granted: window, spent: 0, released: 0, reserved: 0, withheld: 0 }
    }

    pub(super) fn start_at(&mut self, total: u64) {
        self.granted = total.wrapping_add(self.window);
        self.spent = total;
        self.released = total;
    }

    // ----- out -----

    /// Holds `n` for a sender. What was never granted is the excess of an oversized chunk that passes alone:
    /// it is granted now and withheld from what comes home.
    pub(super) fn reserve(&mut self, n: u64) {
        let excess = n.saturating_sub(self.unspent().saturating_sub(self.reserved));
        self.granted = self.granted.wrapping_add(excess);
        self.withheld = self.withheld.saturating_add(excess);
        self.reserved = self.reserved.saturating_add(n);
    }

    pub(super) fn refund(&mut self, n: u64) {
        debug_assert!(n <= self.reserved, "no more is refunded than was reserved");
        self.reserved = self.reserved.saturating_sub(n);
    }

    #[inline]
    pub(super) fn spend(&mut self, n: u64) {
        self.spent = self.spent.wrapping_add(n);
    }

    // ----- home -----

    #[inline]
    pub(super) fn release(&mut self, n: u64) {
        debug_assert!(n <= self.in_flight(), "2: no more comes home than was sent");
        let n = n.min(self.in_flight());
        self.released = self.released.wrapping_add(n);
        self.grant(n);
    }

    pub(super) fn set_window(&mut self, window: u64) {
        if window >= self.window {
            self.grant(window - self.window);
        } else {
            self.withheld = self.withheld.saturating_add(self.window - window);
        }
        self.window = window;
    }

    /// `n` more may be sent, after what is withheld has been paid off.
    fn grant(&mut self, n: u64) {
        let withheld = n.min(self.withheld);
        self.withheld -= withheld;
        self.granted = self.granted.wrapping_add(n - withheld);
    }

    // ----- read -----

    #[inline]
    pub(super) fn credit(&self) -> u64 {
        self.unspent().saturating_sub(self.reserved).saturating_sub(self.withheld)
    }

    #[inline]
    pub(super) fn in_flight(&self) -> u64 {
        self.spent.wrapping_sub(self.released)
    }

    pub(super) fn reserved(&self) -> u64 {
        self.reserved
    }

    pub(super) fn released(&self) -> u64 {
        self.released
    }

    fn unspent(&self) -> u64 {
        self.granted.wrapping_sub(self.spent)
    }

    pub(super) fn assert_invariants(&self) {
        assert_eq!(
            self.granted.wrapping_sub(self.withheld),
            self.released.wrapping_add(self.window),
            "1: what was granted and is not withheld is what came home plus the window: {self:?}"
        );
        assert!(self.in_flight() <= i64::MAX.unsigned_abs(), "2: no more comes home than was sent: {self:?}");
        assert!(self.reserved <= self.unspent(), "3: no more is sent or reserved than was granted: {self:?}");
        assert!(
            self.in_flight() + self.reserved <= self.window + self.withheld,
            "4: cost in flight and reserved stays within the window and what is withheld: {self:?}"
        );
    }
}
