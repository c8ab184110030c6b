//! What is sent and not yet taken out.

use super::state::{Entry, State};
use crate::Credit;
use crate::sync::WakeList;
use std::task::Waker;

impl<T> State<T> {
    /// Sends the value in `slot` if there is credit for it and nobody in line. The second is whom to wake.
    #[inline]
    pub(super) fn send_now(&mut self, slot: &mut Option<T>, cost: Credit) -> (bool, Option<Waker>) {
        if !self.life.is_open() || !(self.ledger.try_spend(cost) || self.try_spend_home(cost)) {
            return (false, None);
        }
        if !self.tally.peaked && self.is_new_peak() {
            self.collect_home();
            self.note_peak();
        }
        (true, self.enqueue(slot, cost))
    }

    /// As the ledger's `try_spend`, with what came home since it last looked.
    #[inline]
    fn try_spend_home(&mut self, cost: Credit) -> bool {
        self.collect_home() && self.ledger.try_spend(cost)
    }

    /// Sends a value whose cost is reserved.
    pub(super) fn send_reserved(&mut self, slot: &mut Option<T>, cost: Credit, wakes: &mut WakeList) {
        self.ledger.spend_reserved(cost);
        if self.is_new_peak() {
            self.settle(wakes);
            self.note_peak();
        }
        wakes.extend(self.enqueue(slot, cost));
    }

    #[inline(always)]
    fn enqueue(&mut self, slot: &mut Option<T>, cost: Credit) -> Option<Waker> {
        self.count_sent(1);
        self.end_wait();
        // The way with room apart from the other: where nothing can be called in between, the value moves into its
        // place in one go.
        if self.queue.len() == self.queue.capacity() {
            self.enqueue_in_more_room(slot, cost);
        } else {
            self.push(slot, cost);
        }
        self.consumer.take()
    }

    #[cold]
    #[inline(never)]
    fn enqueue_in_more_room(&mut self, slot: &mut Option<T>, cost: Credit) {
        self.queue.reserve(1);
        self.push(slot, cost);
    }

    #[inline(always)]
    fn push(&mut self, slot: &mut Option<T>, cost: Credit) {
        if let Some(value) = slot.take() {
            self.queue.push_back(Entry { value, cost_bytes: cost.bytes() });
        }
    }

    /// Whether the depth looks larger than ever. It is an upper bound, since the ledger has not seen what lies
    /// in the tray: look there before calling it a peak.
    #[inline]
    pub(super) fn is_new_peak(&self) -> bool {
        !self.ledger.in_flight().fits_in(self.tally.peak_depth)
    }

    #[cold]
    pub(super) fn note_peak(&mut self) {
        let peak = self.tally.peak_depth.max(self.ledger.in_flight());
        self.tally.peak_depth = peak;
        self.tally.peaked = self.ledger.window().as_credit().fits_in(peak);
    }
}
