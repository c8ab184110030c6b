//! A channel as a model: discrete events, nanoseconds, no threads. What it does is what a real one does, and takes no
//! time.
//!
//! ```text
//!   make (P) ─▶ send, or park ─▶ L/2 ─▶ queue ─▶ a worker (C) ─▶ batch ─▶ L/2 ─▶ credit
//! ```

use crate::support::Dice;
use credit_channel::sizing::Sample;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// What things cost, and how much that varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) latency: Duration,
    pub(crate) consume: Duration,
    pub(crate) produce: Duration,
    pub(crate) workers: u64,
    /// Credit goes back so many at a time, or when the consumer has nothing left.
    pub(crate) batch: u64,
    /// Each single cost is off by up to so many percent, either way.
    pub(crate) noise: u64,
}

impl Costs {
    /// So many microseconds, and so many workers that the producer is the limit.
    pub(crate) fn micros(latency: u64, consume: u64, produce: u64) -> Self {
        let [latency, consume, produce] = [latency, consume, produce].map(Duration::from_micros);
        let workers = consume.as_nanos().checked_div(produce.as_nanos()).unwrap_or(0) + 2;
        let workers = u64::try_from(workers).expect("small");
        Self { latency, consume, produce, workers, batch: 1, noise: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Made,
    Arrived,
    /// The work on a chunk, which took so long.
    Done(u64),
    /// New credit, and chunks that are home with it.
    Credit(u64, u64),
}

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) costs: Costs,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    scheduled: u64,
    dice: Dice,

    // The producer.
    credit: u64,
    parked: bool,

    // The consumer.
    window: u64,
    queued: u64,
    working: u64,
    held_back: u64,
    /// Of what comes home, so much is kept: the window became smaller.
    withheld: u64,

    sent: u64,
    done: u64,
    /// Chunks whose credit is back at the producer, or kept by a smaller window.
    home: u64,
    seen: Seen,
}

/// What the next sample is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    chunks: u64,
    made: u64,
    produce: u64,
    consume: u64,
    trips: u64,
    latency: u64,
    blocked: bool,
    idle: bool,
    peak: u64,
    spare: u64,
    held_back: u64,
}

impl Model {
    pub(crate) fn new(costs: Costs, window: u64, seed: u64) -> Self {
        let mut model = Self {
            costs,
            now: 0,
            events: BinaryHeap::new(),
            scheduled: 0,
            dice: Dice::new(seed),
            credit: window,
            parked: false,
            window,
            queued: 0,
            working: 0,
            held_back: 0,
            withheld: 0,
            sent: 0,
            done: 0,
            home: 0,
            seen: Seen { idle: true, spare: window, ..Seen::default() },
        };
        model.make();
        model
    }

    pub(crate) fn now(&self) -> Duration {
        Duration::from_nanos(self.now)
    }

    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Runs for so long.
    pub(crate) fn run(&mut self, time: Duration) {
        let until = self.now + nanos(time);
        while let Some(&Reverse((at, _, event))) = self.events.peek() {
            if at > until {
                break;
            }
            self.events.pop();
            self.now = at;
            self.handle(event);
        }
        self.now = until;
    }

    /// What was seen since the last sample.
    pub(crate) fn sample(&mut self) -> Sample {
        let next = Seen {
            blocked: self.parked,
            idle: self.is_idle(),
            peak: self.in_flight(),
            spare: self.credit,
            held_back: self.held_back,
            ..Seen::default()
        };
        let seen = std::mem::replace(&mut self.seen, next);
        let mean = |sum: u64, n: u64| sum.checked_div(n).map(Duration::from_nanos);
        let mut sample = Sample::new(self.window)
            .chunks(seen.chunks)
            .blocked(seen.blocked)
            .idle(seen.idle)
            .peak_in_flight(seen.peak)
            .least_spare(seen.spare)
            .held_back(seen.held_back);
        sample.latency = mean(seen.latency, seen.trips);
        sample.consume = mean(seen.consume, seen.chunks);
        sample.produce = mean(seen.produce, seen.made);
        sample
    }

    /// The consumer changes the window: larger by a grant, smaller by keeping what comes home.
    pub(crate) fn set_window(&mut self, window: u64) {
        if window > self.window {
            let more = window - self.window;
            let kept = more.min(self.withheld);
            self.withheld -= kept;
            self.send_credit(more - kept, 0);
        } else {
            self.withheld += self.window - window;
        }
        self.window = window;
    }

    // ----- events -----

    fn handle(&mut self, event: Event) {
        match event {
            Event::Made if self.credit > 0 => self.send(),
            Event::Made => {
                self.parked = true;
                self.seen.blocked = true;
            }
            Event::Arrived => {
                self.queued += 1;
                self.work();
            }
            Event::Done(cost) => {
                self.seen.consume += cost;
                self.working -= 1;
                self.done += 1;
                self.seen.chunks += 1;
                self.held_back += 1;
                self.seen.held_back = self.seen.held_back.max(self.held_back.min(self.costs.batch - 1));
                self.work();
                if self.held_back >= self.costs.batch || self.queued + self.working == 0 {
                    let home = std::mem::take(&mut self.held_back);
                    let kept = home.min(self.withheld);
                    self.withheld -= kept;
                    self.send_credit(home - kept, home);
                }
            }
            Event::Credit(n, home) => {
                self.home += home;
                self.credit += n;
                if self.parked && self.credit > 0 {
                    self.parked = false;
                    self.send();
                }
            }
        }
    }

    fn send(&mut self) {
        self.credit -= 1;
        self.sent += 1;
        self.seen.spare = self.seen.spare.min(self.credit);
        self.seen.peak = self.seen.peak.max(self.in_flight());
        let there = self.trip();
        self.after(there, Event::Arrived);
        self.make();
    }

    fn make(&mut self) {
        let cost = self.vary(self.costs.produce);
        self.seen.made += 1;
        self.seen.produce += cost;
        self.after(cost, Event::Made);
    }

    fn work(&mut self) {
        while self.queued > 0 && self.working < self.costs.workers {
            self.queued -= 1;
            self.working += 1;
            let cost = self.vary(self.costs.consume);
            self.after(cost, Event::Done(cost));
        }
        self.seen.idle |= self.is_idle();
    }

    /// As the producer sees it.
    fn in_flight(&self) -> u64 {
        self.sent - self.home
    }

    fn is_idle(&self) -> bool {
        self.working < self.costs.workers
    }

    fn send_credit(&mut self, n: u64, home: u64) {
        if n + home > 0 {
            let back = self.trip();
            self.after(back, Event::Credit(n, home));
        }
    }

    /// One way of the latency.
    fn trip(&mut self) -> u64 {
        let way = self.vary(self.costs.latency / 2);
        self.seen.trips += 1;
        self.seen.latency += way * 2;
        way
    }

    fn vary(&mut self, cost: Duration) -> u64 {
        let noise = self.costs.noise;
        nanos(cost) * (100 - noise + self.dice.below(noise * 2 + 1)) / 100
    }

    fn after(&mut self, time: u64, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((self.now + time, self.scheduled, event)));
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a time in a test is short")
}
