//! A second, naive ledger that adds up lists, and seeded operations that drive both.
//!
//! The ledger keeps totals and a linked line; the oracle keeps every amount there is in a `Vec` and sums
//! them anew for every question. Whatever operations come in whatever order, the two say the same.

use super::{Ledger, Place, Ticket};
use crate::{Credit, Oversize, Window};

const SEQUENCES: u64 = 100_000;
const OPERATIONS: u64 = 40;

#[test]
fn ledger_agrees_with_the_oracle_on_100_000_seeded_sequences() {
    for seed in 0..SEQUENCES {
        let mut run = Run::new(seed);
        for step in 0..OPERATIONS {
            run.step();
            run.compare(step);
        }
        run.wind_up();
    }
}

/// splitmix64: the same operations on every machine.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    fn index(&mut self, len: usize) -> Option<usize> {
        let len = u64::try_from(len).expect("a short list");
        (len > 0).then(|| usize::try_from(self.below(len)).expect("an index"))
    }

    /// A window in the units of `mode`: 0 messages, 1 bytes, 2 both.
    fn window(&mut self, mode: u64) -> Window {
        let (messages, bytes) = (1 + self.below(6), 1 + self.below(40));
        match mode {
            0 => Window::messages(messages),
            1 => Window::bytes(bytes),
            _ => Window::messages(messages).and_bytes(bytes),
        }
    }
}

/// The naive model.
struct Oracle {
    window: Window,
    oversize: Oversize,
    in_flight: Vec<Credit>,
    reserved: Vec<Credit>,
    /// Who waits for how much, the first first.
    line: Vec<(u64, Credit)>,
    released: Credit,
}

impl Oracle {
    fn sum(list: &[Credit]) -> Credit {
        list.iter().fold(Credit::ZERO, |sum, one| sum.plus(*one))
    }

    fn used(&self) -> Credit {
        Self::sum(&self.in_flight).plus(Self::sum(&self.reserved))
    }

    fn credit(&self) -> Credit {
        self.window.as_credit().minus(self.used())
    }

    fn can_serve(&self, need: Credit) -> bool {
        let fits = self.used().plus(need).fits_in(self.window.as_credit());
        fits || (self.is_oversized(need) && self.oversize == Oversize::Alone && self.used().is_zero())
    }

    fn is_oversized(&self, need: Credit) -> bool {
        !need.fits_in(self.window.as_credit())
    }

    /// Serves the line; returns who was told, and whether they were served or refused for good.
    fn serve(&mut self) -> Vec<(u64, bool)> {
        let mut told = Vec::new();
        while let Some(&(who, need)) = self.line.first() {
            if self.can_serve(need) {
                self.reserved.push(need);
                told.push((who, true));
            } else if self.is_oversized(need) && self.oversize == Oversize::Refuse {
                told.push((who, false));
            } else {
                break;
            }
            self.line.remove(0);
        }
        told
    }
}

