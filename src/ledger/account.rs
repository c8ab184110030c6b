//! One unit's totals.

/// The totals of one unit, messages or bytes. A unit that is not counted has a window of 0 and only ever
/// moves amounts of 0.
///
/// Totals wrap at the end of u64, which only a test hook reaches; every decision is made on differences,
/// and each of those is at most a few windows, so it stays right across the wrap.
#[derive(Debug)]
pub(super) struct Account {
    window: u64,
    spent: u64,
    released: u64,
    reserved: u64,
    withheld: u64,
}

impl Account {
    pub(super) fn new(window: u64) -> Self {
        Self { window, spent: 0, released: 0, reserved: 0, withheld: 0 }
    }

    pub(super) fn start_at(&mut self, total: u64) {
        if self.window > 0 {
            self.spent = total;
            self.released = total;
        }
    }

    // ----- out -----

    /// Holds `n` for a sender. What was never granted is the excess of an oversized chunk that passes alone:
    /// it is granted now and withheld from what comes home.
    pub(super) fn reserve(&mut self, n: u64) {
        let excess = self.used().saturating_add(n).saturating_sub(self.window.saturating_add(self.withheld));
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
        self.released = self.released.wrapping_add(n);
        self.withheld = self.withheld.saturating_sub(n);
    }

    /// Growth is granted at once, after what is withheld; shrinking withholds.
    pub(super) fn set_window(&mut self, window: u64) {
        if window >= self.window {
            self.withheld = self.withheld.saturating_sub(window - self.window);
        } else {
            self.withheld = self.withheld.saturating_add(self.window - window);
        }
        self.window = window;
    }

    // ----- read -----

    /// Whether `n` more may be sent or reserved.
    #[inline]
    pub(super) fn covers(&self, n: u64) -> bool {
        n <= self.credit()
    }

    #[inline]
    pub(super) fn credit(&self) -> u64 {
        self.window.saturating_sub(self.used())
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

    /// All that may ever have been sent by now. Never decreases.
    pub(super) fn granted(&self) -> u64 {
        self.released.wrapping_add(self.window).wrapping_add(self.withheld)
    }

    #[inline]
    fn used(&self) -> u64 {
        self.in_flight() + self.reserved
    }

    pub(super) fn assert_invariants(&self) {
        let unspent = self.granted().wrapping_sub(self.spent);
        assert!(self.in_flight() <= i64::MAX.unsigned_abs(), "1: no more comes home than was sent: {self:?}");
        assert!(unspent <= i64::MAX.unsigned_abs(), "2: no more is sent than was granted: {self:?}");
        assert!(self.reserved <= unspent, "3: no more is reserved than is granted and not spent: {self:?}");
        assert!(
            self.withheld > 0 || self.used() <= self.window,
            "4: cost in flight and reserved stays within the window, unless something is withheld: {self:?}"
        );
    }
}