/// Both, side by side.
struct Run {
    rng: Rng,
    mode: u64,
    ledger: Ledger<u64>,
    oracle: Oracle,
    /// Places in line that were not handed in yet.
    tickets: Vec<(u64, Credit, Ticket)>,
    /// Reserved amounts in the hands of callers.
    held: Vec<Credit>,
    next_id: u64,
    start: u64,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut rng = Rng(seed);
        let mode = rng.below(3);
        let window = rng.window(mode);
        let oversize = if rng.below(4) == 0 { Oversize::Alone } else { Oversize::Refuse };
        // Some runs cross 2³², 2⁶³ or the end of u64.
        let start =
            [0, u64::from(u32::MAX) - 5, (1 << 63) - 5, u64::MAX - 5][usize::try_from(seed % 4).expect("small")];
        let mut ledger = Ledger::new(window, oversize);
        ledger.start_totals_at(start);
        let lists = (Vec::new(), Vec::new(), Vec::new());
        let (in_flight, reserved, line) = lists;
        let oracle = Oracle { window, oversize, in_flight, reserved, line, released: Credit::ZERO };
        Self { rng, mode, ledger, oracle, tickets: Vec::new(), held: Vec::new(), next_id: 0, start }
    }

    fn need(&mut self) -> Credit {
        let bytes = self.rng.below(45);
        self.oracle.window.cost(bytes)
    }

    fn step(&mut self) {
        match self.rng.below(9) {
            0 => self.send_now(),
            1 => self.reserve(),
            2 => self.spend(),
            3 => self.refund(),
            4 => self.join(),
            5 => self.hand_in_or_give_up(),
            6 | 7 => self.release(),
            _ => self.resize(),
        }
        self.serve();
    }

    fn send_now(&mut self) {
        let need = self.need();
        // The quick way takes only what fits; an oversized chunk goes through a reservation.
        let expected =
            self.oracle.line.is_empty() && self.oracle.used().plus(need).fits_in(self.oracle.window.as_credit());
        assert_eq!(self.ledger.try_spend(need), expected, "send of {need}");
        if expected {
            self.oracle.in_flight.push(need);
        }
    }

    fn reserve(&mut self) {
        let need = self.need();
        let expected = self.oracle.line.is_empty() && self.oracle.can_serve(need);
        assert_eq!(self.ledger.try_reserve(need), expected, "reservation of {need}");
        if expected {
            self.oracle.reserved.push(need);
            self.held.push(need);
        }
    }

    fn spend(&mut self) {
        let Some(at) = self.rng.index(self.held.len()) else { return };
        let amount = self.held.swap_remove(at);
        self.ledger.spend_reserved(amount);
        self.unreserve(amount);
        self.oracle.in_flight.push(amount);
    }

    fn refund(&mut self) {
        let Some(at) = self.rng.index(self.held.len()) else { return };
        let amount = self.held.swap_remove(at);
        self.ledger.refund(amount);
        self.unreserve(amount);
    }

    fn unreserve(&mut self, amount: Credit) {
        let at = self.oracle.reserved.iter().position(|one| *one == amount).expect("was reserved");
        self.oracle.reserved.swap_remove(at);
    }

    fn join(&mut self) {
        let need = self.need();
        let refused = self.oracle.is_oversized(need) && self.oracle.oversize == Oversize::Refuse;
        assert_eq!(self.ledger.admits(need).is_err(), refused);
        if refused {
            return;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.tickets.push((id, need, self.ledger.join(need, id)));
        self.oracle.line.push((id, need));
    }

    /// A caller comes back with its ticket: it collects what it was served, or gives up.
    fn hand_in_or_give_up(&mut self) {
        let Some(at) = self.rng.index(self.tickets.len()) else { return };
        let (id, need, ticket) = self.tickets.swap_remove(at);
        let collects = self.rng.below(2) == 0;
        match *self.ledger.place(ticket) {
            Place::Served if collects => {
                self.ledger.collect(ticket);
                self.held.push(need);
            }
            Place::Served => {
                self.ledger.leave(ticket);
                self.unreserve(need);
            }
            Place::Waiting(who) => {
                assert_eq!(who, id);
                self.ledger.leave(ticket);
                self.oracle.line.retain(|(waits, _)| *waits != id);
            }
            Place::Refused(_) | Place::Dismissed => {
                self.ledger.leave(ticket);
            }
        }
    }

    /// Work is finished: all of a chunk, or part of its bytes.
    fn release(&mut self) {
        let Some(at) = self.rng.index(self.oracle.in_flight.len()) else { return };
        let chunk = &mut self.oracle.in_flight[at];
        let part = if self.rng.below(3) == 0 { Credit::new(0, chunk.bytes() / 2) } else { *chunk };
        *chunk = chunk.minus(part);
        if chunk.is_zero() {
            self.oracle.in_flight.swap_remove(at);
        }
        self.oracle.released = self.oracle.released.plus(part);
        self.ledger.release(part);
    }

    fn resize(&mut self) {
        let window = self.rng.window(self.mode);
        self.oracle.window = window;
        self.ledger.set_window(window);
    }

    fn serve(&mut self) {
        let expected = self.oracle.serve();
        let mut told = Vec::new();
        while let Some(who) = self.ledger.serve_next() {
            let (_, _, ticket) = self.tickets.iter().find(|(id, ..)| *id == who).expect("was in line");
            told.push((who, matches!(self.ledger.place(*ticket), Place::Served)));
        }
        assert_eq!(told, expected, "served in another order than they came, or not at all");
    }

    fn compare(&self, step: u64) {
        let counts = self.oracle.window.cost(0);
        let since_start = |total: u64, counts: u64| total.wrapping_sub(counts * self.start);
        assert_eq!(self.ledger.credit(), self.oracle.credit(), "credit after step {step}");
        assert_eq!(self.ledger.in_flight(), Oracle::sum(&self.oracle.in_flight), "in flight after step {step}");
        assert_eq!(self.ledger.reserved(), Oracle::sum(&self.oracle.reserved), "reserved after step {step}");
        assert_eq!(self.ledger.waiting(), self.oracle.line.len(), "waiting after step {step}");
        let total = self.ledger.released();
        assert_eq!(since_start(total.messages(), counts.messages()), self.oracle.released.messages());
        assert_eq!(since_start(total.bytes(), counts.bytes()), self.oracle.released.bytes());
        self.ledger.assert_invariants();
    }

    /// Everybody gives up, all work is finished: all of the window is credit again.
    fn wind_up(mut self) {
        for (_, _, ticket) in std::mem::take(&mut self.tickets) {
            self.ledger.leave(ticket);
        }
        for amount in std::mem::take(&mut self.held) {
            self.ledger.refund(amount);
        }
        self.ledger.release(Oracle::sum(&self.oracle.in_flight));
        assert_eq!(self.ledger.serve_next(), None);
        assert_eq!(self.ledger.credit(), self.oracle.window.as_credit());
        assert_eq!(self.ledger.waiting(), 0);
    }
}
